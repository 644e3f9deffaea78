#include "hw/opencl/kernel.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/text.hpp"
#include "hw/opencl/error.hpp"
#include "hw/opencl/memory.hpp"

namespace forelap::hw::opencl {
namespace {

constexpr std::size_t kDefaultGroup = 256;

std::string build_log(const Context& context, cl_program program) {
  std::size_t size = 0;
  if (clGetProgramBuildInfo(program, context.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, context.device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return std::string(core::trim(std::string_view(log.c_str())));
}

std::string kernel_names(cl_program program) {
  std::size_t size = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &size) != CL_SUCCESS || size < 2) return "none";
  std::string text(size, '\0');
  clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, text.data(), nullptr);
  return core::join_names(core::split(text.c_str(), ';'));
}

/// The sizes of a launch: whole groups, so that the index space is rounded up.
struct LaunchShape {
  cl_uint dimensions = 1;
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{1, 1, 1};
};

LaunchShape make_shape(const core::KernelCall& call, std::size_t largest_group) {
  LaunchShape shape;
  for (std::size_t i = 0; i < 3; ++i) {
    if (call.global_size[i] > 1) shape.dimensions = static_cast<cl_uint>(i + 1);
    shape.local[i] = std::max<std::size_t>(call.group_size[i], 1);
  }
  if (call.group_size[0] == 0) shape.local = {std::min(kDefaultGroup, largest_group), 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto wished = static_cast<std::size_t>(call.global_size[i]);
    shape.global[i] = (wished + shape.local[i] - 1) / shape.local[i] * shape.local[i];
  }
  return shape;
}

bool users_fault(cl_int code) {
  return code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE || code == CL_INVALID_KERNEL_ARGS ||
         code == CL_INVALID_WORK_DIMENSION || code == CL_INVALID_GLOBAL_WORK_SIZE;
}

}  // namespace

ProgramHandle compile(Context& context, const std::string& text, const std::string& options,
                      const std::string& origin) {
  cl_int code = CL_SUCCESS;
  const char* start = text.data();
  const std::size_t length = text.size();
  ProgramHandle program(clCreateProgramWithSource(context.context.get(), 1, &start, &length, &code));
  context.check(code, "reading the kernels of " + origin);
  code = clBuildProgram(program.get(), 1, &context.device, options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return program;
  const std::string what = origin + " does not compile for " + context.info.identity.name + ": " + error_name(code);
  if (code == CL_COMPILER_NOT_AVAILABLE) core::throw_unavailable(what);
  if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS || code == CL_COMPILE_PROGRAM_FAILURE ||
      code == CL_LINK_PROGRAM_FAILURE) {
    const std::string log = build_log(context, program.get());
    core::throw_bad_input(what + (options.empty() ? "" : " (options \"" + options + "\")") +
                          (log.empty() ? "" : "\n" + log));
  }
  core::throw_device_failed(what);
}

ClKernel::ClKernel(Context& context, const ProgramHandle& program, const std::string& entry, const std::string& origin,
                   const kernels::DeviceForm* form)
    : name_(entry), form_(form) {
  cl_int code = CL_SUCCESS;
  kernel_ = KernelHandle(clCreateKernel(program.get(), entry.c_str(), &code));
  if (code == CL_INVALID_KERNEL_NAME || code == CL_INVALID_KERNEL_DEFINITION) {
    core::throw_bad_input(origin + " has no kernel \"" + entry + "\"; there are: " + kernel_names(program.get()));
  }
  context.check(code, "making kernel " + entry);
  context.check(clGetKernelInfo(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof(parameters_), &parameters_, nullptr),
                "asking for the parameters of kernel " + entry);
  context.check(clGetKernelWorkGroupInfo(kernel_.get(), context.device, CL_KERNEL_WORK_GROUP_SIZE,
                                         sizeof(largest_group_), &largest_group_, nullptr),
                "asking for the group size of kernel " + entry);
}

void ClKernel::set_arguments(std::span<const ResolvedArgument> arguments) {
  if (arguments.size() != parameters_) {
    core::throw_bad_input("kernel " + name_ + " takes " + std::to_string(parameters_) + " arguments, but was given " +
                          std::to_string(arguments.size()));
  }
  for (cl_uint i = 0; i < parameters_; ++i) {
    cl_int code = CL_SUCCESS;
    if (const auto* memory = std::get_if<DeviceMemory*>(&arguments[i])) {
      const cl_mem object = dynamic_cast<ClMemory&>(**memory).get();
      code = clSetKernelArg(kernel_.get(), i, sizeof(object), &object);
    } else {
      code = std::visit([&](const auto& value) { return clSetKernelArg(kernel_.get(), i, sizeof(value), &value); },
                        arguments[i]);
    }
    if (code == CL_INVALID_ARG_SIZE || code == CL_INVALID_ARG_VALUE || code == CL_INVALID_MEM_OBJECT) {
      core::throw_bad_input("argument " + std::to_string(i + 1) + " of kernel " + name_ + " has the wrong type (" +
                            error_name(code) + ")");
    }
    check(code, "setting argument " + std::to_string(i + 1) + " of kernel " + name_);
  }
}

EventHandle ClKernel::enqueue(Context& context, cl_command_queue queue, std::span<const ResolvedArgument> arguments,
                              const core::KernelCall& shape, std::span<const cl_event> waits, bool with_event) {
  const bool nothing = shape.global_size[0] == 0 || shape.global_size[1] == 0 || shape.global_size[2] == 0;
  const core::KernelCall own = form_ != nullptr && !nothing ? kernels::shaped(*form_, arguments, shape) : shape;
  const LaunchShape sizes = make_shape(own, largest_group_);
  const std::lock_guard lock(mutex_);
  set_arguments(arguments);
  EventHandle event;
  const cl_int code = clEnqueueNDRangeKernel(
      queue, kernel_.get(), sizes.dimensions, nullptr, sizes.global.data(), sizes.local.data(),
      static_cast<cl_uint>(waits.size()), waits.empty() ? nullptr : waits.data(), with_event ? event.out() : nullptr);
  if (users_fault(code)) {
    core::throw_bad_input("kernel " + name_ + " cannot be launched in groups of " + std::to_string(sizes.local[0]) +
                          " x " + std::to_string(sizes.local[1]) + " x " + std::to_string(sizes.local[2]) +
                          " (the device grants it " + std::to_string(largest_group_) + "): " + error_name(code));
  }
  context.check(code, "launching kernel " + name_);
  return event;
}

}  // namespace forelap::hw::opencl
