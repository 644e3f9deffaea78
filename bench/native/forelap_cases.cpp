// The case studies by forelap::MultiController on one GPU.

#include <forelap/controller.hpp>
#include <tuple>

#include "bench/native/case_run.hpp"
#include "bench/native/plan_kernels.hpp"
#include "examples/cases/black_scholes/case.hpp"
#include "examples/cases/matrix_add/case.hpp"
#include "examples/cases/matrix_multiply/case.hpp"

namespace forelap::bench {
namespace {

FORELAP_KERNEL(add, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), { c(i, j) = a(i, j) + b(i, j); });

/// Formula 26.2.17 of Abramowitz and Stegun.
FORELAP_FUNCTION(float, normal_distribution, (float d), {
  const float t = 1.0F / (1.0F + 0.2316419F * fabs(d));
  const float series =
      t * (0.319381530F + t * (-0.356563782F + t * (1.781477937F + t * (-1.821255978F + t * 1.330274429F))));
  const float tail = 0.398942280F * exp(-0.5F * d * d) * series;
  return d > 0.0F ? 1.0F - tail : tail;
});

FORELAP_KERNEL(price_options, (i),
               (in<float> price, in<float> strike, in<float> years, out<float> call, out<float> put, float rate,
                float volatility),
               {
                 const float spread = volatility * sqrt(years(i));
                 const float d1 =
                     (log(price(i) / strike(i)) + (rate + 0.5F * volatility * volatility) * years(i)) / spread;
                 const float d2 = d1 - spread;
                 const float owed = strike(i) * exp(-rate * years(i));
                 call(i) = price(i) * normal_distribution(d1) - owed * normal_distribution(d2);
                 put(i) = owed * normal_distribution(-d2) - price(i) * normal_distribution(-d1);
               });

// One body, and a kernel for each way in which CUDA devices do it: by the body itself, by the native program's tiled
// kernel as a version, by the kernel of hw/kernels in a wrapper, and by cuBLAS.
#define FORELAP_BENCH_PRODUCT                                         \
  {                                                                   \
    float sum = 0.0F;                                                 \
    for (long k = 0; k < extent(b, 0); ++k) sum += a(i, k) * b(k, j); \
    c(i, j) = sum;                                                    \
  }
FORELAP_KERNEL(plain_product, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), FORELAP_BENCH_PRODUCT);
FORELAP_KERNEL(tiled_product, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), FORELAP_BENCH_PRODUCT);
FORELAP_KERNEL(rows_product, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), FORELAP_BENCH_PRODUCT);
FORELAP_KERNEL(library_product, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), FORELAP_BENCH_PRODUCT);

constexpr const char* kTiledBody = R"({
  __shared__ float left[32][32];
  __shared__ float right[32][32];
  const int x = (int)threadIdx.x;
  const int y = (int)threadIdx.y;
  const long side = extent(b, 0);
  float sum = 0.0F;
  for (long k = 0; k < side; k += 32) {
    left[y][x] = i < extent(a, 0) && k + x < side ? a(i, k + x) : 0.0F;
    right[y][x] = k + y < side && j < side ? b(k + y, j) : 0.0F;
    __syncthreads();
    for (int depth = 0; depth < 32; ++depth) sum += left[y][depth] * right[depth][x];
    __syncthreads();
  }
  if (inside) c(i, j) = sum;
})";

FORELAP_KERNEL(draw, (i, j), (out<int, 2> image, int iterations), {
  const float scale = 3.0F / (float)extent(image, 0);
  const float x = -2.0F + scale * (float)j;
  const float y = -1.5F + scale * (float)i;
  float re = 0.0F;
  float im = 0.0F;
  int n = 0;
  while (n < iterations && re * re + im * im <= 4.0F) {
    const float next = re * re - im * im + x;
    im = 2.0F * re * im + y;
    re = next;
    ++n;
  }
  image(i, j) = n;
});

ControllerOptions options_for(int chunks, bool timing) {
  ControllerOptions options;
  options.transfers = chunks > 1 ? Transfers::chunked : Transfers::lazy;
  options.chunks = chunks > 1 ? static_cast<unsigned>(chunks) : 0;
  options.timing = timing;
  return options;
}

/// One case: `pass` runs it on the controller that it is given. Results are the tiles from the `kInputs`-th on.
template <std::size_t kInputs, class Tiles, class Pass>
class ForelapRun final : public CaseRun {
 public:
  ForelapRun(std::unique_ptr<MultiController> controller, Tiles tiles, Pass pass)
      : controller_(std::move(controller)), tiles_(std::move(tiles)), pass_(std::move(pass)) {}

  void run() override { pass_(*controller_, tiles_); }

  Parts run_apart() override {
    if (!timed_) {
      timed_ = std::make_unique<MultiController>(std::vector<std::string>{"cuda:0"}, options_for(1, true));
      pass_(*timed_, tiles_);
    }
    timed_->reset_times();
    pass_(*timed_, tiles_);
    const DeviceTimes times = timed_->times().at(0);
    return {times.to_device, times.computation, times.from_device};
  }

