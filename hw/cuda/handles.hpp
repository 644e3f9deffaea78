#pragma once
// The driver's handles by their opaque types, so that no header of this folder needs cuda.h.

struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUmod_st;
struct CUstream_st;

namespace forelap::hw::cuda {

using ContextHandle = CUctx_st*;
using EventHandle = CUevent_st*;
using FunctionHandle = CUfunc_st*;
using ModuleHandle = CUmod_st*;
using StreamHandle = CUstream_st*;
using DeviceAddress = unsigned long long;  ///< CUdeviceptr

}  // namespace forelap::hw::cuda
