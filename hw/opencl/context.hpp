#pragma once
// A device's OpenCL context, with what all its objects share.

#include <memory>
#include <mutex>
#include <string>

#include "hw/opencl/handles.hpp"
#include "hw/opencl/platforms.hpp"

namespace forelap::hw::opencl {

/// What the driver said last through the context's callback.
class DriverWords {
 public:
  void say(const char* words);
  /// ": words", or empty where nothing was said.
  [[nodiscard]] std::string suffix();

 private:
  std::mutex mutex_;
  std::string words_;
};

struct Context {
  explicit Context(const FoundDevice& found);

  /// Throws core::Error (device_failed) with the driver's words, unless `code` is CL_SUCCESS.
  void check(cl_int code, const std::string& what);
  [[nodiscard]] QueueHandle make_queue(bool profiling);
  /// Waits for the events, all of this context. Throws core::Error naming the failed command's code.
  void wait(std::span<const cl_event> events);

  DriverWords words;  ///< before the context, whose callback uses it
  cl_device_id device;
  DeviceInfo info;
  ContextHandle context;
  std::mutex service_mutex;
  QueueHandle service;  ///< for mapping and first touches; one thread at a time
};

}  // namespace forelap::hw::opencl
