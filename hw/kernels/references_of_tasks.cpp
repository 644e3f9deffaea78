// The kernels of the ordering paper's real tasks.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "hw/kernels/references.hpp"
#include "hw/kernels/words.hpp"

namespace forelap::hw::kernels {
namespace {

float float_at(ConstBytes buffer, std::size_t i) {
  return load<float>(buffer, i);
}

// ---- Black-Scholes ----

double normal_distribution(double d) {
  return 0.5 * std::erfc(-d / std::sqrt(2.0));
}

struct Options {
  double call = 0;
  double put = 0;
};

/// In doubles, with the exact normal distribution; the kernel's polynomial errs by less than 1e-7.
Options price(double x) {
  const double stock = 100 - 90 * x;
  const double strike = 10 + 90 * x;
  const double years = 1 + 9 * x;
  const double rate = 0.01 + 0.04 * x;
  const double volatility = 0.1 + 0.3 * x;
  const double spread = volatility * std::sqrt(years);
  const double d1 = (std::log(stock / strike) + (rate + volatility * volatility / 2) * years) / spread;
  const double owed = strike * std::exp(-rate * years);
  Options options;
  options.call = stock * normal_distribution(d1) - owed * normal_distribution(d1 - spread);
  options.put = options.call + owed - stock;
  return options;
}

Options price_repeatedly(float x, std::size_t repeat) {
  Options total;
  for (std::size_t r = 0; r < repeat; ++r) {
    // In floats, as the kernel does: the step past 1 must be taken at the same repetition.
    if (x >= 1) x -= 1;
    const Options now = price(static_cast<double>(x));
    total = {total.call / 2 + now.call, total.put / 2 + now.put};
    x += 0.618F;
  }
  return total;
}

// ---- Floyd-Warshall ----

/// The shortest way to a vertex: its length, and the last of its inner vertices; of equally long ways the one whose
/// last inner vertex is the smallest, as it is found first when vertices are let in one by one.
struct Way {
  std::int64_t length = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = -1;  ///< none
  friend auto operator<=>(const Way&, const Way&) = default;
};

/// Dijkstra's method from vertex `from`; the way to `from` itself is the shortest cycle.
std::vector<Way> ways_from(ConstBytes weights, std::size_t from, std::size_t size) {
  std::vector<Way> ways(size);
  std::vector<bool> done(size);
  for (std::size_t v = 0; v < size; ++v) ways[v].length = load<std::int32_t>(weights, from * size + v);
  for (std::size_t round = 0; round < size; ++round) {
    std::size_t next = size;
    for (std::size_t v = 0; v < size; ++v) {
      if (!done[v] && (next == size || ways[v] < ways[next])) next = v;
    }
    done[next] = true;
    for (std::size_t v = 0; v < size; ++v) {
      const Way through = {ways[next].length + load<std::int32_t>(weights, next * size + v),
                           std::max(ways[next].last, static_cast<std::int64_t>(next))};
      ways[v] = std::min(ways[v], through);
    }
  }
  return ways;
}

// ---- convolution and cosines ----

float tap(int distance) {
  return static_cast<float>(9 - std::abs(distance));
}

/// One line of the image (`step` 1: a row, else a column) convolved at `place`.
float convolved(ConstBytes buffer, std::size_t begin, std::size_t step, std::size_t place, std::size_t size) {
  float sum = 0;
  const std::size_t low = place < 8 ? 0 : place - 8;
  for (std::size_t at = low; at <= std::min(place + 8, size - 1); ++at) {
    sum += tap(static_cast<int>(at) - static_cast<int>(place)) * float_at(buffer, begin + at * step);
  }
  return sum;
}

/// Row u of H.265's matrix of 8 cosines, at x.
float cosine(std::size_t u, std::size_t x) {
  static constexpr std::array<std::array<int, 8>, 8> kRows = {{{64, 64, 64, 64, 64, 64, 64, 64},
                                                               {89, 75, 50, 18, -18, -50, -75, -89},
                                                               {83, 36, -36, -83, -83, -36, 36, 83},
                                                               {75, -18, -89, -50, 50, 89, 18, -75},
                                                               {64, -64, -64, 64, 64, -64, -64, 64},
                                                               {50, -89, 18, 75, -75, -18, 89, -50},
                                                               {36, -83, 83, -36, -36, 83, -83, 36},
                                                               {18, -50, 75, -89, 89, -75, 50, -18}}};
  return static_cast<float>(kRows[u][x]);
}

/// Element u of the transform of the 8 elements from `begin` on, `step` apart.
float transformed(ConstBytes buffer, std::size_t begin, std::size_t step, std::size_t u) {
  float sum = 0;
  for (std::size_t x = 0; x < 8; ++x) sum += cosine(u, x) * float_at(buffer, begin + x * step);
  return sum;
}

bool set(std::uint32_t& value, float number) {
  value = std::bit_cast<std::uint32_t>(number);
  return true;
}

}  // namespace

void reference_black_scholes(Bytes buffer, Arguments arguments) {
  const std::size_t part = count_of(arguments[1]);
  for (std::size_t i = 0; i < part; ++i) {
    const Options options = price_repeatedly(float_at(buffer, i), count_of(arguments[2]));
    store(buffer, part + i, static_cast<float>(options.call));
    store(buffer, 2 * part + i, static_cast<float>(options.put));
  }
}

bool word_of_black_scholes(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value) {
  const std::size_t part = count_of(arguments[1]);
  if (i < part || i >= 3 * part) return false;
  const Options options = price_repeatedly(float_at(buffer, i % part), count_of(arguments[2]));
  return set(value, static_cast<float>(i < 2 * part ? options.call : options.put));
}

void reference_fast_walsh(Bytes buffer, Arguments arguments) {
  const std::size_t size = std::size_t{1} << count_of(arguments[1]);
  std::vector<std::uint32_t> x(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = load<std::uint32_t>(buffer, i);
  // The largest distance first: the factors of the transform commute.
  for (std::size_t half = size / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < size; ++i) {
      if (i & half) continue;
      const std::uint32_t low = x[i];
      x[i] = low + x[i + half];
      x[i + half] = low - x[i + half];
    }
  }
  for (std::size_t i = 0; i < size; ++i) store(buffer, size + i, x[i]);
}

bool word_of_fast_walsh(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value) {
  const std::size_t size = std::size_t{1} << count_of(arguments[1]);
  if (i < size || i >= 2 * size) return false;
  value = 0;
  for (std::size_t j = 0; j < size; ++j) {
    const auto x = load<std::uint32_t>(buffer, j);
    value += std::popcount(j & (i - size)) % 2 == 0 ? x : 0U - x;
  }
  return true;
}

void reference_floyd_warshall(Bytes buffer, Arguments arguments) {
  const std::size_t size = count_of(arguments[1]);
  std::vector<std::int32_t> length(size * size);
  std::vector<std::int32_t> last(size * size);
  for (std::size_t i = 0; i < size * size; ++i) {
    length[i] = load<std::int32_t>(buffer, i);
    last[i] = static_cast<std::int32_t>(i / size);
  }
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const std::int32_t through = length[i * size + k] + length[k * size + j];
        if (through >= length[i * size + j]) continue;
        length[i * size + j] = through;
        last[i * size + j] = static_cast<std::int32_t>(k);
      }
    }
  }
  for (std::size_t i = 0; i < size * size; ++i) {
    store(buffer, size * size + i, length[i]);
    store(buffer, 2 * size * size + i, last[i]);
  }
}

