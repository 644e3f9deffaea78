// Parts of the fake driver's device: of 4 multiprocessors, granted in twos.

#include <cuda.h>

#include "tests/hw_cuda/fake_driver.hpp"

extern "C" {

CUresult CUDAAPI cuDeviceGetDevResource(CUdevice, CUdevResource* resource, CUdevResourceType type) {
  if (forelap_fake_driver()->part_result != CUDA_SUCCESS)
    return static_cast<CUresult>(forelap_fake_driver()->part_result.load());
  if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_VALUE;
  resource->type = type;
  resource->sm.smCount = 4;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevSmResourceSplitByCount(CUdevResource* result, unsigned* groups, const CUdevResource* whole,
                                             CUdevResource* rest, unsigned flags, unsigned least) {
  if (*groups != 1 || flags != 0 || whole->sm.smCount != 4) return CUDA_ERROR_INVALID_VALUE;
  *result = *rest = *whole;
  result->sm.smCount = (least + 1) / 2 * 2;
  rest->sm.smCount = 4 - result->sm.smCount;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevResourceGenerateDesc(CUdevResourceDesc* description, CUdevResource* resources, unsigned count) {
  if (count != 1 || resources->type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_VALUE;
  *description = nullptr;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGreenCtxCreate(CUgreenCtx* made, CUdevResourceDesc, CUdevice, unsigned flags) {
  if (flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  ++forelap_fake_driver()->live_objects;
  *made = reinterpret_cast<CUgreenCtx>(forelap_fake_driver());
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGreenCtxDestroy(CUgreenCtx) {
  --forelap_fake_driver()->live_objects;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGreenCtxStreamCreate(CUstream* stream, CUgreenCtx green, unsigned flags, int) {
  if (green == nullptr) return CUDA_ERROR_INVALID_VALUE;
  ++forelap_fake_driver()->part_streams;
  return cuStreamCreate(stream, flags);
}

}  // extern "C"
