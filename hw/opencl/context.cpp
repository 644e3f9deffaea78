#include "hw/opencl/context.hpp"

#include "core/error.hpp"
#include "hw/opencl/error.hpp"

namespace forelap::hw::opencl {
namespace {

void CL_CALLBACK hear(const char* words, const void*, std::size_t, void* listener) {
  static_cast<DriverWords*>(listener)->say(words);
}

}  // namespace

void DriverWords::say(const char* words) {
  const std::lock_guard lock(mutex_);
  words_ = words != nullptr ? words : "";
}

std::string DriverWords::suffix() {
  const std::lock_guard lock(mutex_);
  return words_.empty() ? std::string() : ": " + words_;
}

Context::Context(const FoundDevice& found) : device(found.id), info(found.info) {
  cl_int code = CL_SUCCESS;
  context = ContextHandle(clCreateContext(nullptr, 1, &device, hear, &words, &code));
  check(code, "opening " + info.identity.name);
  service = make_queue(false);
}

void Context::check(cl_int code, const std::string& what) {
  if (code == CL_SUCCESS) return;
  core::throw_device_failed("OpenCL: " + what + " failed: " + error_name(code) + words.suffix());
}

QueueHandle Context::make_queue(bool profiling) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue_properties properties = profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
  QueueHandle queue(clCreateCommandQueue(context.get(), device, properties, &code));
  check(code, "making a queue");
  return queue;
}

void Context::wait(std::span<const cl_event> events) {
  if (events.empty()) return;
  const cl_int code = clWaitForEvents(static_cast<cl_uint>(events.size()), events.data());
  // The wait's own code only says that one failed; the event knows how.
  for (const cl_event event : events) {
    cl_int status = CL_COMPLETE;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
    if (status < 0) check(status, "a command");
  }
  check(code, "waiting for a command");
}

}  // namespace forelap::hw::opencl