bool word_of_floyd_warshall(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value) {
  const std::size_t size = count_of(arguments[1]);
  const std::size_t cells = size * size;
  if (i < cells || i >= 3 * cells) return false;
  const std::size_t row = i % cells / size;
  const Way way = ways_from(buffer, row, size)[i % size];
  const std::int64_t last = way.last < 0 ? static_cast<std::int64_t>(row) : way.last;
  value = static_cast<std::uint32_t>(i < 2 * cells ? way.length : last);
  return true;
}

void reference_convolution(Bytes buffer, Arguments arguments) {
  const std::size_t size = count_of(arguments[1]);
  const std::size_t cells = size * size;
  for (std::size_t i = 0; i < cells; ++i) {
    store(buffer, cells + i, convolved(buffer, i / size * size, 1, i % size, size));
  }
  for (std::size_t i = 0; i < cells; ++i) {
    store(buffer, 2 * cells + i, convolved(buffer, cells + i % size, size, i / size, size));
  }
}

bool word_of_convolution(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value) {
  const std::size_t size = count_of(arguments[1]);
  const std::size_t cells = size * size;
  if (i < 2 * cells || i >= 3 * cells) return false;
  const std::size_t row = i % cells / size;
  const std::size_t column = i % size;
  float sum = 0;
  for (std::size_t r = row < 8 ? 0 : row - 8; r <= std::min(row + 8, size - 1); ++r) {
    sum += tap(static_cast<int>(r) - static_cast<int>(row)) * convolved(buffer, r * size, 1, column, size);
  }
  return set(value, sum);
}

