// The native CUDA program: pinned memory, one stream, or chunks that take turns on three streams so that copies in,
// computation and copies back overlap.

#include <array>
#include <functional>

#include "bench/native/case_run.hpp"
#include "bench/native/cuda_resources.cuh"
#include "bench/native/native_kernels.cuh"
#include "bench/native/plan_kernels.hpp"
#include "examples/cases/black_scholes/case.hpp"
#include "examples/cases/matrix_add/case.hpp"
#include "examples/cases/matrix_multiply/case.hpp"

namespace forelap::bench {
namespace {

constexpr unsigned kBlock = 256;

/// An array of rows in host and device memory, and how it takes part.
struct Array {
  std::unique_ptr<Mirror> memory;
  std::size_t row_bytes;
  bool in;
  bool whole = false;  ///< copied before the first chunk
  [[nodiscard]] float* host() const { return memory->host<float>(); }
  [[nodiscard]] float* device() const { return memory->device<float>(); }
  [[nodiscard]] std::size_t count() const { return memory->bytes() / sizeof(float); }
  [[nodiscard]] std::span<float> values() const { return {host(), count()}; }
};

unsigned blocks_for(std::int64_t items, std::int64_t block) {
  return static_cast<unsigned>((items + block - 1) / block);
}

class NativeRun final : public CaseRun {
 public:
  NativeRun(Case what, int chunks) : case_(std::move(what)), chunks_(chunks) {
    switch (case_.work) {
      case Work::matrix_add:
        prepare_matrix_add();
        break;
      case Work::black_scholes:
        prepare_black_scholes();
        break;
      case Work::mandelbrot:
        prepare_mandelbrot();
        break;
      default:
        prepare_multiply();
    }
  }

  void run() override {
    check(cudaSetDevice(0), "cudaSetDevice");
    copy_whole();
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      const std::int64_t first = rows_ * chunk / chunks_;
      const std::int64_t rows = rows_ * (chunk + 1) / chunks_ - first;
      cudaStream_t stream = streams_[static_cast<std::size_t>(chunk) % streams_.size()];
      copy_in(stream, first, rows);
      compute(stream, first, rows);
      copy_out(stream, first, rows);
    }
    const std::size_t used = chunks_ > 1 ? streams_.size() : 1;
    for (std::size_t s = 0; s < used; ++s) check(cudaStreamSynchronize(streams_[s]), "cudaStreamSynchronize");
  }

  Parts run_apart() override {
    check(cudaSetDevice(0), "cudaSetDevice");
    Mark begin(true), copied(true), computed(true), end(true);
    begin.record(streams_[0]);
    copy_whole();
    copy_in(streams_[0], 0, rows_);
    copied.record(streams_[0]);
    compute(streams_[0], 0, rows_);
    computed.record(streams_[0]);
    copy_out(streams_[0], 0, rows_);
    end.record(streams_[0]);
    check(cudaStreamSynchronize(streams_[0]), "cudaStreamSynchronize");
    return {copied.seconds_since(begin), computed.seconds_since(copied), end.seconds_since(computed)};
  }

  [[nodiscard]] std::vector<std::span<const std::byte>> results() override {
    std::vector<std::span<const std::byte>> all;
    for (const Array& array : arrays_) {
      if (!array.in) all.push_back(std::as_bytes(array.values()));
    }
    return all;
  }

 private:
  float* add_array(std::int64_t rows, std::int64_t columns, bool in, bool whole = false) {
    const std::size_t row_bytes = static_cast<std::size_t>(columns) * sizeof(float);
    arrays_.push_back({std::make_unique<Mirror>(static_cast<std::size_t>(rows) * row_bytes), row_bytes, in, whole});
    return arrays_.back().device();
  }

  void prepare_matrix_add() {
    rows_ = case_.size;
    const std::int64_t side = case_.size;
    const float* a = add_array(rows_, side, true);
    const float* b = add_array(rows_, side, true);
    float* c = add_array(rows_, side, false);
    cases::fill_matrix_add(arrays_[0].values(), arrays_[1].values());
    launch_ = [=, of_plans = case_.of_plans](cudaStream_t stream, std::int64_t first, std::int64_t rows) {
      const std::int64_t at = first * side;
      if (of_plans) {
        launch_matrix_add(stream, a + at, b + at, c + at, rows * side);
        return;
      }
      add<<<blocks_for(rows * side, kBlock), kBlock, 0, stream>>>(a + at, b + at, c + at, rows * side);
    };
  }

  void prepare_black_scholes() {
    rows_ = case_.size;
    const float* price = add_array(rows_, 1, true);
    const float* strike = add_array(rows_, 1, true);
    const float* years = add_array(rows_, 1, true);
    float* call = add_array(rows_, 1, false);
    float* put = add_array(rows_, 1, false);
    cases::fill_black_scholes(arrays_[0].values(), arrays_[1].values(), arrays_[2].values());
    launch_ = [=, of_plans = case_.of_plans](cudaStream_t stream, std::int64_t at, std::int64_t rows) {
      if (of_plans) {
        launch_black_scholes(stream, price + at, strike + at, years + at, call + at, put + at, kRate, kVolatility,
                             rows);
        return;
      }
      price_options<<<blocks_for(rows, kBlock), kBlock, 0, stream>>>(price + at, strike + at, years + at, call + at,
                                                                     put + at, kRate, kVolatility, rows);
    };
  }

