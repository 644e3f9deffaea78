#pragma once
// Recorded measurements of any machine, for `forelap calibrate --from FILE`. What a file is, is told from its content:
//
//   samples   the columns of calibrate/samples.hpp (a header with "part" and "seconds")
//   StarPU    bus matrices as StarPU writes them: <host>.bandwidth in MB/s and <host>.latency in microseconds, lines of
//             comments with `#`, one row a source node, one column a destination; node 0 is the host's memory. Either
//             file is given; the other is looked for beside it
//   series    plain columns of bytes and seconds, with a header or a `#` comment that names them: bytes|size, seconds|
//             s|time (or time_us|us, time_ms|ms), and optionally direction (htod|dtoh), memory (pinned|pageable)
//
// Numbers are the same in every locale. Files of at most 64 MB.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fit.hpp"
#include "calibrate/samples.hpp"
#include "core/machine.hpp"

namespace forelap::calibrate {

enum class Format { samples, starpu, series };

struct Imported {
  Format format = Format::samples;
  std::string summary;                     ///< one line for the user: what was read
  std::vector<Sample> samples;             ///< of samples and series
  std::vector<core::DeviceModel> devices;  ///< of StarPU's matrices: finished models, one a device node
  std::vector<std::string> warnings;
};

/// Reads `file`. Throws core::Error (bad_input) with file:line:column.
Imported import_file(const std::filesystem::path& file);

/// Plain series from text; `file` for messages.
std::vector<Sample> parse_series(std::string_view text, const std::string& file);

/// StarPU's matrices from text; an empty `latency` leaves latencies at 0, with a warning.
std::vector<core::DeviceModel> parse_starpu(std::string_view bandwidth, const std::string& bandwidth_file,
                                            std::string_view latency, const std::string& latency_file,
                                            std::vector<std::string>& warnings);

/// Device models of what was imported: StarPU's as they are, else the fit of the samples under `options`.
std::vector<core::DeviceModel> models_of(const Imported& imported, const FitOptions& options,
                                         std::vector<std::string>& warnings);

}  // namespace forelap::calibrate
