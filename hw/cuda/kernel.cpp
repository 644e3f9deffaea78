#include "hw/cuda/kernel.hpp"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "hw/cuda/driver.hpp"
#include "hw/cuda/error.hpp"
#include "hw/kernels/library.hpp"

namespace forelap::hw::cuda {
namespace {

/// Kept modules; beyond it all that no kernel uses go. Studies that build thousands of kernels use each a few times.
constexpr std::size_t kKeptModules = 64;

/// Since CUDA 12.4; older toolkits do not declare it.
using ParameterInfoFunction = CUresult (*)(CUfunction, std::size_t, std::size_t*, std::size_t*);

std::string origin_of(const CompileRequest& request) {
  return request.origin.empty() ? "the kernel's source" : request.origin;
}

[[noreturn]] void throw_not_loaded(CUresult result, const CompileRequest& request, const Compiled& compiled,
                                   const std::string& log) {
  std::string message = "the driver does not take the code of " + origin_of(request) + " that NVRTC " +
                        nvrtc_version() + " compiled for " + compiled.target + ": " + words_of(result);
  switch (result) {
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
      message += ". The driver is " + driver_text() + " and the compiler of CUDA " + nvrtc_version() +
                 ": a driver older than the compiler must be updated, or the program built with an older toolkit; an "
                 "architecture given in the kernel's options must be the device's";
      break;
    default:
      break;
  }
  if (!log.empty()) message += ":\n" + log;
  core::throw_device_failed(message);
}

ModuleHandle load(const CompileRequest& request, const Compiled& compiled) {
  // Only the translation of PTX writes a log.
  std::array<char, 8192> log{};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const unsigned count = compiled.is_ptx ? 2U : 0U;
  ModuleHandle module = nullptr;
  const CUresult result = cuModuleLoadDataEx(&module, compiled.image.c_str(), count, options.data(), values.data());
  if (is_fatal(result)) throw_failed(result, "cuModuleLoadDataEx");
  if (result != CUDA_SUCCESS) throw_not_loaded(result, request, compiled, log.data());
  return module;
}

/// The size of each parameter, or nothing where the driver does not tell.
std::optional<std::vector<std::size_t>> parameter_sizes(FunctionHandle function) {
  static const auto info = reinterpret_cast<ParameterInfoFunction>(optional_function("cuFuncGetParamInfo"));
  if (info == nullptr) return std::nullopt;
  std::vector<std::size_t> sizes;
  for (;;) {
    std::size_t offset = 0;
    std::size_t size = 0;
    const CUresult result = info(function, sizes.size(), &offset, &size);
    if (result == CUDA_ERROR_INVALID_VALUE) return sizes;  // past the last
    if (result != CUDA_SUCCESS || sizes.size() > 4096) return std::nullopt;
    sizes.push_back(size);
  }
}

std::size_t size_of(const ResolvedArgument& argument) {
  return std::visit([](const auto& value) { return sizeof(value); }, argument);
}

std::string words_for(const ResolvedArgument& argument) {
  constexpr std::array<const char*, 5> kWords = {"a buffer", "an int32", "an int64", "a float", "a double"};
  static_assert(std::variant_size_v<ResolvedArgument> == kWords.size());
  return std::string(kWords[argument.index()]) + " (" + std::to_string(size_of(argument)) + " bytes)";
}

CompileRequest request_for_builtin(const std::string& name, const std::string& options) {
  CompileRequest request;
  const std::vector<std::string> names = kernels::kernel_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = core::nearest(name, names);
    core::throw_bad_input("no kernel is called \"" + name + "\"" +
                          (near.empty() ? "" : " (did you mean \"" + near + "\"?)") + "; built in are " +
                          core::join_names(names) + ", and others need their source");
  }
  request.source = kernels::cuda_source();
  request.origin = "built-in kernels";
  request.entries = names;
  // Rounded as on a CPU: the results are compared with a plain reference.
  request.options = {"--fmad=false"};
  for (std::string& option : split_options(options)) request.options.push_back(std::move(option));
  return request;
}

CompileRequest request_for_source(const std::string& name, const core::KernelSource& source) {
  CompileRequest request;
  request.source = source.text;
  request.origin = source.origin;
  request.entries = {source.entry.empty() ? name : source.entry};
  request.options = split_options(source.options);
  // Headers beside the source are found as with other compilers.
  const std::filesystem::path folder = std::filesystem::path(source.origin).parent_path();
  if (!folder.empty()) request.options.push_back("--include-path=" + folder.string());
  return request;
}

}  // namespace

Module::Module(std::shared_ptr<Context> context, const CompileRequest& request) : context_(std::move(context)) {
  const Compiled compiled = compile(request);
  for (std::size_t i = 0; i < request.entries.size(); ++i) symbols_[request.entries[i]] = compiled.symbols[i];
  context_->make_current();
  module_ = load(request, compiled);
}

Module::~Module() {
  if (context_->try_make_current()) (void)cuModuleUnload(module_);
}

FunctionHandle Module::function(const std::string& name) const {
  context_->make_current();
  FunctionHandle function = nullptr;
  check(cuModuleGetFunction(&function, module_, symbols_.at(name).c_str()), "cuModuleGetFunction");
  return function;
}

CudaKernel::CudaKernel(std::shared_ptr<Module> module, const std::string& entry, const kernels::DeviceForm* form)
    : module_(std::move(module)), name_(entry), function_(module_->function(entry)), form_(form) {
  int threads = 0;
  check(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function_), "cuFuncGetAttribute");
  largest_group_ = static_cast<unsigned>(std::max(threads, 1));
  parameter_sizes_ = parameter_sizes(function_);
}

void CudaKernel::check_arguments(std::span<const ResolvedArgument> arguments) const {
  if (!parameter_sizes_) return;
  if (arguments.size() != parameter_sizes_->size()) {
    core::throw_bad_input("kernel " + name_ + " takes " + std::to_string(parameter_sizes_->size()) +
                          " arguments in its source, and " + std::to_string(arguments.size()) + " are given");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (size_of(arguments[i]) == (*parameter_sizes_)[i]) continue;
    core::throw_bad_input("argument " + std::to_string(i + 1) + " of kernel " + name_ + " has " +
                          std::to_string((*parameter_sizes_)[i]) + " bytes in its source, and " +
                          words_for(arguments[i]) + " is given");
  }
}

std::unique_ptr<Kernel> KernelBuilder::build(const std::string& name, const core::KernelSource& source) {
  const bool builtin = source.text.empty();
  CompileRequest request = builtin ? request_for_builtin(name, source.options) : request_for_source(name, source);
  request.capability = capability_;
  const std::string entry = builtin ? name : request.entries.front();
  const std::lock_guard lock(mutex_);
  return std::make_unique<CudaKernel>(module_for(request), entry, builtin ? kernels::device_form(name) : nullptr);
}

std::shared_ptr<Module> KernelBuilder::module_for(const CompileRequest& request) {
  std::string key = request.source;
  for (const auto& texts : {std::vector<std::string>{request.origin}, request.entries, request.options}) {
    key += '\0';
    for (const std::string& text : texts) key += text + '\0';
  }
  const auto found = modules_.find(key);
  if (found != modules_.end()) return found->second;
  if (modules_.size() >= kKeptModules) {
    std::erase_if(modules_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  auto module = std::make_shared<Module>(context_, request);
  modules_.emplace(std::move(key), module);
  return module;
}

}  // namespace forelap::hw::cuda
