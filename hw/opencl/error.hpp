#pragma once
// OpenCL's error codes in words.

#include <string>

#include "hw/opencl/handles.hpp"

namespace forelap::hw::opencl {

/// "CL_OUT_OF_RESOURCES", or "error -5" for a code that has no name here.
std::string error_name(cl_int code);

/// Throws core::Error (device_failed) saying what failed, unless `code` is CL_SUCCESS.
void check(cl_int code, const std::string& what);

}  // namespace forelap::hw::opencl
