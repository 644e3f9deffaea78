// The case studies as a native CUDA program on one GPU, with pinned memory: whole times and their parts, for both sets
// of kernels (those that match the controller's generic ones, and those that plans run), and for the cases that copies
// rule also in chunks on three streams.
//
//   native_bench [--small] [--samples N] [--seconds S] [--only TEXT]
//
// One JSON object a line. Ends with 1 where a result is wrong, 3 where there is no CUDA device.

#include <cstdio>
#include <exception>

#include "bench/native/figures.hpp"

namespace {

using namespace forelap::bench;

constexpr int kChunks = 16;

void measure(const Options& options, const Case& what, int chunks) {
  const std::unique_ptr<CaseRun> run = make_native(what, chunks);
  const std::string name = "native " + what.name + (chunks > 1 ? ", " + std::to_string(chunks) + " chunks" : "");
  run->run();
  check_right(what, *run);
  std::vector<double> whole;
  for (const Budget budget(options); budget.allows(whole.size());) whole.push_back(timed(*run));
  print_figure(name + ", whole", "s", whole);
  if (chunks > 1) return;
  std::vector<double> to_device, computation, from_device;
  for (const Budget budget(options); budget.allows(computation.size());) {
    const Parts parts = run->run_apart();
    to_device.push_back(parts.to_device);
    computation.push_back(parts.computation);
    from_device.push_back(parts.from_device);
  }
  print_figure(name + ", to the device", "s", to_device);
  print_figure(name + ", computation", "s", computation);
  print_figure(name + ", from the device", "s", from_device);
}

bool gains_from_chunks(const Case& what) {
  return what.launches == 1 && (what.work == Work::matrix_add || what.work == Work::black_scholes);
}

void measure_all(const Options& options, const std::vector<Case>& cases) {
  for (const Case& what : cases) {
    if (!is_wanted(options, what)) continue;
    measure(options, what, 1);
    if (gains_from_chunks(what)) measure(options, what, kChunks);
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
    measure_all(options, case_studies(options.small));
    measure_all(options, cases_of_plans(options.small));
    return 0;
  } catch (const ResultsDiffer& error) {
    std::fputs((std::string(error.what()) + "\n").c_str(), stderr);
    return 1;
  } catch (const std::exception& error) {
    return end_of(error);
  }
}
