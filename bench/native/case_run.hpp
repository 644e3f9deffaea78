#pragma once
// The case studies as what is timed: one interface for the native CUDA program and for forelap::MultiController.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace forelap::bench {

enum class Work {
  matrix_add,        ///< C = A + B, size x size floats
  black_scholes,     ///< prices of `size` options
  multiply_plain,    ///< C = A B, size x size floats: an element an item
  multiply_tiled,    ///< the same by tiles in shared memory
  multiply_rows,     ///< the same by the kernel of hw/kernels, 8 x 8 elements an item
  multiply_library,  ///< the same by cuBLAS
  mandelbrot,        ///< size x size points
};

struct Case {
  std::string name;
  Work work;
  std::int64_t size;
  int launches = 1;
  /// The kernel of hw/kernels, which plans run, in place of the one that the controller's generic kernel matches. Only
  /// in the native program.
  bool of_plans = false;
};

/// Iterations after which a point counts as one of the Mandelbrot set.
constexpr int kIterations = 60000;
/// Of the options.
constexpr float kRate = 0.02F;
constexpr float kVolatility = 0.3F;
/// Threads of a block of the tiled product, in either direction, and elements of its tiles.
constexpr int kTile = 32;

/// The paper's five cases, at its sizes or at small ones, the multiplication in four ways.
std::vector<Case> case_studies(bool small);
/// The same five with the kernels that plans run.
std::vector<Case> cases_of_plans(bool small);

/// Seconds on the device, summed over commands.
struct Parts {
  double to_device = 0;
  double computation = 0;
  double from_device = 0;
};

/// Memory is taken and input written when one is made.
class CaseRun {
 public:
  virtual ~CaseRun() = default;
  /// From input in pinned host memory to results in pinned host memory; returns when they are there.
  virtual void run() = 0;
  /// The same with the parts of the work timed, without overlap between them.
  virtual Parts run_apart() = 0;
  /// All results, array by array.
  [[nodiscard]] virtual std::vector<std::span<const std::byte>> results() = 0;
};

struct ResultsDiffer : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Throws ResultsDiffer where what a run left is not what the case's check in examples/cases expects.
void check_right(const Case& what, CaseRun& run);

/// Why there is no CUDA device to run on; empty where there is one.
std::string native_obstacle();
/// The native program on CUDA device 0; in so many chunks, on three streams where there are several (only for
/// matrix_add and black_scholes). Throws std::runtime_error with CUDA's words.
std::unique_ptr<CaseRun> make_native(const Case& what, int chunks);
/// The same by forelap::MultiController on "cuda:0".
std::unique_ptr<CaseRun> make_forelap(const Case& what, int chunks);

}  // namespace forelap::bench
