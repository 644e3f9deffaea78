#include "hw/opencl/gate_kernel.hpp"

#include <array>

#include "hw/opencl/kernel.hpp"

namespace forelap::hw::opencl {
namespace {

constexpr const char* kSource = R"cl(
__kernel void forelap_gate(__global volatile int* words, long polls) {
  while (polls > 0 && atomic_add(&words[0], 0) == 0) --polls;
  words[1] = polls > 0 ? 0 : 1;
}
)cl";

/// A poll takes about 65 ns on an H200.
constexpr cl_long kMostPolls = 75'000'000;
constexpr std::size_t kWords = 2;

}  // namespace

GateKernel::GateKernel(Context& context) : polling_(context.make_queue(false)), opening_(context.make_queue(false)) {
  cl_int code = CL_SUCCESS;
  words_ =
      MemoryHandle(clCreateBuffer(context.context.get(), CL_MEM_READ_WRITE, kWords * sizeof(cl_int), nullptr, &code));
  context.check(code, "allocating the gate's words");
  const ProgramHandle program = compile(context, kSource, "", "the gate's kernel");
  kernel_ = KernelHandle(clCreateKernel(program.get(), "forelap_gate", &code));
  context.check(code, "making the gate's kernel");
  const cl_mem words = words_.get();
  context.check(clSetKernelArg(kernel_.get(), 0, sizeof(words), &words), "setting the gate's words");
  context.check(clSetKernelArg(kernel_.get(), 1, sizeof(kMostPolls), &kMostPolls), "setting the gate's bound");
}

EventHandle GateKernel::close(Context& context) {
  constexpr std::array<cl_int, kWords> kClosed = {0, 0};
  context.check(clEnqueueWriteBuffer(opening_.get(), words_.get(), CL_TRUE, 0, sizeof(kClosed), kClosed.data(), 0,
                                     nullptr, nullptr),
                "closing the gate");
  constexpr std::size_t kOne = 1;
  EventHandle event;
  context.check(
      clEnqueueNDRangeKernel(polling_.get(), kernel_.get(), 1, nullptr, &kOne, &kOne, 0, nullptr, event.out()),
      "starting the gate's kernel");
  context.check(clFlush(polling_.get()), "starting the gate's kernel");
  return event;
}

void GateKernel::open(Context& context) {
  static constexpr cl_int kOpen = 1;  // the driver may read it after the call
  context.check(
      clEnqueueWriteBuffer(opening_.get(), words_.get(), CL_FALSE, 0, sizeof(kOpen), &kOpen, 0, nullptr, nullptr),
      "opening the gate");
  context.check(clFlush(opening_.get()), "opening the gate");
}

bool GateKernel::let_go(Context& context) {
  std::array<cl_int, kWords> words = {0, 0};
  context.check(
      clEnqueueReadBuffer(polling_.get(), words_.get(), CL_TRUE, 0, sizeof(words), words.data(), 0, nullptr, nullptr),
      "reading the gate's state");
  return words[1] != 0;
}

std::unique_ptr<GateKernel> GateKernels::take(Context& context) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto kernel = std::move(idle_.back());
      idle_.pop_back();
      return kernel;
    }
  }
  return std::make_unique<GateKernel>(context);
}

void GateKernels::give_back(std::unique_ptr<GateKernel> kernel) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(kernel));
}

}  // namespace forelap::hw::opencl
