#pragma once
// The proxy behind its door: what workers, the proxy's thread and the watching threads share. Internal to hw/proxy.

#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/stop_token.hpp"
#include "hw/proxy/adviser.hpp"
#include "hw/proxy/device_context.hpp"
#include "hw/proxy/host_pool.hpp"
#include "hw/proxy/proxy.hpp"

namespace forelap::hw::proxy {

/// Members are grouped by who may touch them; `mutex_` is never held while a device, a policy or a future is called.
class Core : public WatchSink, public CancelTarget, public std::enable_shared_from_this<Core> {
 public:
  using Clock = std::chrono::steady_clock;

  Core(const Options& options, DeviceFactory factory, std::unique_ptr<core::Policy> policy);
  ~Core() override;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  void start();

  // ---- workers (core_workers.cpp) ----
  /// `until` nothing: wait for room as long as it takes. Nothing where there was no room until then.
  std::optional<Future> submit(const Task& task, std::optional<Clock::time_point> until);
  bool cancel(core::TaskKey key) override;
  HostBuffer allocate(std::uint64_t bytes);
  void define(const std::string& name, const core::KernelSource& source) { kernels_.define(name, source); }
  void shutdown(Shutdown how);
  [[nodiscard]] Statistics statistics();
  [[nodiscard]] const DeviceInfo& info() const { return info_; }

  // ---- watching threads (core_watch.cpp) ----
  void passed(std::vector<Watch> watches) override;
  void lost(const std::string& cause) override;

 private:
  // ---- workers ----
  bool reserve(std::optional<Clock::time_point> until);
  void check_open() const;  ///< with the lock
  JobPtr make_job(const Task& task, const std::shared_ptr<TaskState>& state);
  Future accept(JobPtr job);
  void release_reservation();
  void wake_submitters(std::size_t freed);  ///< with the lock

  // ---- any thread (core_watch.cpp) ----
  [[nodiscard]] core::Tick now() const;
  /// These have ended: gives their memory back, counts them, makes their futures ready.
  void end(std::vector<JobPtr> jobs, core::Tick at, Mark mark);
  void end(JobPtr job);
  void count_end(const Job& job, core::Tick at);       ///< with the lock
  void leave_device(std::size_t jobs, core::Tick at);  ///< with the lock

  // ---- the proxy's thread (core_loop.cpp) ----
  void run();
  void await_work(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool has_work() const;
  [[nodiscard]] bool idle() const;
  void step(std::unique_lock<std::mutex>& lock);
  void tell_policy(std::unique_lock<std::mutex>& lock);
  void tell_taken_in(std::optional<core::Tick> when);
  void take_group(std::unique_lock<std::mutex>& lock, core::Tick asked);
  void prepare(std::unique_lock<std::mutex>& lock);
  void submit_ordered(std::unique_lock<std::mutex>& lock);
  /// The next job in order with its memory; null where there is none now.
  JobPtr next_ordered(std::unique_lock<std::mutex>& lock);
  /// False where there is none now. Where the job cannot have it, or its kernel, `failure` is set.
  bool equip(Job& job);
  void put_on_device(std::vector<JobPtr> jobs);
  void close_group(std::unique_lock<std::mutex>& lock);
  void withdraw_all(std::unique_lock<std::mutex>& lock, const Failure& why);

  // ---- the proxy's thread after a fault (core_recovery.cpp) ----
  void open_device();
  void recover(std::unique_lock<std::mutex>& lock);
  void fail_in_flight(const std::string& cause);
  void unpin_waiting();  ///< with the lock
  /// Nothing where a device is open again, else why not.
  std::optional<std::string> reopen(std::unique_lock<std::mutex>& lock);

  // Set at construction.
  const Options options_;
  const DeviceFactory factory_;
  const Clock::time_point made_ = Clock::now();
  std::shared_ptr<HostPool> host_pool_ = std::make_shared<HostPool>();
  KernelShelf kernels_;
  DeviceInfo info_;
  std::uint64_t memory_limit_ = 0;

  // Of the proxy's thread.
  Adviser adviser_;
  std::unique_ptr<DeviceContext> context_;
  std::unique_ptr<Submission> submission_;
  std::deque<core::TaskKey> ordered_;             ///< of the open group, not yet on the device
  std::unordered_set<core::TaskKey> copying_in_;  ///< submitted, of an input whose end the policy was not told
  bool in_batches_ = false;                       ///< the open group is submitted as far as its memory reaches at once
  std::uint64_t epoch_ = 0;                       ///< of the kernels that are built for this device
  core::Tick prepared_until_ = 0;

  mutable std::mutex mutex_;  ///< guards all that follows
  std::condition_variable work_;
  std::condition_variable room_;
  std::condition_variable quiet_;                      ///< the proxy's thread has ended
  std::unordered_map<core::TaskKey, JobPtr> waiting_;  ///< accepted, not on the device
  std::vector<core::TaskKey> arrivals_;                ///< of them, not yet told to the policy
  std::vector<Notice> notices_;                        ///< for the policy
  core::TaskKey next_key_ = 1;
  std::size_t reserved_ = 0;  ///< workers that prepare a task
  std::size_t blocked_ = 0;   ///< workers that wait for room
  std::size_t in_flight_ = 0;
  bool lane_free_ = true;  ///< the device has taken in the open group's last input
  core::Tick free_since_ = 0;
  bool waited_when_freed_ = false;            ///< tasks waited then
  std::optional<core::Tick> group_taken_in_;  ///< to be told to the policy
  bool prepare_due_ = false;      ///< tasks were left over when a group was taken, or the group nears its end
  bool asked_in_vain_ = false;    ///< the policy gave no order, and nothing has happened since
  bool memory_freed_ = true;      ///< since memory was last refused
  bool wants_arrivals_ = false;   ///< an arrival wakes the proxy's thread
  bool wants_endings_ = false;    ///< an end of a task does
  core::Tick prepare_again_ = 0;  ///< not earlier than this
  std::optional<core::StopSource> thinking_;  ///< the policy thinks while a group runs
  std::optional<std::string> fault_;
  std::optional<std::string> broken_;  ///< the device does not open any more
  std::optional<Shutdown> closing_;
  bool ended_ = false;
  core::Tick busy_since_ = 0;
  Statistics counts_;
  std::shared_ptr<DevicePool> pool_;

  // Threads, last: they start when the rest is there.
  std::array<std::unique_ptr<Lane>, kStages> lanes_;
  std::thread thread_;
};

}  // namespace forelap::hw::proxy
