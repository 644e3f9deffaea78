#include "hw/kernels/references.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "hw/kernels/words.hpp"

namespace forelap::hw::kernels {
namespace {

std::uint32_t power(std::uint32_t base, std::size_t exponent) {
  std::uint32_t result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1U) result *= base;
  }
  return result;
}

float added_repeatedly(float sum, std::size_t repeat) {
  float value = 0;
  for (std::size_t r = 0; r < repeat; ++r) {
    const float next = value / 2 + sum;
    // The sequence is monotone towards its fixed point; from there on nothing changes.
    if (next == value) break;
    value = next;
  }
  return value;
}

}  // namespace

void reference_synthetic(Bytes buffer, Arguments arguments) {
  const std::size_t n = std::min(count_of(arguments[1]), buffer.size() / 4);
  const auto factor = static_cast<std::uint32_t>(std::get<std::int32_t>(arguments[3]));
  const std::uint32_t total = power(factor, count_of(arguments[2]));
  for (std::size_t i = 0; i < n; ++i) store(buffer, i, load<std::uint32_t>(buffer, i) * total);
}

void reference_vector_add(Bytes buffer, Arguments arguments) {
  const std::size_t part = count_of(arguments[1]);
  const std::size_t repeat = count_of(arguments[2]);
  for (std::size_t i = 0; i < part; ++i) {
    store(buffer, 2 * part + i, added_repeatedly(load<float>(buffer, i) + load<float>(buffer, part + i), repeat));
  }
}

bool word_of_vector_add(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value) {
  const std::size_t part = count_of(arguments[1]);
  if (i < 2 * part || i >= 3 * part) return false;
  const float sum = load<float>(buffer, i - 2 * part) + load<float>(buffer, i - part);
  value = std::bit_cast<std::uint32_t>(added_repeatedly(sum, count_of(arguments[2])));
  return true;
}

void reference_matrix_multiply(Bytes buffer, Arguments arguments) {
  const std::size_t side = count_of(arguments[1]);
  const std::size_t repeat = count_of(arguments[2]);
  std::vector<float> row_of_c(side);
  for (std::size_t row = 0; row < side; ++row) {
    std::fill(row_of_c.begin(), row_of_c.end(), 0.0F);
    for (std::size_t r = 0; r < repeat; ++r) {
      for (float& value : row_of_c) value /= 2;
      for (std::size_t k = 0; k < side; ++k) {
        const float a = load<float>(buffer, row * side + k);
        for (std::size_t column = 0; column < side; ++column) {
          row_of_c[column] += a * load<float>(buffer, side * side + k * side + column);
        }
      }
    }
    for (std::size_t column = 0; column < side; ++column) {
      store(buffer, 2 * side * side + row * side + column, row_of_c[column]);
    }
  }
}

bool word_of_matrix_multiply(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value) {
  const std::size_t side = count_of(arguments[1]);
  const std::size_t cells = side * side;
  if (i < 2 * cells || i >= 3 * cells) return false;
  const std::size_t row = (i - 2 * cells) / side;
  const std::size_t column = (i - 2 * cells) % side;
  float sum = 0;
  for (std::size_t r = 0; r < count_of(arguments[2]); ++r) {
    sum /= 2;
    for (std::size_t k = 0; k < side; ++k) {
      sum += load<float>(buffer, row * side + k) * load<float>(buffer, cells + k * side + column);
    }
  }
  value = std::bit_cast<std::uint32_t>(sum);
  return true;
}

}  // namespace forelap::hw::kernels
