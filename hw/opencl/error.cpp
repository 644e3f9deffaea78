#include "hw/opencl/error.hpp"

#include <array>

#include "core/error.hpp"

namespace forelap::hw::opencl {
namespace {

struct NamedCode {
  cl_int code;
  const char* name;
};

#define FL_CODE(name) \
  NamedCode {         \
    name, #name       \
  }
constexpr std::array kCodes = {FL_CODE(CL_DEVICE_NOT_FOUND),
                               FL_CODE(CL_DEVICE_NOT_AVAILABLE),
                               FL_CODE(CL_COMPILER_NOT_AVAILABLE),
                               FL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                               FL_CODE(CL_OUT_OF_RESOURCES),
                               FL_CODE(CL_OUT_OF_HOST_MEMORY),
                               FL_CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
                               FL_CODE(CL_MEM_COPY_OVERLAP),
                               FL_CODE(CL_BUILD_PROGRAM_FAILURE),
                               FL_CODE(CL_MAP_FAILURE),
                               FL_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
                               FL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                               FL_CODE(CL_COMPILE_PROGRAM_FAILURE),
                               FL_CODE(CL_LINKER_NOT_AVAILABLE),
                               FL_CODE(CL_LINK_PROGRAM_FAILURE),
                               FL_CODE(CL_INVALID_VALUE),
                               FL_CODE(CL_INVALID_DEVICE_TYPE),
                               FL_CODE(CL_INVALID_PLATFORM),
                               FL_CODE(CL_INVALID_DEVICE),
                               FL_CODE(CL_INVALID_CONTEXT),
                               FL_CODE(CL_INVALID_QUEUE_PROPERTIES),
                               FL_CODE(CL_INVALID_COMMAND_QUEUE),
                               FL_CODE(CL_INVALID_HOST_PTR),
                               FL_CODE(CL_INVALID_MEM_OBJECT),
                               FL_CODE(CL_INVALID_BINARY),
                               FL_CODE(CL_INVALID_BUILD_OPTIONS),
                               FL_CODE(CL_INVALID_PROGRAM),
                               FL_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
                               FL_CODE(CL_INVALID_KERNEL_NAME),
                               FL_CODE(CL_INVALID_KERNEL_DEFINITION),
                               FL_CODE(CL_INVALID_KERNEL),
                               FL_CODE(CL_INVALID_ARG_INDEX),
                               FL_CODE(CL_INVALID_ARG_VALUE),
                               FL_CODE(CL_INVALID_ARG_SIZE),
                               FL_CODE(CL_INVALID_KERNEL_ARGS),
                               FL_CODE(CL_INVALID_WORK_DIMENSION),
                               FL_CODE(CL_INVALID_WORK_GROUP_SIZE),
                               FL_CODE(CL_INVALID_WORK_ITEM_SIZE),
                               FL_CODE(CL_INVALID_GLOBAL_OFFSET),
                               FL_CODE(CL_INVALID_EVENT_WAIT_LIST),
                               FL_CODE(CL_INVALID_EVENT),
                               FL_CODE(CL_INVALID_OPERATION),
                               FL_CODE(CL_INVALID_BUFFER_SIZE),
                               FL_CODE(CL_INVALID_GLOBAL_WORK_SIZE),
                               FL_CODE(CL_INVALID_PROPERTY),
                               NamedCode{-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};
#undef FL_CODE

}  // namespace

std::string error_name(cl_int code) {
  for (const NamedCode& known : kCodes) {
    if (known.code == code) return known.name;
  }
  return "error " + std::to_string(code);
}

void check(cl_int code, const std::string& what) {
  if (code != CL_SUCCESS) core::throw_device_failed("OpenCL: " + what + " failed: " + error_name(code));
}

}  // namespace forelap::hw::opencl
