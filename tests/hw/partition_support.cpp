#include "tests/hw/partition_support.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "hw/kernels/partition.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::test {
namespace {

std::int32_t small(std::uint64_t number) {
  return static_cast<std::int32_t>(number);
}

class Maker {
 public:
  Maker(const PartitionCase& work, std::uint32_t count) : work_(work), count_(count) {
    for (const PartitionCase::Array& array : work.arrays) {
      owners_.push_back(builder_.add_buffer({.bytes = array.whole_bytes, .device = core::none<core::DeviceId>()}));
    }
  }

  void add(std::size_t device, const PartitionShare& share) {
    const Lanes lanes = add_lanes(builder_, device);
    std::vector<Part> parts;
    parts.reserve(share.chunks);
    for (std::uint32_t c = 0; c < share.chunks; ++c) {
      const std::uint64_t rows = share.rows * (c + 1) / share.chunks - share.rows * c / share.chunks;
      const Part* lender = share.ring > 0 && c >= share.ring ? &parts[c - share.ring] : nullptr;
      parts.push_back(add_part(device, share, rows, c == 0, parts, lender));
      if (rows > 0) submit(device, lanes, parts, lender);
      next_row_ += rows;
    }
  }

  core::Plan build() { return builder_.build(); }

 private:
  struct Part {
    std::vector<core::BufferId> buffers;
    std::uint64_t rows = 0;
    bool in_place = false;
    bool first = false;
    core::StepId last{};  ///< the last step that uses its memory
  };

  Part add_part(std::size_t device, const PartitionShare& share, std::uint64_t rows, bool first,
                const std::vector<Part>& parts, const Part* lender) {
    Part part;
    part.rows = rows;
    part.in_place = share.in_place;
    part.first = first;
    for (std::size_t a = 0; a < work_.arrays.size(); ++a) {
      const PartitionCase::Array& array = work_.arrays[a];
      const bool whole = array.row_bytes == 0;
      if (whole && !first) {
        part.buffers.push_back(parts.front().buffers[a]);
        continue;
      }
      core::Buffer buffer;
      buffer.device = core::make_id<core::DeviceId>(device);
      buffer.host_of = owners_[a];
      buffer.bytes = whole ? array.whole_bytes : rows * array.row_bytes;
      buffer.host_offset = next_row_ * array.row_bytes;
      buffer.in_place = share.in_place;
      if (lender != nullptr) buffer.device_of = lending(*lender, a);
      part.buffers.push_back(builder_.add_buffer(buffer));
      if (lender != nullptr) roots_[part.buffers.back()] = buffer.device_of;
    }
    return part;
  }

  /// The buffer whose device memory the lender's array has: itself or the one before it in the ring.
  core::BufferId lending(const Part& lender, std::size_t array) const {
    const core::BufferId of_lender = lender.buffers[array];
    const auto found = roots_.find(of_lender);
    return found != roots_.end() ? found->second : of_lender;
  }

  void submit(std::size_t device, const Lanes& lanes, std::vector<Part>& parts, const Part* lender) {
    Part& part = parts.back();
    std::vector<core::StepId> before;
    if (lender != nullptr) before.push_back(lender->last);
    // A launch without input waits for the memory itself.
    std::vector<core::StepId> after = before;
    for (std::size_t a = 0; a < part.buffers.size() && !part.in_place; ++a) {
      const PartitionCase::Array& array = work_.arrays[a];
      if (array.result || (array.row_bytes == 0 && !part.first)) continue;
      after.push_back(add_copy(builder_, lanes.in, core::Direction::host_to_device, part.buffers[a], bytes_of(part, a),
                               before, device));
    }
    const std::array kernel = {launch(device, lanes, part, after)};
    part.last = kernel[0];
    for (std::size_t a = 0; a < part.buffers.size() && !part.in_place; ++a) {
      if (!work_.arrays[a].result) continue;
      part.last = add_copy(builder_, lanes.out, core::Direction::device_to_host, part.buffers[a], bytes_of(part, a),
                           kernel, device);
    }
  }

  [[nodiscard]] std::uint64_t bytes_of(const Part& part, std::size_t array) const {
    const PartitionCase::Array& a = work_.arrays[array];
    return a.row_bytes == 0 ? a.whole_bytes : part.rows * a.row_bytes;
  }

