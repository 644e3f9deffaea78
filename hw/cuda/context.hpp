#pragma once
// The device's primary context, shared by everything that this process has open on the device.

#include "hw/cuda/handles.hpp"

namespace forelap::hw::cuda {

/// Holds a device's primary context. Everything that lives on the device keeps a shared_ptr to it.
///
/// The driver's calls work on the calling thread's current context, and any thread may call into this backend, so that
/// every entry makes the context current first; that costs some tens of nanoseconds.
class Context {
 public:
  /// Throws core::Error (unavailable) where the device does not open, with the driver's words.
  explicit Context(int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void make_current() const;
  /// For destructors: false where the context cannot be used any more, so that there is nothing to release.
  [[nodiscard]] bool try_make_current() const noexcept;

 private:
  int device_ = 0;  ///< CUdevice
  ContextHandle context_ = nullptr;
};

}  // namespace forelap::hw::cuda
