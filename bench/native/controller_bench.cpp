// forelap::MultiController with one GPU against the native CUDA program, interleaved in one run: the same algorithm,
// pinned memory on both sides, the results compared. Above 1 the controller takes longer.
//
//   controller_bench [--small] [--samples N] [--seconds S] [--only TEXT]
//
// One JSON object a line. Ends with 1 where results differ, 3 where there is no CUDA device.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>

#include "bench/native/figures.hpp"

namespace {

using namespace forelap::bench;

constexpr int kChunks = 16;

template <class T>
T word_of(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

/// The two compilers may round exp differently, and fuse different multiplications and additions, which changes counts
/// of iterations near the border of the Mandelbrot set; there the largest part of words that may differ is 1 %. All
/// else is the same to the bit.
bool agree(const Case& what, std::span<const std::byte> one, std::span<const std::byte> other) {
  if (one.size() != other.size()) return false;
  if (std::memcmp(one.data(), other.data(), one.size()) == 0) return true;
  std::size_t different = 0;
  for (std::size_t at = 0; at + 4 <= one.size(); at += 4) {
    if (what.work == Work::black_scholes) {
      const float left = word_of<float>(one, at);
      if (!(std::fabs(left - word_of<float>(other, at)) <= 1e-4F * std::fmax(1.0F, std::fabs(left)))) return false;
    } else if (word_of<std::int32_t>(one, at) != word_of<std::int32_t>(other, at)) {
      ++different;
    }
  }
  return what.work == Work::black_scholes || (what.work == Work::mandelbrot && different <= one.size() / 400);
}

void check_results(const Case& what, CaseRun& native, CaseRun& forelap) {
  const auto expected = native.results();
  const auto found = forelap.results();
  bool same = expected.size() == found.size();
  for (std::size_t i = 0; same && i < found.size(); ++i) same = agree(what, expected[i], found[i]);
  if (!same) throw ResultsDiffer(what.name + ": the controller's results are not those of the native program");
}

/// Runs both in turns, each first in every other pair, so that neither always meets the warmer machine.
void compare_whole(const Options& options, const std::string& name, CaseRun& native, CaseRun& forelap) {
  std::vector<double> ratios, native_times, forelap_times;
  for (const Budget budget(options); budget.allows(ratios.size());) {
    double alone = ratios.size() % 2 == 0 ? timed(native) : 0;
    const double through = timed(forelap);
    if (ratios.size() % 2 == 1) alone = timed(native);
    ratios.push_back(through / alone);
    native_times.push_back(alone);
    forelap_times.push_back(through);
  }
  print_figure("controller against native, " + name, "x", ratios);
  print_figure("native, " + name, "s", native_times);
  print_figure("controller, " + name, "s", forelap_times);
}

void compare_parts(const Options& options, const std::string& name, CaseRun& native, CaseRun& forelap) {
  std::vector<double> to_device, computation, from_device;
  for (const Budget budget(options); budget.allows(computation.size());) {
    const Parts alone = native.run_apart();
    const Parts through = forelap.run_apart();
    if (alone.to_device > 0 && through.to_device > 0) to_device.push_back(through.to_device / alone.to_device);
    computation.push_back(through.computation / alone.computation);
    from_device.push_back(through.from_device / alone.from_device);
  }
  const std::string what = "controller against native, " + name;
  // Nothing is copied to the device for the Mandelbrot set; two marks in a stream are still some time apart.
  if (to_device.size() == computation.size()) print_figure(what + ", to the device", "x", to_device);
  print_figure(what + ", computation", "x", computation);
  print_figure(what + ", from the device", "x", from_device);
}

void compare(const Options& options, const Case& what) {
  const std::unique_ptr<CaseRun> native = make_native(what, 1);
  const std::unique_ptr<CaseRun> forelap = make_forelap(what, 1);
  for (int warm_up = 0; warm_up < 2; ++warm_up) {
    native->run();
    forelap->run();
  }
  check_right(what, *native);
  check_results(what, *native, *forelap);
  compare_whole(options, what.name, *native, *forelap);
  compare_parts(options, what.name, *native, *forelap);
}

/// The controller's chunks against the native program's on streams, and against the native program without.
void compare_chunked(const Options& options, const Case& what) {
  const std::unique_ptr<CaseRun> forelap = make_forelap(what, kChunks);
  for (const int chunks : {1, kChunks}) {
    const std::unique_ptr<CaseRun> native = make_native(what, chunks);
    for (int warm_up = 0; warm_up < 2; ++warm_up) {
      native->run();
      forelap->run();
    }
    check_results(what, *native, *forelap);
    const std::string against = chunks == 1 ? "synchronous native" : "native on three streams";
    compare_whole(options, what.name + " in " + std::to_string(kChunks) + " chunks, against " + against, *native,
                  *forelap);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read_options({argv + 1, argv + argc});
    const std::string obstacle = native_obstacle();
    if (!obstacle.empty()) {
      std::fputs((obstacle + "\n").c_str(), stderr);
      return 3;
    }
    for (const Case& what : case_studies(options.small)) {
      if (!is_wanted(options, what)) continue;
      compare(options, what);
      if (what.work == Work::matrix_add) compare_chunked(options, what);
    }
    return 0;
  } catch (const ResultsDiffer& error) {
    std::fputs((std::string(error.what()) + "\n").c_str(), stderr);
    return 1;
  } catch (const std::exception& error) {
    return end_of(error);
  }
}
