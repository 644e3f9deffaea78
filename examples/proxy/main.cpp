// Four threads offload tasks of various kernels and sizes to one device through a forelap::Proxy and check what comes
// back.
//
//   proxy_example [DEVICE [MACHINE]]     such as: proxy_example opencl machine.yaml
//
// With a profile of the machine (forelap calibrate) the proxy chooses the order of the tasks that wait; without one
// they run as they come. Ends with 0 where all results are right, 1 where one is wrong, 3 where the device is not here.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <forelap/proxy.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kTasks = 25;

/// A kernel of one's own, for devices that compile OpenCL C.
constexpr const char* kDistance = R"(
__kernel void distance_to(__global const float* x, __global const float* y, __global float* result, float px, float py,
                          int n) {
  const int i = get_global_id(0);
  if (i < n) result[i] = (x[i] - px) * (x[i] - px) + (y[i] - py) * (y[i] - py);
}
)";

/// One buffer, copied in and out: each number times 3, ten times over.
bool multiply(forelap::Proxy& proxy, int n) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(n), 2);
  proxy.submit({.kernel = "synthetic", .arguments = {forelap::inout(numbers), n, 10, 3}, .items = n}).get();
  for (const std::int32_t number : numbers) {
    if (number != 2 * 59049) return false;
  }
  return true;
}

/// Pinned memory of the proxy, kept over several tasks: two vectors and their sum in one buffer.
bool add(forelap::Proxy& proxy, const forelap::HostBuffer& memory, int n) {
  const auto part = static_cast<std::size_t>(n);
  const auto all = memory.as<float>();
  for (std::size_t i = 0; i < part; ++i) {
    all[i] = static_cast<float>(i);
    all[part + i] = 0.5F;
  }
  proxy.submit({.kernel = "vector_add", .arguments = {forelap::inout(memory), n, 1}, .items = n}).get();
  for (std::size_t i = 0; i < part; ++i) {
    if (all[2 * part + i] != static_cast<float>(i) + 0.5F) return false;
  }
  return true;
}

/// Three buffers and a kernel of one's own.
bool measure_distances(forelap::Proxy& proxy, int n) {
  std::vector<float> x(static_cast<std::size_t>(n), 3.0F);
  std::vector<float> y(static_cast<std::size_t>(n), 4.0F);
  std::vector<float> result(static_cast<std::size_t>(n));
  forelap::Task task{.kernel = "distance_to",
                     .arguments = {forelap::in(x), forelap::in(y), forelap::out(result), 0.0F, 0.0F, n},
                     .items = n};
  proxy.submit(task).get();
  for (const float distance : result) {
    if (distance != 25.0F) return false;
  }
  return true;
}

/// Several tasks at once: the thread goes on while they run, and asks for the results later.
bool copy_many(forelap::Proxy& proxy, int n) {
  std::vector<std::vector<std::int32_t>> from(4, std::vector<std::int32_t>(static_cast<std::size_t>(n), 7));
  std::vector<std::vector<std::int32_t>> to(4, std::vector<std::int32_t>(static_cast<std::size_t>(n)));
  std::vector<forelap::Future> futures;
  for (std::size_t i = 0; i < from.size(); ++i) {
    futures.push_back(proxy.submit({.arguments = {forelap::inout(from[i], to[i])}, .name = "copy there and back"}));
  }
  for (forelap::Future& future : futures) future.get();
  return from == to;
}

/// What the `worker`-th thread does for its `i`-th task.
bool run_task(forelap::Proxy& proxy, int worker, int i, const forelap::HostBuffer& memory, bool compiles) {
  const int n = 1000 * (1 + (7 * worker + 3 * i) % 20);
  switch (worker) {
    case 0:
      return multiply(proxy, n);
    case 1:
      return add(proxy, memory, n);
    case 2:
      return compiles ? measure_distances(proxy, n) : multiply(proxy, n);
    default:
      return copy_many(proxy, n);
  }
}

int run(const std::string& device, const std::string& machine) {
  forelap::Proxy proxy({.device = device, .machine = machine});
  const bool compiles = proxy.device().rfind("opencl", 0) == 0;
  if (compiles) proxy.define("distance_to", {.text = kDistance, .entry = "distance_to"});
  std::atomic<int> wrong{0};
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 4; ++worker) {
    workers.emplace_back([&, worker] {
      try {
        const forelap::HostBuffer memory = proxy.allocate(3 * 20'000 * sizeof(float));
        for (int i = 0; i < kTasks; ++i) wrong += run_task(proxy, worker, i, memory, compiles) ? 0 : 1;
      } catch (const std::exception& error) {
        std::fprintf(stderr, "worker %d: %s\n", worker, error.what());
        ++wrong;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  const forelap::ProxyStatistics done = proxy.statistics();
  std::printf("%s, policy %s: %llu tasks in %llu groups, %d wrong\n", proxy.device().c_str(), done.policy.c_str(),
              static_cast<unsigned long long>(done.finished), static_cast<unsigned long long>(done.groups),
              wrong.load());
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "auto", argc > 2 ? argv[2] : "");
  } catch (const forelap::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.kind() == forelap::ErrorKind::unavailable ? 3 : 2;
  }
}