  core::StepId launch(std::size_t device, const Lanes& lanes, const Part& part,
                      const std::vector<core::StepId>& after) {
    core::KernelStep step;
    step.lane = lanes.kernel;
    step.device = core::make_id<core::DeviceId>(device);
    step.call.kernel = builder_.kernel(work_.kernel);
    step.call.global_size[0] = part.rows * work_.row_items;
    step.count = count_;
    std::vector<core::Argument> arguments(part.buffers.begin(), part.buffers.end());
    for (const core::Argument& number : work_.numbers(next_row_, part.rows)) arguments.push_back(number);
    return builder_.add(step, arguments, after);
  }

  const PartitionCase& work_;
  std::uint32_t count_;
  core::PlanBuilder builder_;
  std::vector<core::BufferId> owners_;
  std::map<core::BufferId, core::BufferId> roots_;
  std::uint64_t next_row_ = 0;
};

}  // namespace

PartitionCase add_case(std::uint64_t rows, std::uint64_t columns) {
  PartitionCase work{"matrix_add", rows, columns, {}, {}};
  work.arrays.assign(3, {4 * columns, 4 * columns * rows, false});
  work.arrays[2].result = true;
  work.numbers = [columns](std::uint64_t, std::uint64_t part) {
    return std::vector<core::Argument>{static_cast<std::int64_t>(part * columns)};
  };
  return work;
}

PartitionCase options_case(std::uint64_t options) {
  PartitionCase work{"black_scholes_options", options, 1, {}, {}};
  work.arrays.assign(5, {4, 4 * options, false});
  work.arrays[3].result = work.arrays[4].result = true;
  work.numbers = [](std::uint64_t, std::uint64_t part) {
    return std::vector<core::Argument>{0.02F, 0.3F, static_cast<std::int64_t>(part)};
  };
  return work;
}

PartitionCase product_case(std::int32_t rows, std::int32_t inner, std::int32_t columns) {
  const auto size = [](std::int32_t n) { return static_cast<std::uint64_t>(n); };
  PartitionCase work{"matrix_multiply_rows", size(rows), size(columns), {}, {}};
  work.arrays = {{4 * size(inner), 4 * size(rows) * size(inner), false},
                 {0, 4 * size(inner) * size(columns), false},
                 {4 * size(columns), 4 * size(rows) * size(columns), true}};
  work.numbers = [inner, columns](std::uint64_t, std::uint64_t part) {
    return std::vector<core::Argument>{small(part), inner, columns};
  };
  return work;
}

PartitionCase set_case(std::int32_t width, std::int32_t height, std::int32_t iterations) {
  const auto row = static_cast<std::uint64_t>(width);
  const auto rows = static_cast<std::uint64_t>(height);
  PartitionCase work{"mandelbrot", rows, row, {{4 * row, 4 * row * rows, true}}, {}};
  work.numbers = [width, height, iterations](std::uint64_t first, std::uint64_t part) {
    return std::vector<core::Argument>{width, height, small(first), small(part), iterations};
  };
  return work;
}

core::Plan partition_plan(const PartitionCase& work, const std::vector<PartitionShare>& shares, std::uint32_t count) {
  Maker maker(work, count);
  for (std::size_t d = 0; d < shares.size(); ++d) maker.add(d, shares[d]);
  return maker.build();
}

std::string partition_mismatch(const PartitionCase& work, const core::PreparedPlan& prepared) {
  const kernels::PartitionKernel& kernel = *kernels::find_partition_kernel(work.kernel);
  std::vector<core::Argument> arguments;
  std::vector<std::span<const std::byte>> buffers;
  for (std::size_t a = 0; a < work.arrays.size(); ++a) {
    arguments.emplace_back(core::make_id<core::BufferId>(a));
    buffers.push_back(prepared.host_memory(core::make_id<core::BufferId>(a)));
  }
  for (const core::Argument& number : work.numbers(0, work.rows)) arguments.push_back(number);
  buffers.resize(arguments.size());
  for (std::size_t a = 0; a < work.arrays.size(); ++a) {
    for (std::size_t i = 0; work.arrays[a].result && i < buffers[a].size() / 4; ++i) {
      std::uint32_t expected = 0;
      std::uint32_t found = 0;
      std::memcpy(&found, buffers[a].data() + 4 * i, 4);
      if (!kernel.word(buffers, arguments, a, i, expected))
        return work.kernel + ": no reference of word " + std::to_string(i);
      if (kernels::agrees(kernel, found, expected)) continue;
      return work.kernel + ": word " + std::to_string(i) + " of array " + std::to_string(a) + " is " +
             std::to_string(found) + ", not " + std::to_string(expected);
    }
  }
  return "";
}

}  // namespace forelap::hw::test