  void prepare_multiply() {
    rows_ = case_.size;
    const std::int64_t side = case_.size;
    const float* a = add_array(rows_, side, true);
    const float* b = add_array(side, side, true, true);
    float* c = add_array(rows_, side, false);
    cases::fill_matrix_multiply(arrays_[0].values(), arrays_[1].values());
    if (case_.work == Work::multiply_library) {
      launch_library(a, b, c);
      return;
    }
    launch_ = [=, work = case_.work](cudaStream_t stream, std::int64_t first, std::int64_t rows) {
      const std::int64_t at = first * side;
      const bool tiled = work == Work::multiply_tiled;
      const dim3 block(kTile, tiled ? kTile : kBlock / kTile);
      const dim3 grid(blocks_for(side, block.x), blocks_for(rows, block.y));
      if (work == Work::multiply_rows) {
        launch_multiply_rows(stream, a + at, b, c + at, static_cast<int>(rows), static_cast<int>(side));
      } else if (tiled) {
        multiply_tiled<<<grid, block, 0, stream>>>(a + at, b, c + at, rows, side);
      } else {
        multiply_plain<<<grid, block, 0, stream>>>(a + at, b, c + at, rows, side);
      }
    };
  }

  void launch_library(const float* a, const float* b, float* c) {
    blas_ = std::make_unique<Blas>();
    const int side = static_cast<int>(case_.size);
    launch_ = [=, this](cudaStream_t stream, std::int64_t first, std::int64_t rows) {
      const float one = 1.0F;
      const float zero = 0.0F;
      const std::int64_t at = first * side;
      check(cublasSetStream(*blas_, stream), "cublasSetStream");
      // cuBLAS goes by columns: it sees the transposed matrices, and C' = B' A'.
      check(cublasSgemm(*blas_, CUBLAS_OP_N, CUBLAS_OP_N, side, static_cast<int>(rows), side, &one, b, side, a + at,
                        side, &zero, c + at, side),
            "cublasSgemm");
    };
  }

  void prepare_mandelbrot() {
    rows_ = case_.size;
    const std::int64_t side = case_.size;
    (void)add_array(rows_, side, false);
    std::int32_t* image = arrays_[0].memory->device<std::int32_t>();
    launch_ = [=, of_plans = case_.of_plans](cudaStream_t stream, std::int64_t first, std::int64_t rows) {
      if (of_plans) {
        launch_mandelbrot(stream, image + first * side, static_cast<int>(side), static_cast<int>(first),
                          static_cast<int>(rows), kIterations);
        return;
      }
      const dim3 block(kTile, kBlock / kTile);
      const dim3 grid(blocks_for(side, block.x), blocks_for(rows, block.y));
      draw<<<grid, block, 0, stream>>>(image + first * side, rows, side, first, kIterations);
    };
  }

  /// On the first stream; the others wait.
  void copy_whole() {
    bool any = false;
    for (const Array& array : arrays_) {
      if (!array.whole) continue;
      any = true;
      check(cudaMemcpyAsync(array.device(), array.host(), array.memory->bytes(), cudaMemcpyHostToDevice, streams_[0]),
            "cudaMemcpyAsync");
    }
    if (!any || chunks_ == 1) return;
    whole_there_.record(streams_[0]);
    for (std::size_t s = 1; s < streams_.size(); ++s) whole_there_.hold(streams_[s]);
  }

  void copy_in(cudaStream_t stream, std::int64_t first, std::int64_t rows) {
    for (const Array& array : arrays_) {
      if (!array.in || array.whole) continue;
      const std::size_t at = static_cast<std::size_t>(first) * array.row_bytes;
      check(cudaMemcpyAsync(array.memory->device<std::byte>() + at, array.memory->host<std::byte>() + at,
                            static_cast<std::size_t>(rows) * array.row_bytes, cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync");
    }
  }

  void copy_out(cudaStream_t stream, std::int64_t first, std::int64_t rows) {
    for (const Array& array : arrays_) {
      if (array.in) continue;
      const std::size_t at = static_cast<std::size_t>(first) * array.row_bytes;
      check(cudaMemcpyAsync(array.memory->host<std::byte>() + at, array.memory->device<std::byte>() + at,
                            static_cast<std::size_t>(rows) * array.row_bytes, cudaMemcpyDeviceToHost, stream),
            "cudaMemcpyAsync");
    }
  }

  void compute(cudaStream_t stream, std::int64_t first, std::int64_t rows) {
    for (int i = 0; i < case_.launches; ++i) launch_(stream, first, rows);
    check(cudaGetLastError(), "a launch");
  }

  Case case_;
  int chunks_;
  std::int64_t rows_ = 0;
  std::vector<Array> arrays_;
  std::unique_ptr<Blas> blas_;
  std::array<Stream, 3> streams_;
  Mark whole_there_{false};
  std::function<void(cudaStream_t, std::int64_t, std::int64_t)> launch_;
};

}  // namespace

std::string native_obstacle() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) return std::string("CUDA finds no device: ") + cudaGetErrorString(status);
  return devices == 0 ? "CUDA finds no device" : "";
}

std::unique_ptr<CaseRun> make_native(const Case& what, int chunks) {
  check(cudaSetDevice(0), "cudaSetDevice");
  return std::make_unique<NativeRun>(what, chunks);
}

}  // namespace forelap::bench
