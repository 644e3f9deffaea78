#pragma once
// Plans that divide a built-in kernel over devices, and what must come back.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/executor.hpp"
#include "core/plan.hpp"

namespace forelap::hw::test {

/// A kernel over arrays of some size.
struct PartitionCase {
  struct Array {
    std::uint64_t row_bytes = 0;    ///< of one of the rows that are divided; 0: whole on every device
    std::uint64_t whole_bytes = 0;  ///< of the array
    bool result = false;
  };
  std::string kernel;
  std::uint64_t rows = 0;
  std::uint64_t row_items = 1;
  std::vector<Array> arrays;
  /// The arguments after the arrays, of the part [first, first + rows).
  std::function<std::vector<core::Argument>(std::uint64_t first, std::uint64_t rows)> numbers;
};

PartitionCase add_case(std::uint64_t rows, std::uint64_t columns);
PartitionCase options_case(std::uint64_t options);
PartitionCase product_case(std::int32_t rows, std::int32_t inner, std::int32_t columns);
PartitionCase set_case(std::int32_t width, std::int32_t height, std::int32_t iterations);

struct PartitionShare {
  std::uint64_t rows = 0;
  bool in_place = false;
  std::uint32_t chunks = 1;
  std::uint32_t ring = 0;  ///< chunks that have memory on the device at once; 0: all
};

/// Buffers 0, 1 and so on are the whole arrays in host memory; device i works on the rows of shares[i] in their order,
/// with a lane for each direction and one for the kernel; the launch is repeated `count` times.
core::Plan partition_plan(const PartitionCase& work, const std::vector<PartitionShare>& shares,
                          std::uint32_t count = 1);

/// Where the arrays are not what the kernel's reference says, in words; empty where all is right.
std::string partition_mismatch(const PartitionCase& work, const core::PreparedPlan& prepared);

}  // namespace forelap::hw::test
