#include "tests/hw_cuda/fake_driver.hpp"

#include <cuda.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hw/kernels/library.hpp"

// The driver's handles are pointers to these.
struct CUctx_st {};
struct CUmod_st {};

namespace {

using forelap::hw::cuda::FakeDriver;
using Clock = std::chrono::steady_clock;

struct Record {
  std::atomic<bool> done{false};
  Clock::time_point when;
};

FakeDriver knobs;
std::atomic<int> fault{CUDA_SUCCESS};  // as in the real driver, every call returns it once a kernel has faulted
thread_local CUcontext current = nullptr;

/// The parameters of a launch, copied as the driver does.
using Parameters = std::vector<std::vector<std::byte>>;

template <class T>
T value(const Parameters& parameters, std::size_t i) {
  T result;
  std::memcpy(&result, parameters[i].data(), sizeof(T));
  return result;
}

}  // namespace

struct CUevent_st {
  std::mutex mutex;
  std::shared_ptr<Record> record;
};

struct CUfunc_st {
  std::string name;
  std::vector<std::size_t> sizes;
  std::function<void(const Parameters&, std::size_t items)> run;
};

struct CUstream_st {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> work;
  std::size_t unfinished = 0;
  bool closing = false;
  std::thread worker{[this] { run(); }};

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return closing || !work.empty(); });
      if (work.empty()) return;
      auto next = std::move(work.front());
      work.pop_front();
      lock.unlock();
      if (fault == CUDA_SUCCESS) next();
      next = nullptr;
      lock.lock();
      if (--unfinished == 0) changed.notify_all();
    }
  }
  void add(std::function<void()> item) {
    const std::lock_guard lock(mutex);
    work.push_back(std::move(item));
    ++unfinished;
    changed.notify_all();
  }
};

namespace {

void run_gate(const Parameters& parameters, std::size_t) {
  auto* flag = value<std::uint32_t*>(parameters, 0);
  while (std::atomic_ref<std::uint32_t>(*flag).load() == 0 && !knobs.let_go) std::this_thread::yield();
}

/// A built-in kernel, run as a pool of CPU threads would.
CUfunc_st builtin(const forelap::hw::kernels::CpuForm& form) {
  CUfunc_st function;
  function.name = form.name;
  for (const std::uint8_t type : form.parameters) function.sizes.push_back(type == 1 || type == 3 ? 4 : 8);
  function.run = [form](const Parameters& parameters, std::size_t items) {
    std::vector<void*> arguments;
    std::vector<std::int64_t> numbers(forelap::hw::kernels::kMostArguments);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const bool buffer = form.parameters[i] == 0;
      arguments.push_back(buffer ? value<void*>(parameters, i) : const_cast<std::byte*>(parameters[i].data()));
      if (form.parameters[i] == 1) numbers[i] = value<std::int32_t>(parameters, i);
    }
    form.run(0, form.items != nullptr ? form.items(numbers) : items, arguments);
  };
  return function;
}

/// The kernels of the tests, by their names in the compiled code.
std::map<std::string, CUfunc_st>& functions() {
  static std::map<std::string, CUfunc_st> all = [] {
    std::map<std::string, CUfunc_st> made;
    made["forelap_gate"] = {"forelap_gate", {8, 8, 8}, run_gate};
    made["_Z7add_onePj"] = {"add_one", {8}, [](const Parameters& parameters, std::size_t items) {
                              auto* words = value<std::uint32_t*>(parameters, 0);
                              for (std::size_t i = 0; i < items; ++i) ++words[i];
                            }};
    made["_Z3mixPdixfd"] = {"mix", {8, 4, 8, 4, 8}, [](const Parameters& p, std::size_t) {
                              *value<double*>(p, 0) = value<std::int32_t>(p, 1) +
                                                      static_cast<double>(value<std::int64_t>(p, 2)) +
                                                      value<float>(p, 3) + value<double>(p, 4);
                            }};
    made["_Z1fPii"] = {"f", {8, 4}, [](const Parameters&, std::size_t) {}};
    made["_Z1fv"] = {"f", {}, [](const Parameters&, std::size_t) {}};
    made["_Z1fPi"] = {"f", {8}, [](const Parameters&, std::size_t) { fault = CUDA_ERROR_ILLEGAL_ADDRESS; }};
    for (const std::string& name : forelap::hw::kernels::kernel_names()) {
      made[name] = builtin(*forelap::hw::kernels::cpu_form(name));
    }
    return made;
  }();
  return all;
}

