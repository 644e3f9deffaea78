#pragma once
// What a calibration measures, one number at a time, and the file that keeps it. `forelap calibrate --samples FILE`
// writes it and `--from FILE` reads it; both paths end in the same fit (calibrate/fit.hpp).
//
// The file is CSV with a header line; columns may stand in any order, and lines that start with `#` are comments.
//
//   part      latency | transfer | kernel | interference | engines | fill                      (required)
//   class     htod | dtoh | kernel | chain: what the time belongs to                           (required)
//   seconds   the time, in seconds                                                             (required)
//   memory    pinned | pageable: the host side of transfers; default pinned
//   active    the classes at work together, joined by "+", such as htod+dtoh; default: the class alone
//   kernel    name of the kernel, for kernels
//   bytes     of one transfer, or of a kernel's buffer
//   work      of one launch, in the unit of the kernel's work expression
//   items     work-items of one launch
//   count     equal commands that the time holds; default 1
//   outside   seconds of `seconds` in which not all of `active` were at work; default 0
//   round     pass over the campaign, from 1; 0 marks a cold first run, kept apart; default 1
//
// What `seconds` is, by part:
//   latency       makespan of `count` smallest commands in a row on one lane (htod, dtoh, kernel), or of a chain of
//                 `count` that alternates between the three lanes, each waiting for the one before (chain)
//   transfer      makespan of `count` transfers of `bytes` on one lane
//   kernel        makespan of `count` launches on one lane
//   interference  length of one command's interval in an instrumented run, while the others of `active` are kept busy
//   engines       makespan of one transfer (active = its class), or of two opposite ones released together
//                 (active = htod+dtoh)
//   fill          makespan of `count` equal launches, each on a lane of its own
//
// Pure functions; numbers are the same in every locale.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/activity.hpp"
#include "core/plan.hpp"

namespace forelap::calibrate {

enum class Part : std::uint8_t { latency, transfer, kernel, interference, engines, fill };
enum class Subject : std::uint8_t { htod, dtoh, kernel, chain };

std::string_view name_of(Part part);
std::string_view name_of(Subject subject);
/// "htod+dtoh"; classes in the order of core::ActivityClass.
std::string name_of(core::ActivitySet set);

/// The class of work that `subject` is; chain counts as kernel.
core::ActivityClass activity_of(Subject subject);

/// One measured time; the fields are the columns above.
struct Sample {
  Part part = Part::transfer;
  Subject subject = Subject::htod;
  core::MemoryKind memory = core::MemoryKind::pinned;
  core::ActivitySet active = 0;  ///< 0 stands for the subject alone
  std::string kernel;
  double bytes = 0;
  double work = 0;
  double items = 0;
  std::uint32_t count = 1;
  double seconds = 0;
  double outside = 0;
  std::uint32_t round = 1;
};

/// True where the two were measured in the same way, so that they differ by noise and drift only.
bool same_point(const Sample& a, const Sample& b);
/// "htod pinned 5612 B x 8", for messages.
std::string describe(const Sample& sample);

/// The samples as CSV, header first; reads back to the same values.
std::string write_samples(std::span<const Sample> samples);
/// Reads what write_samples writes and any file of the columns above. Throws core::Error (bad_input) with
/// file:line:column for an unknown, missing or repeated column, a number that is none, negative or out of range, a
/// name that is not known; and for a file without samples.
std::vector<Sample> parse_samples(std::string_view text, const std::string& file);

}  // namespace forelap::calibrate