  [[nodiscard]] std::vector<std::span<const std::byte>> results() override {
    std::vector<std::span<const std::byte>> all;
    std::apply([&all](auto&... tiles) { (all.push_back(std::as_bytes(tiles.values())), ...); }, tiles_);
    all.erase(all.begin(), all.begin() + kInputs);
    return all;
  }

 private:
  std::unique_ptr<MultiController> controller_;
  std::unique_ptr<MultiController> timed_;
  Tiles tiles_;
  Pass pass_;
};

template <std::size_t kInputs, class Tiles, class Pass>
std::unique_ptr<CaseRun> made(std::unique_ptr<MultiController> controller, Tiles tiles, Pass pass) {
  return std::make_unique<ForelapRun<kInputs, Tiles, Pass>>(std::move(controller), std::move(tiles), std::move(pass));
}

std::unique_ptr<CaseRun> make_add(std::unique_ptr<MultiController> devices, std::int64_t side) {
  auto tiles = std::make_tuple(devices->tile<float>({side, side}), devices->tile<float>({side, side}),
                               devices->tile<float>({side, side}, "c"));
  cases::fill_matrix_add(std::get<0>(tiles).values(), std::get<1>(tiles).values());
  return made<2>(std::move(devices), std::move(tiles), [](MultiController& on, auto& all) {
    auto& [a, b, c] = all;
    on.partition(a, b, c);
    on.launch(add, a, b, c);
    on.detach(a, b, c);
  });
}

std::unique_ptr<CaseRun> make_options(std::unique_ptr<MultiController> devices, std::int64_t count, int launches) {
  auto tiles =
      std::make_tuple(devices->tile<float>({count}), devices->tile<float>({count}), devices->tile<float>({count}),
                      devices->tile<float>({count}, "call"), devices->tile<float>({count}, "put"));
  cases::fill_black_scholes(std::get<0>(tiles).values(), std::get<1>(tiles).values(), std::get<2>(tiles).values());
  return made<3>(std::move(devices), std::move(tiles), [launches](MultiController& on, auto& all) {
    auto& [price, strike, years, call, put] = all;
    on.partition(price, strike, years, call, put);
    for (int i = 0; i < launches; ++i) on.launch(price_options, price, strike, years, call, put, kRate, kVolatility);
    on.detach(price, strike, years, call, put);
  });
}

void launch_rows(const NativeLaunch& launch) {
  const std::int64_t side = launch.arguments.at(1).extents[0];
  // Where row `first` of an argument is.
  const auto row = [&launch, side](std::size_t i, std::int64_t first) {
    const auto& argument = launch.arguments.at(i);
    return reinterpret_cast<float*>(argument.memory) + (first - argument.first) * side;
  };
  launch_multiply_rows(launch.queue, row(0, launch.first), row(1, 0), row(2, launch.first),
                       static_cast<int>(launch.rows), static_cast<int>(side));
}

/// The kernel for a way of multiplying, with its versions.
auto product_by(Work work) {
  switch (work) {
    case Work::multiply_tiled:
      return tiled_product.version(DeviceKind::cuda, kTiledBody, {32, 32, 1});
    case Work::multiply_rows:
      return rows_product.wrapper(DeviceKind::cuda, launch_rows);
    case Work::multiply_library:
      return library_product.is_matrix_product();
    default:
      return plain_product;
  }
}

std::unique_ptr<CaseRun> make_product(std::unique_ptr<MultiController> devices, std::int64_t side, Work work) {
  auto tiles = std::make_tuple(devices->tile<float>({side, side}), devices->tile<float>({side, side}),
                               devices->tile<float>({side, side}, "c"));
  cases::fill_matrix_multiply(std::get<0>(tiles).values(), std::get<1>(tiles).values());
  return made<2>(std::move(devices), std::move(tiles), [kernel = product_by(work)](MultiController& on, auto& all) {
    auto& [a, b, c] = all;
    on.partition(a, c);
    on.replicate(b);
    on.launch(kernel, a, b, c);
    on.detach(a, b, c);
  });
}

std::unique_ptr<CaseRun> make_image(std::unique_ptr<MultiController> devices, std::int64_t side) {
  auto tiles = std::make_tuple(devices->tile<int>({side, side}, "image"));
  return made<0>(std::move(devices), std::move(tiles), [](MultiController& on, auto& all) {
    auto& image = std::get<0>(all);
    on.partition(image);
    on.launch(draw, image, kIterations);
    on.detach(image);
  });
}

}  // namespace

std::unique_ptr<CaseRun> make_forelap(const Case& what, int chunks) {
  auto devices = std::make_unique<MultiController>(std::vector<std::string>{"cuda:0"}, options_for(chunks, false));
  switch (what.work) {
    case Work::matrix_add:
      return make_add(std::move(devices), what.size);
    case Work::black_scholes:
      return make_options(std::move(devices), what.size, what.launches);
    case Work::mandelbrot:
      return make_image(std::move(devices), what.size);
    default:
      return make_product(std::move(devices), what.size, what.work);
  }
}

}  // namespace forelap::bench
