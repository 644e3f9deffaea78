// The text of kernels through the compiler of CUDA, which needs no device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/cuda/compile.hpp"
#include "tests/hw/controller/support.hpp"

namespace forelap::hw::controller::test {
namespace {

FORELAP_FUNCTION(float, distribution_of, (float d), {
  const float t = 1.0f / (1.0f + 0.2316419f * fabs(d));
  return d > 0.0f ? 1.0f - exp(-0.5f * d * d) * t : t;
});
FORELAP_KERNEL(all_words, (i), (in<float> x, in<double> y, inout<float> z, out<int> w, int n, long m), {
  float sum = exp(x(i)) + log(x(i)) + sqrt(x(i)) + sin(x(i)) + cos(x(i)) + tan(x(i)) + erf(x(i));
  sum += floor(x(i)) + ceil(x(i)) + pow(x(i), 0.5f) + fmin(x(i), 1.0f) + fmax(x(i), 2.0f) + distribution_of(x(i));
  z(i) = z(i) + sum + (float)exp(y(i));
  w(i) = min(n, 3) + (int)max(m, extent(x, 0));
});

/// What the compiler says against the kernel's text; empty where it takes it.
std::string complaint(const KernelDefinition& kernel, const TextVersion* version = nullptr) {
  hw::cuda::CompileRequest request;
  request.source = device_source(kernel, DeviceKind::cuda, version);
  request.origin = kernel.origin;
  request.entries = {kEntry};
  request.capability = 90;
  return words_of([&] { hw::cuda::compile(request); });
}

TEST(CudaText, IsTakenByTheCompiler) {
  EXPECT_EQ(complaint(*all_words.definition()), "");
  EXPECT_EQ(complaint(*add.definition()), "");
  EXPECT_EQ(complaint(*multiply.definition()), "");
  EXPECT_EQ(complaint(*place.definition()), "");
}

TEST(CudaText, OfASpecialisedVersionMayUseWhatGroupsShare) {
  const TextVersion version{R"({
    __shared__ float part[16];
    part[threadIdx.x % 16] = inside ? x(i) : 0.0f;
    __syncthreads();
    if (inside) x(i) = part[0] * factor;
  })",
                            {256, 1, 1}};
  EXPECT_EQ(complaint(*scale.definition(), &version), "");
}

}  // namespace
}  // namespace forelap::hw::controller::test
