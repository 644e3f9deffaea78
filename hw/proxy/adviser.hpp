#pragma once
// Between the proxy and its policy: keeps the rules of core::Policy, gives it a deadline, and goes on without it where
// it throws. Internal to hw/proxy. Used by one thread.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "core/policy.hpp"
#include "core/stop_token.hpp"

namespace forelap::hw::proxy {

/// Something that the policy is to be told.
struct Notice {
  enum class Kind { withdrawn, transferred, finished };
  Kind kind = Kind::finished;
  core::TaskKey task = 0;
  core::Tick when = 0;
};

/// Requests a stop when a time has passed. Its thread sleeps until then, and exists only once it was needed.
class Alarm {
 public:
  ~Alarm();
  Alarm() = default;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  void set(core::StopSource source, std::chrono::nanoseconds after);
  void clear();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<core::StopSource> source_;
  std::chrono::steady_clock::time_point when_;
  bool closing_ = false;
  std::thread thread_;
};

class Adviser {
 public:
  /// `policy` null: the order of arrival. `think_time` bounds what `next` takes.
  Adviser(std::unique_ptr<core::Policy> policy, std::chrono::nanoseconds think_time);

  void arrived(const core::OpenTask& task, core::Tick now);
  void tell(const Notice& notice);
  void prepare(core::Tick now, const core::StopToken& hurry);
  /// The next group: tasks that wait, each once.
  std::vector<core::TaskKey> next(core::Tick now);
  /// All that waits in the order of arrival, where the policy gives none and nothing else will happen.
  std::vector<core::TaskKey> rest(core::Tick now);

  /// Whether `next` answers at once, whatever of finished() the policy has not been told yet.
  [[nodiscard]] bool knows_next() const { return policy_->knows_next(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  template <class Call>
  void guarded(core::Tick now, Call call);
  void give_up(const std::string& why, core::Tick now);
  core::Tick ordered(core::Tick now);

  std::unique_ptr<core::Policy> policy_;
  std::chrono::nanoseconds think_time_;
  std::string name_;
  std::string error_;
  core::Tick last_ = 0;
  std::unordered_set<core::TaskKey> waiting_;
  Alarm alarm_;
};

}  // namespace forelap::hw::proxy
