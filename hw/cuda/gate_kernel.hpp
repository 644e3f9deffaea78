#pragma once
// The kernel that keeps a gate closed: one thread that spins on a flag in host memory.

namespace forelap::hw::cuda {

inline constexpr const char* kGateEntry = "forelap_gate";

/// A gate that nobody opens lets go after this time, so that an error on the host never leaves the device spinning.
inline constexpr unsigned long long kGateLimitNanoseconds = 20'000'000'000ULL;

/// The same bound in polls, should the device's timer stand still. A poll is a read across the bus (about 1 us), so
/// that this bound is reached after the other one.
inline constexpr unsigned long long kGateLimitPolls = 200'000'000ULL;

/// The difference of the timer is taken as signed: a timer that steps back must not open the gate.
inline constexpr const char* kGateSource = R"cuda(
__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

extern "C" __global__ void forelap_gate(const volatile unsigned int* flag, unsigned long long limit_nanoseconds,
                                        unsigned long long limit_polls) {
  const unsigned long long begin = nanoseconds();
  for (unsigned long long polls = 0; *flag == 0u && polls < limit_polls; ++polls) {
    if (static_cast<long long>(nanoseconds() - begin) > static_cast<long long>(limit_nanoseconds)) break;
  }
  __threadfence_system();
}
)cuda";

}  // namespace forelap::hw::cuda
