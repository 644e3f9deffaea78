#pragma once
// What a kernel's body sees when it is compiled for CPU cores: its tiles as views, and the words that it shares with
// CUDA C++ and OpenCL C.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hw/controller/tile.hpp"

namespace forelap::hw::controller {

/// A tile as a kernel sees it, indexed in the whole tile whether it is attached whole or partitioned. A kernel touches
/// of a partitioned tile only the rows (the leading index) that it is launched for.
template <class T, int D>
class View {
 public:
  View(T* data, const Extents& extents) : data_(data), extents_(extents) {}
  T& operator()(long i) const requires(D == 1) { return data_[i]; }
  T& operator()(long i, long j) const requires(D == 2) { return data_[i * extents_[1] + j]; }
  T& operator()(long i, long j, long k) const requires(D == 3) {
    return data_[(i * extents_[1] + j) * extents_[2] + k];
  }
  [[nodiscard]] long extent(int dimension) const { return extents_[static_cast<std::size_t>(dimension)]; }
  /// All elements, row-major: for the CPU versions of kernels.
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_;
  Extents extents_;
};

/// A kernel only reads it.
template <Element T, int D = 1>
struct In : View<const T, D> {
  using View<const T, D>::View;
};
/// A kernel writes every element of it (in its rows) and reads none: nothing is copied to the device.
template <Element T, int D = 1>
struct Out : View<T, D> {
  using View<T, D>::View;
};
/// A kernel reads and writes it, or writes some of its elements.
template <Element T, int D = 1>
struct InOut : View<T, D> {
  using View<T, D>::View;
};

/// The words of generic kernels. A body is a member of a structure that derives from this, so that they need no prefix.
struct KernelWords {
  template <class T, int D = 1>
  using in = In<T, D>;
  template <class T, int D = 1>
  using out = Out<T, D>;
  template <class T, int D = 1>
  using inout = InOut<T, D>;

  /// Elements of a tile in a dimension (a literal 0, 1 or 2). Of the whole tile, also where it is partitioned.
  template <class V>
  static long extent(const V& tile, int dimension) {
    return tile.extent(dimension);
  }

  static float exp(float x) { return std::exp(x); }
  static float log(float x) { return std::log(x); }
  static float sqrt(float x) { return std::sqrt(x); }
  static float sin(float x) { return std::sin(x); }
  static float cos(float x) { return std::cos(x); }
  static float tan(float x) { return std::tan(x); }
  static float erf(float x) { return std::erf(x); }
  static float fabs(float x) { return std::fabs(x); }
  static float floor(float x) { return std::floor(x); }
  static float ceil(float x) { return std::ceil(x); }
  static float pow(float x, float y) { return std::pow(x, y); }
  static float fmin(float x, float y) { return std::fmin(x, y); }
  static float fmax(float x, float y) { return std::fmax(x, y); }
  static double exp(double x) { return std::exp(x); }
  static double log(double x) { return std::log(x); }
  static double sqrt(double x) { return std::sqrt(x); }
  static double sin(double x) { return std::sin(x); }
  static double cos(double x) { return std::cos(x); }
  static double tan(double x) { return std::tan(x); }
  static double erf(double x) { return std::erf(x); }
  static double fabs(double x) { return std::fabs(x); }
  static double floor(double x) { return std::floor(x); }
  static double ceil(double x) { return std::ceil(x); }
  static double pow(double x, double y) { return std::pow(x, y); }
  static double fmin(double x, double y) { return std::fmin(x, y); }
  static double fmax(double x, double y) { return std::fmax(x, y); }
  template <std::integral I>
  static I min(I x, I y) {
    return x < y ? x : y;
  }
  template <std::integral I>
  static I max(I x, I y) {
    return x > y ? x : y;
  }
};

}  // namespace forelap::hw::controller
