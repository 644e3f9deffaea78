// StarPU's bus calibration: src/core/perfmodel/perfmodel_bus.c of StarPU 1.4 writes, and this reads, square matrices
// with one row a source node and one column a destination node, in MB/s (10^6 bytes a second) and in microseconds.
// Rates are measured with transfers of 32 MiB from page-locked memory, latencies with transfers of one byte; entries of
// nodes that do not exist are "nan".

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/import.hpp"
#include "calibrate/table.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"

namespace forelap::calibrate {
namespace {

constexpr double kSampledBytes = 32.0 * 1024 * 1024;
constexpr double kMegabyte = 1e6;
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

using Matrix = std::vector<std::vector<double>>;

bool is_nan(std::string_view text) {
  return text == "nan" || text == "-nan" || text == "NaN" || text == "NAN";
}

Matrix read_matrix(std::string_view text, const std::string& file, const std::string& unit) {
  const Table table = read_table(text, file);
  Matrix matrix;
  for (const Row& row : table.rows) {
    std::vector<double> values;
    for (const Cell& cell : row.cells) {
      values.push_back(is_nan(cell.text) ? kAbsent : number_of(table, row, cell, unit));
    }
    if (!matrix.empty() && values.size() != matrix.front().size()) {
      fail_at(table, row, row.cells.back(),
              "this row has " + std::to_string(values.size()) + " entries, the first has " +
                  std::to_string(matrix.front().size()));
    }
    matrix.push_back(std::move(values));
  }
  if (matrix.empty() || matrix.front().size() < 2) {
    core::throw_bad_input(file + ": expected a square matrix of at least two nodes (" + unit + ")");
  }
  return matrix;
}

double entry(const Matrix& matrix, std::size_t from, std::size_t to) {
  if (from >= matrix.size() || to >= matrix[from].size()) return kAbsent;
  return matrix[from][to];
}

core::Parameter published(double value) {
  // The matrices carry no spread; a tenth is what one meets between machines of a kind, and is marked as assumed.
  return {value, 0.1 * value, 1, true, "StarPU bus calibration; its spread is not recorded and assumed to be 10 %"};
}

core::TransferModel make_transfer(core::Direction direction, double latency_us, double megabytes_per_second) {
  core::TransferModel model;
  model.direction = direction;
  model.memory = core::MemoryKind::pinned;
  core::TransferPiece piece;
  piece.from_bytes = 1;
  piece.to_bytes = kSampledBytes;
  piece.fixed = published(latency_us / 1e6);
  piece.per_byte = published(1 / (megabytes_per_second * kMegabyte));
  model.pieces.push_back(piece);
  return model;
}

core::DeviceModel make_device(std::size_t node) {
  core::DeviceModel device;
  device.name = "gpu" + std::to_string(node - 1);
  device.identity.backend = "model";
  device.identity.name = "StarPU node " + std::to_string(node);
  const std::string missing = "not in StarPU's matrices";
  device.copy_engines = {1, 0, 0, true, missing + ": taken as one, the careful choice"};
  device.run_overhead = {0, 0, 0, true, missing};
  device.hop = {0, 0, 0, true, missing};
  device.submit = {0, 0, 0, true, missing};
  return device;
}

}  // namespace

std::vector<core::DeviceModel> parse_starpu(std::string_view bandwidth, const std::string& bandwidth_file,
                                            std::string_view latency, const std::string& latency_file,
                                            std::vector<std::string>& warnings) {
  const Matrix rates = read_matrix(bandwidth, bandwidth_file, "MB/s");
  Matrix delays;
  if (latency.empty()) {
    warnings.push_back(latency_file +
                       " is not there: latencies are taken as 0; small transfers are not predicted well");
  } else {
    delays = read_matrix(latency, latency_file, "microseconds");
  }
  std::vector<core::DeviceModel> devices;
  for (std::size_t node = 1; node < rates.front().size(); ++node) {
    const double up = entry(rates, 0, node), down = entry(rates, node, 0);
    if (std::isnan(up) && std::isnan(down)) continue;
    if (!(up > 0) || !(down > 0)) {
      core::throw_bad_input(bandwidth_file + ": the rates between node 0 and node " + std::to_string(node) +
                            " are not both above 0 MB/s");
    }
    const auto delay = [&](std::size_t from, std::size_t to) {
      const double value = entry(delays, from, to);
      if (!latency.empty() && std::isnan(value)) {
        core::throw_bad_input(latency_file + ": no latency between nodes " + std::to_string(from) + " and " +
                              std::to_string(to) + ", which the bandwidths have");
      }
      return std::isnan(value) ? 0 : value;
    };
    core::DeviceModel device = make_device(node);
    device.transfers.push_back(make_transfer(core::Direction::host_to_device, delay(0, node), up));
    device.transfers.push_back(make_transfer(core::Direction::device_to_host, delay(node, 0), down));
    devices.push_back(std::move(device));
  }
  if (devices.empty()) core::throw_bad_input(bandwidth_file + ": no node beside the host's memory has a rate");
  return devices;
}

}  // namespace forelap::calibrate