void reference_transpose(Bytes buffer, Arguments arguments) {
  const std::size_t size = count_of(arguments[1]);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column < size; ++column) {
      store(buffer, size * size + column * size + row, load<std::uint32_t>(buffer, row * size + column));
    }
  }
}

bool word_of_transpose(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value) {
  const std::size_t size = count_of(arguments[1]);
  const std::size_t cells = size * size;
  if (i < cells || i >= 2 * cells) return false;
  value = load<std::uint32_t>(buffer, i % size * size + (i - cells) / size);
  return true;
}

void reference_dct(Bytes buffer, Arguments arguments) {
  const std::size_t size = count_of(arguments[1]);
  const std::size_t cells = size * size;
  for (std::size_t i = 0; i < cells; ++i) {
    store(buffer, cells + i, transformed(buffer, i / 8 * 8, 1, i % 8));
  }
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t row = i / size;
    const std::size_t top = row / 8 * 8 * size + i % size;
    store(buffer, 2 * cells + i, transformed(buffer, cells + top, size, row % 8) / 32768);
  }
}

bool word_of_dct(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value) {
  const std::size_t size = count_of(arguments[1]);
  const std::size_t cells = size * size;
  if (i < 2 * cells || i >= 3 * cells) return false;
  const std::size_t row = (i - 2 * cells) / size;
  const std::size_t column = (i - 2 * cells) % size;
  const std::size_t block = row / 8 * 8 * size + column / 8 * 8;
  float sum = 0;
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t x = 0; x < 8; ++x) {
      sum += cosine(row % 8, y) * cosine(column % 8, x) * float_at(buffer, block + y * size + x);
    }
  }
  return set(value, sum / 32768);
}

double work_of_one(Arguments) {
  return 1;
}

double work_by_repeat(Arguments arguments) {
  return 50 * std::max(1.0, static_cast<double>(count_of(arguments[2])));
}

double work_of_matrix_multiply(Arguments arguments) {
  return std::max(1.0, static_cast<double>(count_of(arguments[1])) * static_cast<double>(count_of(arguments[2])));
}

double work_of_fast_walsh(Arguments arguments) {
  return std::ldexp(1.0, static_cast<int>(count_of(arguments[1])));
}

double work_of_floyd_warshall(Arguments arguments) {
  return 4 * std::pow(static_cast<double>(count_of(arguments[1])), 2);
}

double work_of_convolution(Arguments) {
  return 17.0 * 17.0;
}

}  // namespace forelap::hw::kernels
