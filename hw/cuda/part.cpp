#include "hw/cuda/part.hpp"

#include <cuda.h>

#include <array>
#include <string>

#include "core/error.hpp"
#include "hw/cuda/driver.hpp"
#include "hw/cuda/error.hpp"

namespace forelap::hw::cuda {
namespace {

// As of CUDA 12.4; older toolkits declare neither the functions nor their types.

constexpr int kMultiprocessors = 1;     ///< CU_DEV_RESOURCE_TYPE_SM
constexpr unsigned kDefaultStream = 1;  ///< CU_GREEN_CTX_DEFAULT_STREAM, which must be given

struct Resource {
  int type = 0;
  std::array<unsigned char, 92> padding{};
  unsigned count = 0;  ///< of multiprocessors
  std::array<unsigned char, 44> rest{};
};
static_assert(sizeof(Resource) == 144);

using Description = struct CUdevResourceDesc_st*;
using GreenContext = CUgreenCtx_st*;

struct Functions {
  CUresult (*resource_of)(CUdevice, Resource*, int);
  CUresult (*split)(Resource*, unsigned*, const Resource*, Resource*, unsigned, unsigned);
  CUresult (*describe)(Description*, Resource*, unsigned);
  CUresult (*create)(GreenContext*, Description, CUdevice, unsigned);
  CUresult (*destroy)(GreenContext);
  CUresult (*create_stream)(StreamHandle*, GreenContext, unsigned, int);
};

template <class Function>
void find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(optional_function(name));
  if (function != nullptr) return;
  core::throw_unavailable(
      std::string("a part of a GPU needs a driver with green contexts (CUDA 12.5 or later); this one (") +
      driver_text() + ") has no " + name + ": update the driver, or name the whole device");
}

const Functions& functions() {
  static const Functions all = [] {
    Functions found{};
    find(found.resource_of, "cuDeviceGetDevResource");
    find(found.split, "cuDevSmResourceSplitByCount");
    find(found.describe, "cuDevResourceGenerateDesc");
    find(found.create, "cuGreenCtxCreate");
    find(found.destroy, "cuGreenCtxDestroy");
    find(found.create_stream, "cuGreenCtxStreamCreate");
    return found;
  }();
  return all;
}

void check_granted(CUresult result, const char* call, unsigned wanted, unsigned there) {
  if (result == CUDA_SUCCESS) return;
  core::throw_unavailable("the driver does not grant " + std::to_string(wanted) + " of the device's " +
                          std::to_string(there) + " multiprocessors: " + call + " failed: " + words_of(result));
}

}  // namespace

Part::Part(int device, unsigned multiprocessors) {
  const Functions& driver = functions();
  Resource whole;
  check_granted(driver.resource_of(device, &whole, kMultiprocessors), "cuDeviceGetDevResource", multiprocessors, 0);
  if (multiprocessors > whole.count) {
    core::throw_bad_input("a part of " + std::to_string(multiprocessors) +
                          " multiprocessors is more than the device's " + std::to_string(whole.count));
  }
  Resource part;
  Resource rest;
  unsigned groups = 1;
  check_granted(driver.split(&part, &groups, &whole, &rest, 0, multiprocessors), "cuDevSmResourceSplitByCount",
                multiprocessors, whole.count);
  Description description = nullptr;
  check_granted(driver.describe(&description, &part, 1), "cuDevResourceGenerateDesc", multiprocessors, whole.count);
  check_granted(driver.create(&green_, description, device, kDefaultStream), "cuGreenCtxCreate", multiprocessors,
                whole.count);
  granted_ = part.count;
}

Part::~Part() {
  (void)functions().destroy(green_);
}

StreamHandle Part::make_stream() const {
  StreamHandle stream = nullptr;
  check(functions().create_stream(&stream, green_, CU_STREAM_NON_BLOCKING, 0), "cuGreenCtxStreamCreate");
  return stream;
}

}  // namespace forelap::hw::cuda
