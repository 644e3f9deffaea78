#pragma once
// What the executor and its helper program say to each other: frames of text, one after another, both ways.
//
// A frame is a line "NAME BYTES" and then that many bytes. The helper opens with a `hello` frame; each `plan` frame is
// answered by an `intervals` frame, or by an `error` frame whose bytes are a message. Numbers are decimal, the shortest
// text that reads back to the same double; times are picoseconds. A plan:
//
//   domains D lanes L steps S
//   D lines: the capacity of each class ("inf": none), then the rates of the classes in set 0, set 1, ... set 31
//   L lines: the hop of the lane
//   S lines: lane release fixed work launches class domain domain fill dependency...     ("-": no domain)
//
// Lanes, domains, steps and classes (core::ActivityClass) are numbered from 0; a step depends on earlier steps only.
// Intervals: one line "begin end" a step.
//
// Pure functions and values; errors are core::Error (bad_input) that name the line.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/cost.hpp"
#include "models/interference.hpp"

namespace forelap::sim::simgrid {

/// Goes up whenever the text changes its meaning, so that programs of different builds do not misread each other.
inline constexpr std::uint32_t kProtocolVersion = 2;

/// A step with everything that the simulation needs of it.
struct CostedStep {
  std::uint32_t lane = 0;
  double release = 0;  ///< starts no earlier, ticks
  models::StepCost cost;
  std::uint32_t first_dependency = 0;  ///< in CostedPlan::dependencies
  std::uint32_t dependency_count = 0;
};

/// A plan after the models have been asked.
struct CostedPlan {
  std::vector<models::RateTable> domains;
  std::vector<double> hops;  ///< by lane: ticks from the end of a dependency on another lane to the start
  std::vector<CostedStep> steps;
  std::vector<std::uint32_t> dependencies;
};

/// When a step ran, in ticks not yet rounded.
struct StepInterval {
  double begin = 0;
  double end = 0;
};

struct Frame {
  std::string name;
  std::string payload;
};

std::string encode_frame(std::string_view name, std::string_view payload);

std::string encode_plan(const CostedPlan& plan);
/// Throws unless every number is in its range, so that no simulation of the result can fail for want of sense.
CostedPlan decode_plan(std::string_view text);

std::string encode_intervals(const std::vector<StepInterval>& intervals);
/// Throws unless there are exactly `steps` intervals with 0 <= begin <= end.
std::vector<StepInterval> decode_intervals(std::string_view text, std::size_t steps);

/// Takes bytes as they arrive and gives whole frames. Memory grows with what arrived, not with what was announced.
class FrameReader {
 public:
  void append(std::string_view bytes) { buffer_ += bytes; }
  /// The next frame once all of it is there. Throws when the bytes cannot be the start of a frame.
  std::optional<Frame> next();
  /// True between frames.
  [[nodiscard]] bool empty() const { return buffer_.empty() && !header_; }

 private:
  struct Header {
    std::string name;
    std::size_t bytes = 0;
  };
  std::string buffer_;
  std::optional<Header> header_;
};

}  // namespace forelap::sim::simgrid
