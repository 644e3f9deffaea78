#include "hw/controller/blas.hpp"

#include <dlfcn.h>
#include <linux/limits.h>

#include <array>
#include <limits>

#include "core/error.hpp"

namespace forelap::hw::controller {
namespace {

using CblasSgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                            const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;

using CublasCreate = int (*)(void** handle);
using CublasDestroy = int (*)(void* handle);
using CublasSetStream = int (*)(void* handle, void* stream);
using CublasSgemm = int (*)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                            const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc);
constexpr int kCublasNoTranspose = 0;

/// The first of `names` that loads and has `function`; null without one. Stays loaded.
void* load_first(const std::vector<std::string>& names, const char* function, std::string& found) {
  for (const std::string& name : names) {
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    if (dlsym(library, function) != nullptr) {
      found = name;
      return library;
    }
    dlclose(library);
  }
  return nullptr;
}

struct Cblas {
  CblasSgemm multiply = nullptr;
  BlasChoice choice;
};

Cblas load_cblas() {
  Cblas cblas;
  void* library = load_first({"libopenblas.so.0", "libopenblas.so", "libblis.so.4", "libblas.so.3"}, "cblas_sgemm",
                             cblas.choice.library);
  if (library == nullptr) {
    cblas.choice.reason = "no CBLAS is here (Debian: libopenblas0-pthread)";
    return cblas;
  }
  cblas.multiply = reinterpret_cast<CblasSgemm>(dlsym(library, "cblas_sgemm"));
  cblas.choice.reason = "the kernel is a matrix product and " + cblas.choice.library + " is here";
  if (auto* threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"))) threads(1);
  return cblas;
}

const Cblas& cblas() {
  static const Cblas& loaded = *new Cblas(load_cblas());
  return loaded;
}

struct Cublas {
  CublasCreate create = nullptr;
  CublasDestroy destroy = nullptr;
  CublasSetStream set_stream = nullptr;
  CublasSgemm multiply = nullptr;
  BlasChoice choice;
};

/// The folder of the CUDA toolkit that this process has loaded its compiler from; empty without one.
std::string toolkit_folder(const std::string& version) {
  void* compiler = dlopen(("libnvrtc.so." + version).c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (compiler == nullptr) return {};
  std::array<char, PATH_MAX + 1> folder{};
  const bool known = dlinfo(compiler, RTLD_DI_ORIGIN, folder.data()) == 0;
  dlclose(compiler);
  return known ? folder.data() : "";
}

/// Where cuBLAS may be: beside the compiler that is in use, where the loader looks, and in the toolkit's usual place.
std::vector<std::string> cublas_names() {
  std::vector<std::string> names;
  for (const char* version : {"14", "13", "12", "11"}) {
    const std::string name = std::string("libcublas.so.") + version;
    // cuBLAS 11 belongs to the compiler 11.2, whose name has both numbers.
    const std::string folder = toolkit_folder(std::string(version) == "11" ? "11.2" : version);
    if (!folder.empty()) names.push_back(folder + "/" + name);
    for (const char* place : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"}) names.push_back(place + name);
  }
  return names;
}

Cublas load_cublas() {
  Cublas cublas;
  void* library = load_first(cublas_names(), "cublasSgemm_v2", cublas.choice.library);
  if (library == nullptr) {
    cublas.choice.reason = "cuBLAS is not here (NVIDIA: libcublas of the CUDA toolkit)";
    return cublas;
  }
  cublas.create = reinterpret_cast<CublasCreate>(dlsym(library, "cublasCreate_v2"));
  cublas.destroy = reinterpret_cast<CublasDestroy>(dlsym(library, "cublasDestroy_v2"));
  cublas.set_stream = reinterpret_cast<CublasSetStream>(dlsym(library, "cublasSetStream_v2"));
  cublas.multiply = reinterpret_cast<CublasSgemm>(dlsym(library, "cublasSgemm_v2"));
  cublas.choice.reason = "the kernel is a matrix product and " + cublas.choice.library + " is here";
  return cublas;
}

const Cublas& cublas() {
  static const Cublas& loaded = *new Cublas(load_cublas());
  return loaded;
}

/// BLAS counts in int.
int to_int(std::int64_t extent) {
  if (extent > std::numeric_limits<int>::max()) {
    core::throw_bad_input("a matrix product by BLAS takes extents up to 2147483647, not " + std::to_string(extent));
  }
  return static_cast<int>(extent);
}

void check(int status, const char* call) {
  if (status != 0) core::throw_device_failed(std::string(call) + " failed with status " + std::to_string(status));
}

/// A handle of cuBLAS, made on the thread and device that use it.
class Product {
 public:
  Product() = default;
  ~Product() {
    if (handle_ != nullptr) (void)cublas().destroy(handle_);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void multiply(const NativeLaunch& launch) {
    const Cublas& library = cublas();
    if (handle_ == nullptr) check(library.create(&handle_), "cublasCreate");
    check(library.set_stream(handle_, launch.queue), "cublasSetStream");
    const int rows = to_int(launch.rows);
    const int inner = to_int(launch.arguments[0].extents[1]);
    const int columns = to_int(launch.arguments[1].extents[1]);
    const float one = 1;
    const float zero = 0;
    // cuBLAS counts by columns: of row-major matrices it sees the transposed ones, and c' = b' a'.
    check(library.multiply(handle_, kCublasNoTranspose, kCublasNoTranspose, columns, rows, inner, &one,
                           address(launch, 1, columns), columns, address(launch, 0, inner), inner, &zero,
                           address(launch, 2, columns), columns),
          "cublasSgemm");
  }

 private:
  /// Where the launch's first row lies in a partitioned matrix; of the second factor, which is whole, its first.
  static float* address(const NativeLaunch& launch, std::size_t i, int columns) {
    const NativeLaunch::Argument& matrix = launch.arguments[i];
    const std::int64_t before = i == 1 ? 0 : launch.first - matrix.first;
    return reinterpret_cast<float*>(matrix.memory) + before * columns;
  }

  void* handle_ = nullptr;
};

}  // namespace

const BlasChoice& find_cblas() {
  return cblas().choice;
}

void multiply_by_cblas(const CpuSlice& slice) {
  const CpuArgument& a = slice.arguments[0];
  const CpuArgument& b = slice.arguments[1];
  const CpuArgument& c = slice.arguments[2];
  const int rows = to_int(slice.last[0] - slice.first[0]);
  const int inner = to_int(a.extents[1]);
  const int columns = to_int(b.extents[1]);
  cblas().multiply(kRowMajor, kNoTranspose, kNoTranspose, rows, columns, inner, 1.0F,
                   static_cast<const float*>(a.data) + slice.first[0] * inner, inner, static_cast<const float*>(b.data),
                   columns, 0.0F, static_cast<float*>(c.data) + slice.first[0] * columns, columns);
}

const BlasChoice& find_cublas() {
  return cublas().choice;
}

NativeFunction make_cublas_product() {
  auto product = std::make_shared<Product>();
  return [product](const NativeLaunch& launch) { product->multiply(launch); };
}

}  // namespace forelap::hw::controller
