#pragma once
// Matrix products by libraries, loaded by name the first time one is wanted: nothing of them is needed to build or
// start.

#include <memory>
#include <string>
#include <vector>

#include "hw/controller/kernel_definition.hpp"

namespace forelap::hw::controller {

/// A library's product of row-major matrices, or why there is none.
struct BlasChoice {
  std::string library;  ///< "libopenblas.so.0"; empty: none
  std::string reason;   ///< why it was taken, or what is missing and its package
};

/// The CBLAS of this process: OpenBLAS, else whatever provides libblas.so.3 and cblas_sgemm. It is used on one thread
/// at a time for each core, so OpenBLAS is told to start no threads of its own.
const BlasChoice& find_cblas();
/// c = a b for the rows of a slice, by the library that `find_cblas` found.
void multiply_by_cblas(const CpuSlice& slice);

/// cuBLAS, by the newest of its versions that is here.
const BlasChoice& find_cublas();
/// Multiplies on the device that is current where it is first called; for one unit. Throws core::Error (device_failed)
/// with the library's status.
NativeFunction make_cublas_product();

}  // namespace forelap::hw::controller
