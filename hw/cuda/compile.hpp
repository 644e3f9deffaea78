#pragma once
// Compiles CUDA C++ with NVRTC, the compiler as a library. Needs no driver and no device.
//
// Threads: all functions may be called from any thread.

#include <string>
#include <string_view>
#include <vector>

namespace forelap::hw::cuda {

struct CompileRequest {
  std::string source;                ///< CUDA C++
  std::string origin;                ///< file name for the compiler's messages
  std::vector<std::string> entries;  ///< kernels wanted, as written in the source (extern "C" or not)
  std::vector<std::string> options;  ///< NVRTC options; one that names an architecture takes the place of ours
  int capability = 0;                ///< compute capability of the device times ten: 90 for 9.0
};

struct Compiled {
  std::string image;                 ///< a CUBIN (ELF), or PTX text
  bool is_ptx = false;               ///< the driver must translate it: NVRTC does not know the device
  std::string target;                ///< what it was compiled for: "sm_90", "compute_120"
  std::vector<std::string> symbols;  ///< names in the image of the entries asked for, in that order
  std::string log;                   ///< the compiler's warnings
};

/// Machine code for the device where NVRTC knows it, else PTX of the newest architecture that is not newer than it.
/// Throws core::Error: bad_input with the compiler's log (file and line) for a wrong source or option, or naming the
/// kernels there are where an entry is missing; unavailable where NVRTC is too new for the device or incomplete.
Compiled compile(const CompileRequest& request);

/// Version of the NVRTC library that is loaded: "13.0".
std::string nvrtc_version();

/// The text of options split at white space.
std::vector<std::string> split_options(std::string_view text);

/// Names of the functions that `source` declares `__global__`, in order; a plain scan of the text, for messages.
std::vector<std::string> kernels_in(std::string_view source);

}  // namespace forelap::hw::cuda
