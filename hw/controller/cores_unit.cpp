// A group of CPU cores as a device: it computes in the host's memory, so nothing is copied.

#include <chrono>
#include <mutex>

#include "core/error.hpp"
#include "hw/controller/blas.hpp"
#include "hw/controller/geometry.hpp"
#include "hw/controller/host_thread.hpp"
#include "hw/controller/unit.hpp"
#include "hw/cpu/binding.hpp"
#include "hw/cpu/pool.hpp"

namespace forelap::hw::controller {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class CoresKernel : public ReadyKernel {
 public:
  CpuFunction function;
  NativeFunction native;    ///< in place of `function`
  bool whole_rows = false;  ///< the function does all columns of its rows
  std::int64_t fewest_rows = 1;
};

class CoresUnit : public Unit {
 public:
  CoresUnit(const std::string& name, const std::vector<unsigned>& cores, VersionWish wish)
      : name_(name), wish_(wish), pool_(cores), thread_([cores] { cpu::binding().bind_thread(cores); }, [] {}) {
    times_.device = name;
  }

  [[nodiscard]] const std::string& name() const override { return name_; }

  PlacePtr place(const std::shared_ptr<TileState>& tile, std::int64_t first, std::int64_t rows, bool partitioned,
                 bool /*upload*/) override {
    return std::make_shared<Place>(tile, first, rows, partitioned);
  }

  std::shared_ptr<ReadyKernel> make_ready(const KernelDefinition& kernel) override;
  void launch(std::shared_ptr<UnitLaunch> launch) override {
    thread_.post([this, launch = std::move(launch)] { run_guarded(*launch); });
  }
  Waiter bring_back(std::vector<PlacePtr> /*places*/) override { return finish(); }
  Waiter finish() override {
    return [this] {
      thread_.drain();
      if (const std::exception_ptr failure = take_failure()) std::rethrow_exception(failure);
    };
  }
  std::exception_ptr take_failure() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, nullptr);
  }
  DeviceTimes times() override {
    thread_.drain();
    return times_;
  }
  void reset_times() override {
    thread_.drain();
    times_ = {};
    times_.device = name_;
  }

 private:
  void run_guarded(const UnitLaunch& launch);
  void run(const UnitLaunch& launch);
  void run_blocks(const UnitLaunch& launch, std::span<const CpuArgument> arguments);

  std::string name_;
  VersionWish wish_;
  cpu::Pool pool_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  DeviceTimes times_;  ///< touched by the host thread, and by others while it is idle
  HostThread thread_;  ///< last: it uses the others
};

std::shared_ptr<ReadyKernel> CoresUnit::make_ready(const KernelDefinition& kernel) {
  auto ready = std::make_shared<CoresKernel>();
  const auto wrapper = kernel.wrappers.find(DeviceKind::cpu);
  const bool libraries = wish_ == VersionWish::automatic;
  if (libraries && wrapper != kernel.wrappers.end()) {
    ready->native = wrapper->second;
    ready->chosen = {"wrapper", "the kernel has a wrapper for CPU cores", {}};
  } else if (libraries && kernel.is_matrix_product && !find_cblas().library.empty()) {
    ready->function = multiply_by_cblas;
    ready->whole_rows = true;
    ready->fewest_rows = 64;
    ready->chosen = {"CBLAS (" + find_cblas().library + ")", find_cblas().reason, {}};
  } else if (wish_ != VersionWish::generic && kernel.cpu_version) {
    ready->function = kernel.cpu_version;
    ready->whole_rows = true;
    ready->chosen = {"specialised", "the kernel has a version for CPU cores", {}};
  } else {
    ready->function = kernel.run_on_cpu;
    const bool missed = libraries && kernel.is_matrix_product;
    ready->chosen = {"generic",
                     wish_ == VersionWish::generic ? "the generic version was asked for"
                     : missed                      ? find_cblas().reason
                                                   : "the kernel has no other version for CPU cores",
                     {}};
  }
  return ready;
}

void CoresUnit::run_guarded(const UnitLaunch& launch) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
  }
  try {
    run(launch);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

void CoresUnit::run(const UnitLaunch& launch) {
  const Clock::time_point begin = Clock::now();
  std::vector<CpuArgument> arguments;
  arguments.reserve(launch.arguments.size());
  for (const UnitArgument& argument : launch.arguments) {
    if (const PlacePtr* place = std::get_if<PlacePtr>(&argument)) {
      arguments.push_back({(*place)->tile()->data, (*place)->tile()->extents});
    } else {
      const auto address = [](const auto& value) { return const_cast<void*>(static_cast<const void*>(&value)); };
      arguments.push_back({std::visit(address, std::get<LaunchArgument>(argument)), {1, 1, 1}});
    }
  }
  run_blocks(launch, arguments);
  times_.computation += seconds_since(begin);
  ++times_.launches;
  times_.items += static_cast<std::uint64_t>(launch.rows);
}

void CoresUnit::run_blocks(const UnitLaunch& launch, std::span<const CpuArgument> arguments) {
  const auto& ready = dynamic_cast<const CoresKernel&>(*launch.ready);
  if (ready.native) {
    NativeLaunch native;
    native.first = launch.first;
    native.rows = launch.rows;
    native.space = launch.space;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto* value = std::get_if<LaunchArgument>(&launch.arguments[i]);
      native.arguments.push_back({value == nullptr ? reinterpret_cast<std::uint64_t>(arguments[i].data) : 0, 0,
                                  arguments[i].extents, value == nullptr ? LaunchArgument() : *value});
    }
    ready.native(native);
    return;
  }
  CpuBlocks blocks =
      cpu_blocks(launch.kernel->character, launch.kernel->indices.size(), launch.rows, launch.space, pool_.size());
  if (ready.whole_rows && blocks.row_blocks > 0) {
    const auto threads = static_cast<std::int64_t>(pool_.size());
    blocks.rows = std::max({ready.fewest_rows, launch.rows / (threads * 8), std::int64_t{1}});
    blocks.row_blocks = (launch.rows + blocks.rows - 1) / blocks.rows;
    blocks.columns = launch.space[1];
    blocks.column_blocks = 1;
  }
  const auto all = static_cast<std::size_t>(blocks.row_blocks * blocks.column_blocks);
  pool_.run(all, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      const auto row = static_cast<std::int64_t>(block) / blocks.column_blocks * blocks.rows;
      const auto column = static_cast<std::int64_t>(block) % blocks.column_blocks * blocks.columns;
      ready.function({{launch.first + row, column},
                      {launch.first + std::min(row + blocks.rows, launch.rows),
                       std::min(column + blocks.columns, launch.space[1])},
                      launch.space,
                      arguments});
    }
  });
}

}  // namespace

std::unique_ptr<Unit> make_cores_unit(const std::string& name, const std::vector<unsigned>& cores,
                                      const Options& options) {
  return std::make_unique<CoresUnit>(name, cores, options.version);
}

}  // namespace forelap::hw::controller
