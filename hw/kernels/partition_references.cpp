#include "hw/kernels/partition_references.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <thread>
#include <vector>

#include "hw/kernels/random_words.hpp"
#include "hw/kernels/words.hpp"

namespace forelap::hw::kernels {
namespace {

bool set(std::uint32_t& value, double number) {
  value = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  return true;
}

std::size_t elements(const core::Argument& argument) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, std::get<std::int64_t>(argument)));
}

double number(PartBuffers buffers, std::size_t position, std::size_t i) {
  return static_cast<double>(load<float>(buffers[position], i));
}

double normal_distribution(double d) {
  return 0.5 * std::erfc(-d / std::sqrt(2.0));
}

/// Middle of cell `i` of `count` in an interval of length 3 from `low_halves` / 2 on, in steps of 2^-24.
float place(std::int64_t i, std::int64_t count, std::int64_t low_halves) {
  const std::int64_t cell = 3 * (2 * i + 1) * (std::int64_t{1} << 24) / (2 * count);
  return std::ldexp(static_cast<float>(cell + low_halves * (std::int64_t{1} << 23)), -24);
}

/// Fills as `fill_words` does, in parts of whole draws, one a thread.
template <class Make>
void fill_in_parts(std::span<std::byte> buffer, std::uint64_t seed, Make make) {
  constexpr std::size_t kPart = std::size_t{1} << 26;
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  const std::size_t parts = std::min(threads, buffer.size() / kPart + 1);
  const std::size_t draws = buffer.size() / 8 / parts;
  const auto work = [&](std::size_t part) {
    const std::size_t end = part + 1 == parts ? buffer.size() : 8 * draws * (part + 1);
    fill_words(buffer.subspan(8 * draws * part, end - 8 * draws * part), seed, make, draws * part);
  };
  std::vector<std::jthread> others;
  for (std::size_t part = 1; part < parts; ++part) others.emplace_back(work, part);
  work(0);
}

}  // namespace

bool word_of_matrix_add(PartBuffers buffers, Values arguments, std::size_t position, std::size_t i,
                        std::uint32_t& value) {
  if (position != 2 || i >= elements(arguments[3])) return false;
  return set(value, number(buffers, 0, i) + number(buffers, 1, i));
}

bool word_of_options(PartBuffers buffers, Values arguments, std::size_t position, std::size_t i, std::uint32_t& value) {
  if ((position != 3 && position != 4) || i >= elements(arguments[7])) return false;
  const double price = number(buffers, 0, i);
  const double strike = number(buffers, 1, i);
  const double years = number(buffers, 2, i);
  const auto rate = static_cast<double>(std::get<float>(arguments[5]));
  const auto volatility = static_cast<double>(std::get<float>(arguments[6]));
  const double spread = volatility * std::sqrt(years);
  const double d1 = (std::log(price / strike) + (rate + volatility * volatility / 2) * years) / spread;
  const double owed = strike * std::exp(-rate * years);
  const double call = price * normal_distribution(d1) - owed * normal_distribution(d1 - spread);
  return set(value, position == 3 ? call : call + owed - price);
}

bool word_of_product(PartBuffers buffers, Values arguments, std::size_t position, std::size_t i, std::uint32_t& value) {
  const std::size_t rows = count_of(arguments[3]);
  const std::size_t inner = count_of(arguments[4]);
  const std::size_t columns = count_of(arguments[5]);
  if (position != 2 || i >= rows * columns) return false;
  double sum = 0;
  for (std::size_t k = 0; k < inner; ++k) {
    sum += number(buffers, 0, i / columns * inner + k) * number(buffers, 1, k * columns + i % columns);
  }
  return set(value, sum);
}

bool word_of_point(PartBuffers, Values arguments, std::size_t position, std::size_t i, std::uint32_t& value) {
  const std::size_t width = count_of(arguments[1]);
  if (position != 0 || i >= width * count_of(arguments[4])) return false;
  const auto row = std::get<std::int32_t>(arguments[3]) + static_cast<std::int64_t>(i / width);
  const float real = place(static_cast<std::int64_t>(i % width), std::get<std::int32_t>(arguments[1]), -4);
  const float imaginary = place(row, std::get<std::int32_t>(arguments[2]), -3);
  float x = 0;
  float y = 0;
  value = 0;
  for (; value < count_of(arguments[5]) && x * x + y * y <= 4; ++value) {
    const float next = x * x - y * y + real;
    y = std::fma(2 * x, y, imaginary);
    x = next;
  }
  return true;
}

double work_of_element(Values) {
  return 1;
}

double work_of_option(Values) {
  return 50;
}

double work_of_product(Values arguments) {
  return std::max(1.0, static_cast<double>(count_of(arguments[4])));
}

double work_of_point(Values arguments) {
  return 10 * std::max(1.0, static_cast<double>(count_of(arguments[5])));
}

void fill_matrix_add(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_in_parts(buffer, seed,
                [](std::uint32_t bits) { return static_cast<float>(static_cast<int>(bits & 511U) - 256) * 0.25F; });
}

void fill_prices(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_in_parts(buffer, seed,
                [](std::uint32_t bits) { return 5.0F + 25.0F * static_cast<float>(bits & 0xffffU) / 65535.0F; });
}

void fill_strikes(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_in_parts(buffer, seed,
                [](std::uint32_t bits) { return 1.0F + 99.0F * static_cast<float>(bits & 0xffffU) / 65535.0F; });
}

void fill_years(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_in_parts(buffer, seed,
                [](std::uint32_t bits) { return 0.25F + 9.75F * static_cast<float>(bits & 0xffffU) / 65535.0F; });
}

void fill_factors(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_in_parts(buffer, seed,
                [](std::uint32_t bits) { return static_cast<float>(static_cast<int>(bits & 31U) - 16) / 16.0F; });
}

}  // namespace forelap::hw::kernels
