#pragma once
// Tasks whose results are known, and policies that tell what they were told.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "hw/proxy/arrival_order.hpp"
#include "hw/proxy/proxy.hpp"
#include "tests/hw/proxy/scripted_device.hpp"

namespace forelap::hw::proxy {

/// Integers 1, 2, ... that a task multiplies by 3.
inline std::vector<std::int32_t> numbers(std::size_t n) {
  std::vector<std::int32_t> values(n);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

inline std::vector<std::int32_t> tripled(std::size_t n) {
  std::vector<std::int32_t> values = numbers(n);
  for (auto& value : values) value *= 3;
  return values;
}

template <class Buffer>
Task triple(Buffer&& values, std::size_t n, const std::string& name = "triple") {
  return {.kernel = "synthetic",
          .arguments = {inout(values), static_cast<std::int32_t>(n), std::int32_t{1}, std::int32_t{3}},
          .items = n,
          .name = name};
}

/// The core::Error that `body` throws; fails the test where it throws none.
template <class Body>
core::Error error_of(Body body) {
  try {
    body();
  } catch (const core::Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {core::ErrorKind::bad_input, ""};
}

inline core::Error error_of(Future& future) {
  return error_of([&] { future.get(); });
}

inline bool holds(const core::Error& error, const std::string& words) {
  return std::string(error.what()).find(words) != std::string::npos;
}

/// What a policy was told, shared with the test.
class Record {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  [[nodiscard]] std::size_t position(const std::string& line) const {
    const auto all = lines();
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), line) - all.begin());
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// The order of arrival, backwards, with a record.
class Backwards : public core::Policy {
 public:
  explicit Backwards(std::shared_ptr<Record> record) : record_(std::move(record)) {}
  [[nodiscard]] std::string name() const override { return "backwards"; }
  void arrived(const core::OpenTask& task, core::Tick now) override {
    inner_.arrived(task, now);
    note("arrived", task.key, now);
  }
  void withdrawn(core::TaskKey task, core::Tick now) override {
    inner_.withdrawn(task, now);
    note("withdrawn", task, now);
  }
  void transferred(core::TaskKey task, core::Tick now) override { note("transferred", task, now); }
  void finished(core::TaskKey task, core::Tick now) override { note("finished", task, now); }
  std::vector<core::TaskKey> next(core::Tick now, const core::StopToken& hurry) override {
    auto order = inner_.next(now, hurry);
    if (!order.empty() && while_asked) while_asked();
    std::reverse(order.begin(), order.end());
    std::string line = "group";
    for (const core::TaskKey key : order) line += " " + std::to_string(key);
    if (!order.empty()) record_->add(line);
    return order;
  }
  void prepare(core::Tick, const core::StopToken&) override { record_->add("prepare"); }

  std::function<void()> while_asked;  ///< what happens while it orders a group

 private:
  void note(const std::string& what, core::TaskKey key, core::Tick now) {
    record_->add(what + " " + std::to_string(key));
    if (now < last_) record_->add("time runs backwards");
    last_ = now;
  }
  ArrivalOrder inner_;
  std::shared_ptr<Record> record_;
  core::Tick last_ = 0;
};

/// A proxy on a scripted device.
inline std::unique_ptr<Proxy> scripted(test::Stage& stage, const Options& options = {},
                                       std::unique_ptr<core::Policy> policy = nullptr) {
  return std::make_unique<Proxy>(
      options, [&stage] { return std::make_shared<test::ScriptedDevice>(stage); }, std::move(policy));
}

/// Waits until `count` tasks are on the device (bounded by the test's own time limit).
inline void await_in_flight(const Proxy& proxy, std::size_t count) {
  while (proxy.statistics().in_flight < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
inline void await_waiting(const Proxy& proxy, std::size_t count) {
  while (proxy.statistics().waiting < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace forelap::hw::proxy
