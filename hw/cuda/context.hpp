#pragma once
// The device's primary context, shared by everything that this process has open on the device.

#include <memory>

#include "hw/cuda/handles.hpp"
#include "hw/cuda/part.hpp"

namespace forelap::hw::cuda {

/// Holds a device's primary context. Everything that lives on the device keeps a shared_ptr to it.
///
/// The driver's calls work on the calling thread's current context, and any thread may call into this backend, so that
/// every entry makes the context current first; that costs some tens of nanoseconds.
class Context {
 public:
  /// Throws core::Error (unavailable) where the device does not open, with the driver's words.
  /// `multiprocessors` above 0: streams made here run kernels on that many or a few more of the device's, no others.
  explicit Context(int ordinal, unsigned multiprocessors = 0);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void make_current() const;
  /// A stream that waits for no other unless it is told to. The context must be current.
  [[nodiscard]] StreamHandle make_stream() const;
  /// The part of the device that streams run on; null: all of it.
  [[nodiscard]] const Part* part() const { return part_.get(); }
  /// For destructors: false where the context cannot be used any more, so that there is nothing to release.
  [[nodiscard]] bool try_make_current() const noexcept;

 private:
  int device_ = 0;  ///< CUdevice
  ContextHandle context_ = nullptr;
  std::unique_ptr<Part> part_;
};

}  // namespace forelap::hw::cuda
