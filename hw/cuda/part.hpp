#pragma once
// A part of a device's multiprocessors, by a green context (CUDA 12.5 and later).

#include "hw/cuda/handles.hpp"

struct CUgreenCtx_st;

namespace forelap::hw::cuda {

/// Streams of a part run kernels on its multiprocessors only; everything else of the device they use like others. The
/// device's context stays the current one: a green context may be current on one thread only, its streams are free.
class Part {
 public:
  /// At least `multiprocessors` of the device, whose context exists: the driver grants multiples of a few. Throws
  /// core::Error: bad_input naming how many the device has, unavailable where the driver has no green contexts.
  Part(int device, unsigned multiprocessors);
  ~Part();
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  [[nodiscard]] StreamHandle make_stream() const;
  [[nodiscard]] unsigned granted() const { return granted_; }

 private:
  CUgreenCtx_st* green_ = nullptr;
  unsigned granted_ = 0;
};

}  // namespace forelap::hw::cuda
