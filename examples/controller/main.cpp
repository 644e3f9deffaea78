// Heat that spreads from the left edge of a plate, and a blend of two plates, on any devices; the program of
// docs/controller.md.
//
//   controller_example [DEVICE...]     such as: controller_example cuda:0 cpu:0-3
//
// Ends with 0 where all results are right, 1 where one is wrong, 3 where a device is not here.

#include <cmath>
#include <cstdio>
#include <exception>
#include <forelap/controller.hpp>
#include <string>
#include <vector>

namespace {

/// A function that kernels call.
FORELAP_FUNCTION(float, mix, (float x, float y, float part), { return x + (y - x) * part; });

/// A generic kernel: compiled for CPU cores by this program's compiler, for GPUs when it is first launched.
FORELAP_KERNEL(blend, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c, float part),
               { c(i, j) = mix(a(i, j), b(i, j), part); });

/// One step within each row, whose ends stay; rows do not depend on each other, so they can be on several devices.
FORELAP_KERNEL(spread, (i, j), (in<float, 2> before, out<float, 2> after), {
  const long last = extent(before, 1) - 1;
  if (j == 0 || j == last) {
    after(i, j) = before(i, j);
    return;
  }
  after(i, j) = before(i, j) + 0.25F * (before(i, j - 1) - 2.0F * before(i, j) + before(i, j + 1));
});

constexpr int kRows = 301;
constexpr int kColumns = 200;
constexpr int kSteps = 50;

/// The same step on the host.
std::vector<float> expected_row(float edge) {
  std::vector<float> row(kColumns);
  row[0] = edge;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<float> next = row;
    for (std::size_t j = 1; j + 1 < row.size(); ++j) {
      next[j] = row[j] + 0.25F * (row[j - 1] - 2.0F * row[j] + row[j + 1]);
    }
    row = next;
  }
  return row;
}

int run(const std::vector<std::string>& names) {
  // All devices of the list work as one. Without weights each gets as much.
  forelap::MultiController devices(names, {.transfers = forelap::Transfers::chunked, .chunks = 4, .timing = true});

  auto plate = devices.tile<float>({kRows, kColumns}, "plate");
  auto other = devices.tile<float>({kRows, kColumns}, "other");
  auto blended = devices.tile<float>({kRows, kColumns}, "blended");
  for (int i = 0; i < kRows; ++i) plate(i, 0) = static_cast<float>(i);

  // Rows go to the devices by weights; the tiles are theirs until they are detached.
  devices.partition(plate, other, blended);
  for (int step = 0; step < kSteps; step += 2) {
    devices.launch(spread, plate, other);
    devices.launch(spread, other, plate);
  }
  devices.launch(blend, plate, other, blended, 0.0F);
  devices.detach(plate, other, blended);

  float largest_error = 0;
  for (const int i : {0, 1, kRows / 2, kRows - 1}) {
    const std::vector<float> row = expected_row(static_cast<float>(i));
    for (int j = 0; j < kColumns; ++j) {
      largest_error = std::fmax(largest_error, std::fabs(blended(i, j) - row[static_cast<std::size_t>(j)]));
    }
  }
  for (const forelap::DeviceTimes& times : devices.times()) {
    std::printf("%s: %llu launches, %llu rows, computation %.6f s, transfers %.6f s\n", times.device.c_str(),
                static_cast<unsigned long long>(times.launches), static_cast<unsigned long long>(times.items),
                times.computation, times.to_device + times.from_device);
  }
  std::printf("largest error %.2g\n", static_cast<double>(largest_error));
  return largest_error <= 1e-3F ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::string> names(argv + 1, argv + argc);
    return run(names.empty() ? std::vector<std::string>{"auto"} : names);
  } catch (const forelap::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.kind() == forelap::ErrorKind::unavailable ? 3 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
