#pragma once
// OpenCL objects with owners.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <utility>

namespace forelap::hw::opencl {

/// Owns one reference to an OpenCL object.
template <class T, cl_int (*Retain)(T), cl_int (*Release)(T)>
class Handle {
 public:
  Handle() = default;
  /// Takes over the caller's reference.
  explicit Handle(T object) : object_(object) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// A second owner of the same object.
  [[nodiscard]] Handle share() const {
    if (object_ != nullptr) Retain(object_);
    return Handle(object_);
  }
  /// Where a call that creates an object writes it; what was owned is released first.
  T* out() {
    reset();
    return &object_;
  }
  void reset() {
    if (object_ != nullptr) Release(std::exchange(object_, nullptr));
  }

 private:
  T object_ = nullptr;
};

using ContextHandle = Handle<cl_context, clRetainContext, clReleaseContext>;
using QueueHandle = Handle<cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue>;
using MemoryHandle = Handle<cl_mem, clRetainMemObject, clReleaseMemObject>;
using ProgramHandle = Handle<cl_program, clRetainProgram, clReleaseProgram>;
using KernelHandle = Handle<cl_kernel, clRetainKernel, clReleaseKernel>;
using EventHandle = Handle<cl_event, clRetainEvent, clReleaseEvent>;

}  // namespace forelap::hw::opencl