/// A fault or, for a call on a thread without context, an error; else `result`.
CUresult after_checks(CUresult result = CUDA_SUCCESS) {
  if (current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return fault != CUDA_SUCCESS ? static_cast<CUresult>(fault.load()) : result;
}

CUctx_st context;

void run_copy(CUstream stream, void* to, const void* from, std::size_t bytes) {
  stream->add([=] { std::memcpy(to, from, bytes); });
}

void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

CUresult allocate(void** memory, std::size_t bytes) {
  // Larger than the device that cuDeviceTotalMem describes.
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > (std::size_t{1} << 33U)) return CUDA_ERROR_OUT_OF_MEMORY;
  *memory = std::malloc(bytes);
  if (*memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  ++knobs.live_objects;
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

FakeDriver* forelap_fake_driver() {
  return &knobs;
}

CUresult CUDAAPI cuInit(unsigned) {
  return static_cast<CUresult>(knobs.init_result.load());
}
CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = knobs.version;
  return CUDA_SUCCESS;
}
/// NVRTC asks a driver that it finds for functions of its own; a table that holds nothing but its size has none.
CUresult CUDAAPI cuGetExportTable(const void** table, const CUuuid*) {
  static const std::size_t kEmpty = sizeof(std::size_t);
  *table = &kEmpty;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorName(CUresult error, const char** name) {
  static const std::map<int, const char*> kNames = {
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"}};
  const auto found = kNames.find(error);
  if (found == kNames.end()) return CUDA_ERROR_INVALID_VALUE;
  *name = found->second;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorString(CUresult, const char** words) {
  *words = "words of the driver";
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetCount(int* count) {
  *count = knobs.devices;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  *bytes = std::size_t{1} << 33U;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 4;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      *value = 1;  // claims nothing that a host of one core could not keep
      return CUDA_SUCCESS;
    default:
      *value = 0;
      return CUDA_SUCCESS;
  }
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* made, CUdevice) {
  if (knobs.open_result != CUDA_SUCCESS) return static_cast<CUresult>(knobs.open_result.load());
  ++knobs.live_objects;
  *made = &context;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice) {
  --knobs.live_objects;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxSetCurrent(CUcontext wished) {
  current = wished;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  if (const CUresult result = after_checks(); result != CUDA_SUCCESS) return result;
  void* memory = nullptr;
  const CUresult result = allocate(&memory, bytes);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return result;
}
CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  std::free(pointer(address));
  --knobs.live_objects;
  return after_checks();
}
CUresult CUDAAPI cuMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
  *free_bytes = *total = std::size_t{1} << 33U;
  return after_checks();
}
CUresult CUDAAPI cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  if (knobs.pin_result != CUDA_SUCCESS) return static_cast<CUresult>(knobs.pin_result.load());
  if (const CUresult result = after_checks(); result != CUDA_SUCCESS) return result;
  return allocate(memory, bytes);
}
CUresult CUDAAPI cuMemFreeHost(void* memory) {
  std::free(memory);
  --knobs.live_objects;
  return after_checks();
}
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return after_checks();
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  if (const CUresult result = after_checks(); result != CUDA_SUCCESS) return result;
  run_copy(stream, pointer(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  if (const CUresult result = after_checks(); result != CUDA_SUCCESS) return result;
  run_copy(stream, to, pointer(from), bytes);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreate(CUstream* stream, unsigned flags) {
  if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult result = after_checks(); result != CUDA_SUCCESS) return result;
  *stream = new CUstream_st;
  ++knobs.live_objects;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
  std::unique_lock lock(stream->mutex);
  stream->changed.wait(lock, [&] { return stream->unfinished == 0; });
  return after_checks();
}
CUresult CUDAAPI cuStreamDestroy(CUstream stream) {
  {
    const std::lock_guard lock(stream->mutex);
    stream->closing = true;
    stream->changed.notify_all();
  }
  stream->worker.join();
  delete stream;
  --knobs.live_objects;
  return after_checks();
}
CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  const std::lock_guard lock(event->mutex);
  // The last record at the time of the call; none is no wait.
  if (const std::shared_ptr<Record> record = event->record) {
    stream->add([record] {
      while (!record->done && fault == CUDA_SUCCESS) std::this_thread::yield();
    });
  }
  return after_checks();
}

CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned) {
  if (const CUresult result = after_checks(); result != CUDA_SUCCESS) return result;
  *event = new CUevent_st;
  ++knobs.live_objects;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventDestroy(CUevent event) {
  delete event;
  --knobs.live_objects;
  return after_checks();
}
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  if (const CUresult result = after_checks(); result != CUDA_SUCCESS) return result;
  const auto record = std::make_shared<Record>();
  {
    const std::lock_guard lock(event->mutex);
    event->record = record;
  }
  stream->add([record] {
    record->when = Clock::now();
    record->done = true;
  });
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventQuery(CUevent event) {
  const std::lock_guard lock(event->mutex);
  const bool done = !event->record || event->record->done;
  return after_checks(done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
}
CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  if (!from->record || !to->record) return CUDA_ERROR_INVALID_HANDLE;
  if (!from->record->done || !to->record->done) return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(to->record->when - from->record->when).count();
  return after_checks();
}

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  if (knobs.load_result != CUDA_SUCCESS) return static_cast<CUresult>(knobs.load_result.load());
  if (std::memcmp(image, "\177ELF", 4) != 0) return CUDA_ERROR_INVALID_IMAGE;
  *module = new CUmod_st;
  ++knobs.live_objects;
  return after_checks();
}
CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  delete module;
  --knobs.live_objects;
  return after_checks();
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  const auto found = functions().find(name);
  if (found == functions().end()) return CUDA_ERROR_NOT_FOUND;
  *function = &found->second;
  return after_checks();
}
CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = 1024;
  return after_checks();
}
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, std::size_t i, std::size_t* offset, std::size_t* size) {
  if (i >= function->sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * i;
  *size = function->sizes[i];
  return after_checks();
}
CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned groups, unsigned, unsigned, unsigned threads, unsigned,
                                unsigned, unsigned, CUstream stream, void** values, void**) {
  if (const CUresult result = after_checks(); result != CUDA_SUCCESS) return result;
  Parameters parameters;
  for (std::size_t i = 0; i < function->sizes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(values[i]);
    parameters.emplace_back(bytes, bytes + function->sizes[i]);
  }
  stream->add([=] { function->run(parameters, std::size_t{groups} * threads); });
  return CUDA_SUCCESS;
}

}  // extern "C"
