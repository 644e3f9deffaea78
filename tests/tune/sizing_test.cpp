#include "tune/sizing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "models/kernel.hpp"
#include "models/transfer.hpp"
#include "scenarios/read.hpp"

namespace forelap::tune {
namespace {

using testing::HasSubstr;

constexpr const char* kMachine = R"(forelap_machine: 1
name: m
devices:
  - name: gpu
    memory: 1 GiB
    copy_engines: 2
    transfers:
      - {direction: htod, memory: pinned, latency: 10 us, rate: 10 GB/s}
      - direction: dtoh
        memory: pinned
        pieces:
          - {to: 1 MB, latency: 20 us, rate: 5 GB/s}
          - {from: 1 MB, latency: 100 us, rate: 10 GB/s}
    kernels:
      - {kernel: synthetic, launch: 5 us, per_work: 1 ps, per_item: 10 ps}
)";

core::Machine machine() {
  return scenarios::parse_machine(kMachine, "m.yaml");
}

/// With models of shortest paths and of kernels whose times play no part.
core::Machine with_more_kernels() {
  core::Machine more = machine();
  auto& kernels = more.devices[0].kernels;
  for (const char* name : {"vector_add", "matrix_multiply", "black_scholes", "fast_walsh", "convolution", "dct",
                           "transpose", "floyd_warshall"}) {
    kernels.push_back(kernels[0]);
    kernels.back().kernel = name;
  }
  core::KernelPiece& paths = kernels.back().pieces.at(0);
  paths.launch.value = 2e-6;
  paths.per_work.value = 0;
  paths.per_item.value = 1e-12;
  return more;
}

core::Machine ideal() {
  return scenarios::parse_machine("forelap_machine: 1\nname: i\ndevices: [{name: ideal, copy_engines: 2}]\n", "i.yaml");
}

scenarios::Scenario scenario_of(const std::string& task, const std::string& head = "") {
  return scenarios::parse_scenario("forelap: 1\nkind: task_group\n" + head + "tasks:\n  - {name: A, " + task + "}\n",
                                   "f.yaml");
}

scenarios::SizedTask sized(const std::string& task, const core::Machine& on = machine()) {
  return size_case(scenario_of(task), 0, on).tasks.at(0);
}

std::string error_of(const std::string& task, const core::Machine& on = machine(), const std::string& head = "") {
  try {
    size_case(scenario_of(task, head), 0, on);
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(SizeCase, PassesDurationsThroughOnAnIdealDevice) {
  const auto task = sized("htod: 1 ms, kernel: 8 ms, dtoh: 0 s", ideal());
  EXPECT_EQ(task.htod.at(0).duration, 1'000'000'000);
  EXPECT_EQ(task.htod[0].bytes, 0U);
  EXPECT_EQ(task.kernels.at(0).duration, 8'000'000'000);
  EXPECT_EQ(task.dtoh.at(0).duration, 0);
  EXPECT_EQ(task.buffer_bytes, 0U);
}

TEST(SizeCase, RefusesBytesAndRepeatsOnAnIdealDevice) {
  EXPECT_THAT(error_of("htod: 1 MiB", ideal()),
              HasSubstr("task \"A\" on device \"ideal\": a transfer of 1.000 MiB cannot be timed"));
  EXPECT_THAT(error_of("kernel: {repeat: 3}", ideal()), HasSubstr("give its duration, or name a calibrated machine"));
}

TEST(SizeCase, FindsTheBytesNearestToADuration) {
  const auto task = sized("htod: 1.01 ms, dtoh: 120 us");
  EXPECT_EQ(task.htod.at(0).bytes, 10'000'000U);
  EXPECT_EQ(task.htod[0].duration, core::kModelled);
  EXPECT_EQ(task.dtoh.at(0).bytes, 500'000U);  // the first stretch
  EXPECT_EQ(task.buffer_bytes, 10'000'000U);
  EXPECT_EQ(sized("dtoh: 1.1 ms").dtoh.at(0).bytes, 10'000'000U);  // the second
}

TEST(SizeCase, RoundsBytesToMultiplesOfFourAsTheModelDecides) {
  for (const double us : {10.5, 11.0, 17.3, 33.333, 999.99}) {
    const auto bytes = sized("htod: " + std::to_string(us) + " us").htod.at(0).bytes;
    EXPECT_EQ(bytes % 4, 0U);
    const auto model = machine().devices[0].transfers[0];
    const auto miss = [&](double b) { return std::abs(models::transfer_seconds(model, b) - us * 1e-6); };
    const auto b = static_cast<double>(bytes);
    EXPECT_LE(miss(b), miss(b + 4));
    EXPECT_LE(miss(b), miss(b - 4));
  }
}

TEST(SizeCase, KeepsGivenBytesAndLeavesZeroOut) {
  const auto task = sized("htod: [16 MiB, 3 B], kernel: {repeat: 7}, dtoh: 0 s");
  EXPECT_EQ(task.htod.at(0).bytes, std::uint64_t{16} << 20);
  EXPECT_EQ(task.htod.at(1).bytes, 3U);
  EXPECT_EQ(task.dtoh.at(0).bytes, 0U);
  EXPECT_EQ(task.kernels.at(0).repeat, 7U);
  EXPECT_EQ(task.buffer_bytes, (std::uint64_t{16} << 20) + 4);  // their sum, a multiple of 4
}

TEST(SizeCase, TakesTheWishedBufferElseTheTransfersElseOneMebibyte) {
  EXPECT_EQ(sized("htod: 1 MiB, buffer: 8 MiB").buffer_bytes, std::uint64_t{8} << 20);
  EXPECT_EQ(sized("htod: 1 MiB, dtoh: [1 MiB, 1 MiB]").buffer_bytes, std::uint64_t{2} << 20);
  EXPECT_EQ(sized("kernel: 1 ms").buffer_bytes, std::uint64_t{1} << 20);
}

TEST(SizeCase, ABufferHoldsItsInputAndItsResultBehindIt) {
  const auto buffer = [](const std::string& task) { return sized(task, with_more_kernels()).buffer_bytes; };
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  EXPECT_EQ(buffer("htod: 8 MiB, kernel: {name: vector_add, repeat: 1}, dtoh: 4 MiB"), 12 * kMiB);
  EXPECT_EQ(buffer("htod: 8 MiB, kernel: {name: matrix_multiply, repeat: 1}, dtoh: 4 MiB"), 12 * kMiB);
  EXPECT_EQ(buffer("htod: 2 MiB, kernel: {name: black_scholes, repeat: 1}, dtoh: 4 MiB"), 6 * kMiB);
  EXPECT_EQ(buffer("htod: 4 MiB, kernel: {name: floyd_warshall, repeat: 1}, dtoh: 8 MiB"), 12 * kMiB);
  EXPECT_EQ(buffer("htod: 4 MiB, kernel: {name: fast_walsh, repeat: 1}, dtoh: 4 MiB"), 8 * kMiB);
  EXPECT_EQ(buffer("htod: 9 MiB, kernel: {name: convolution, repeat: 1}, dtoh: 9 MiB"), 27 * kMiB);
  EXPECT_EQ(buffer("htod: 4 MiB, kernel: {name: dct, repeat: 1}, dtoh: 4 MiB"), 12 * kMiB);
  EXPECT_EQ(buffer("htod: 4 MiB, kernel: {name: transpose, repeat: 1}, dtoh: 4 MiB"), 8 * kMiB);
  EXPECT_EQ(buffer("htod: 8 MiB, kernel: {name: vector_add, repeat: 1}"), 8 * kMiB);
  EXPECT_EQ(buffer("htod: 8 MiB, kernel: {repeat: 1}, dtoh: 4 MiB"), 8 * kMiB);
  EXPECT_EQ(buffer("htod: 1 MiB, kernel: {name: vector_add, repeat: 1}, dtoh: 1 MiB, buffer: 1 MiB"), kMiB);
}

TEST(SizeCase, ADurationIsThatOfAllPasses) {
  // 1024 vertices: 1024 passes of 2 us + 1.048576 us a round.
  const std::string sizes = "htod: 4 MiB, dtoh: 8 MiB, ";
  const auto kernel =
      sized(sizes + "kernel: {name: floyd_warshall, duration: 9.366 ms}", with_more_kernels()).kernels.at(0);
  EXPECT_EQ(kernel.repeat, 3U);
  EXPECT_EQ(kernel.bytes, 0U);
  const auto cubic =
      sized(sizes + "kernel: {name: floyd_warshall, work: 2147483648}", with_more_kernels()).kernels.at(0);
  EXPECT_EQ(cubic.repeat, 2U);
  const auto part = sized(sizes + "kernel: {name: floyd_warshall, duration: 1 ms}", with_more_kernels()).kernels.at(0);
  EXPECT_EQ(part.repeat, 1U);
  // 454 passes of 2.21 us would do; sides go in tiles of 32.
  EXPECT_GE(part.bytes, 12U * 448 * 448);
  EXPECT_LT(part.bytes, 12U * 480 * 480);
}

TEST(SizeCase, FindsTheRepeatNearestToADuration) {
  // 2^20 items: 5 us + 10.486 us + 1.048576 us a repeat.
  const auto kernel = sized("kernel: 1 ms, buffer: 4 MiB").kernels.at(0);
  EXPECT_EQ(kernel.repeat, 939U);
  EXPECT_EQ(kernel.bytes, 0U);
  EXPECT_EQ(kernel.duration, core::kModelled);
}

TEST(SizeCase, WorksOnAPartOfTheBufferWhereARepeatIsTooCoarse) {
  // 2^26 items take 676 us before and 67 us with each repeat.
  const auto seconds_of = [](const scenarios::SizedKernel& kernel) {
    const auto launch =
        scenarios::make_launch(scenarios::builtin_definitions()[0], core::BufferId{}, kernel.bytes, kernel.repeat);
    return models::kernel_seconds(machine().devices[0].kernels[0], launch.work, launch.items);
  };
  for (const double us : {50.0, 300.0, 710.0}) {
    const auto kernel = sized("kernel: " + std::to_string(us) + " us, buffer: 256 MiB").kernels.at(0);
    EXPECT_GT(kernel.bytes, 0U);
    EXPECT_EQ(kernel.bytes % 4, 0U);
    EXPECT_NEAR(seconds_of(kernel), us * 1e-6, 1e-10);
  }
}

TEST(SizeCase, FindsTheRepeatNearestToAnAmountOfWork) {
  EXPECT_EQ(sized("kernel: {work: 1e9}, buffer: 4 MB").kernels.at(0).repeat, 1000U);
  EXPECT_EQ(sized("kernel: {work: 1.4e6}, buffer: 4 MB").kernels.at(0).repeat, 1U);
  EXPECT_EQ(sized("kernel: {work: 1.6e6}, buffer: 4 MB").kernels.at(0).repeat, 2U);
  EXPECT_THAT(error_of("kernel: {work: 1e18}"), HasSubstr("cannot do that much work"));
}

TEST(SizeCase, RefusesDurationsThatNoSizeMeets) {
  EXPECT_THAT(error_of("htod: 1 us"),
              HasSubstr("no transfer to the device takes 1.000 us; the shortest takes 10.00 us"));
  EXPECT_THAT(error_of("kernel: 1 us"), HasSubstr("cannot be made as short as 1.000 us; its shortest launch takes"));
  EXPECT_THAT(error_of("kernel: 900000 s, buffer: 64 B"), HasSubstr("cannot be made to take"));
}

TEST(SizeCase, NamesTheMissingModelAndHowToGetIt) {
  EXPECT_THAT(error_of("kernel: {name: vector_add, duration: 1 ms}"),
              HasSubstr("no model of kernel \"vector_add\"; calibrate it with"));
  EXPECT_THAT(error_of("htod: 1 ms", machine(), "memory: pageable\n"),
              HasSubstr("no model of pageable transfers to the device; calibrate it with `forelap calibrate`"));
}

TEST(SizeCase, RefusesABufferLargerThanTheDeviceGives) {
  EXPECT_THAT(error_of("htod: 2 GiB"),
              HasSubstr("its buffer of 2.000 GiB is larger than what the device gives at once"));
}

TEST(SizeCase, TakesEnginesFromTheScenarioElseFromTheMachine) {
  EXPECT_EQ(size_case(scenario_of("htod: 1 ms"), 0, machine()).engines, std::vector<std::uint32_t>({2}));
  EXPECT_EQ(size_case(scenario_of("htod: 1 ms", "engines: 1\n"), 0, machine()).engines,
            std::vector<std::uint32_t>({1}));
}

TEST(SizeCase, AWhatIfChangesTheMachineAndNotTheWork) {
  core::Machine faster = machine();
  faster.devices[0].copy_engines.value = 1;
  for (auto& transfer : faster.devices[0].transfers) {
    for (auto& piece : transfer.pieces) piece.per_byte.value /= 2;
  }
  const auto scenario = scenario_of("htod: 1 ms, kernel: 2 ms, dtoh: 1 ms");
  const auto plain = size_case(scenario, 0, machine());
  const auto what_if = size_case(scenario, 0, faster, machine());
  EXPECT_EQ(what_if.tasks[0].htod[0].bytes, plain.tasks[0].htod[0].bytes);
  EXPECT_EQ(what_if.tasks[0].kernels[0].repeat, plain.tasks[0].kernels[0].repeat);
  EXPECT_EQ(what_if.engines, std::vector<std::uint32_t>({1}));
  EXPECT_NE(size_case(scenario, 0, faster).tasks[0].htod[0].bytes, plain.tasks[0].htod[0].bytes);
}

TEST(SizeCase, RefusesMoreDevicesThanTheMachineHas) {
  EXPECT_THAT(error_of("htod: 1 ms", machine(), "devices: [a, b]\n"),
              HasSubstr("uses 2 devices, but machine \"m\" has 1"));
}

TEST(SizeCase, MeetsTheDurationsOfEveryShippedBenchmarkOnThePapersDevices) {
  for (const std::string name : {"bk0", "bk25", "bk50", "bk75", "bk100"}) {
    for (const std::string device : {"amd-r9", "nvidia-k20c", "xeon-phi-5100"}) {
      const std::string root = std::string(FORELAP_SOURCE_DIR) + "/scenarios/";
      const auto scenario = scenarios::read_scenario(root + "library/" + name + ".yaml");
      const auto on = scenarios::read_machine(root + "machines/" + device + ".yaml");
      const auto tuning = size_case(scenario, 0, on);
      const auto& tasks = std::get<scenarios::TaskGroup>(scenario.body).cases[0].tasks;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto& kernel = tuning.tasks[i].kernels.at(0);
        const std::uint64_t bytes = kernel.bytes != 0 ? kernel.bytes : tuning.tasks[i].buffer_bytes;
        const auto launch =
            scenarios::make_launch(scenarios::builtin_definitions()[0], core::BufferId{}, bytes, kernel.repeat);
        const double wished = *tasks[i].kernels[0].seconds;
        EXPECT_NEAR(models::kernel_seconds(on.devices[0].kernels[0], launch.work, launch.items), wished, 0.02 * wished)
            << name << " " << device << " " << tasks[i].name;
      }
    }
  }
}

core::Machine of_all_kernels() {
  core::Machine on = with_more_kernels();
  on.devices[0].memory_bytes = 0x1p36;
  return on;
}

void expect_whole_data(const scenarios::Scenario& scenario, const scenarios::TaskSpec& task,
                       const scenarios::SizedTask& sized) {
  const std::string& name = task.kernels.at(0).kernel;
  const auto* definition = scenarios::find_definition(scenario, name);
  ASSERT_NE(definition, nullptr) << name;
  const auto launch = scenarios::make_launch(*definition, core::BufferId{}, sized.buffer_bytes, 1);
  const bool keeps_rows = name == "convolution" || name == "dct";  // between their passes
  EXPECT_EQ(sized.htod.at(0).bytes * (keeps_rows ? 2 : 1), launch.result) << scenario.name << ", " << task.name;
  EXPECT_EQ(launch.result + sized.dtoh.at(0).bytes, sized.buffer_bytes) << scenario.name << ", " << task.name;
  EXPECT_GE(sized.buffer_bytes, sized.htod.at(0).bytes + sized.dtoh.at(0).bytes);
}

TEST(SizeCase, TheLibrarysRealTasksSendTheirWholeInputAndFetchTheirWholeResult) {
  for (const std::string percent : {"0", "25", "50", "75", "100"}) {
    for (const auto& [tasks, suffix] : {std::pair(4, ""), std::pair(6, "-t6"), std::pair(8, "-t8")}) {
      const auto scenario =
          scenarios::read_scenario(FORELAP_SOURCE_DIR "/scenarios/library/real-bk" + percent + suffix + ".yaml");
      const auto& group = std::get<scenarios::TaskGroup>(scenario.body);
      const auto tuning = size_case(scenario, 0, of_all_kernels());
      ASSERT_EQ(tuning.tasks.size(), static_cast<std::size_t>(tasks));
      EXPECT_EQ(group.order, tasks == 4 ? scenarios::OrderMode::all : scenarios::OrderMode::given);
      for (std::size_t i = 0; i < tuning.tasks.size(); ++i) {
        expect_whole_data(scenario, group.cases[0].tasks[i], tuning.tasks[i]);
      }
    }
  }
}

/// Bytes in and out, the kernel, or durations: what a task is, but for its name.
std::string kind_of(const scenarios::TaskSpec& task) {
  const auto text = [](const scenarios::TransferSpec& t) {
    return t.bytes ? std::to_string(*t.bytes) + " B " : std::to_string(t.seconds.value_or(0)) + " s ";
  };
  const auto& kernel = task.kernels.at(0);
  return text(task.htod.at(0)) + kernel.kernel + " " + std::to_string(kernel.seconds.value_or(0)) + " " +
         std::to_string(kernel.repeat.value_or(0)) + " " + text(task.dtoh.at(0));
}

TEST(SizeCase, TheLibrarysLargerGroupsBeginWithTheFourTasksAndDrawTheOthersFromThem) {
  const auto kinds_of = [](const std::string& file, double scale) {
    auto scenario = scenarios::read_scenario(FORELAP_SOURCE_DIR "/scenarios/library/" + file + ".yaml");
    std::vector<std::string> kinds;
    for (auto& task : std::get<scenarios::TaskGroup>(scenario.body).cases.at(0).tasks) {
      for (auto* transfer : {&task.htod.at(0), &task.dtoh.at(0)}) {
        if (transfer->seconds) *transfer->seconds *= scale;
      }
      if (task.kernels.at(0).kernel == "synthetic") *task.kernels[0].seconds *= scale;
      kinds.push_back(kind_of(task));
    }
    return kinds;
  };
  for (const std::string name : {"bk0", "bk25", "bk50", "bk75", "bk100"}) {
    for (const std::string kind : {"", "real-"}) {
      const auto four = kinds_of(kind + name, 1);
      for (const std::string size : {"-t6", "-t8"}) {
        auto more = kinds_of(kind + name + size, 5);  // units of 2 ms for 10 ms
        ASSERT_GE(more.size(), 6U);
        for (std::size_t i = 0; i < more.size(); ++i) {
          EXPECT_THAT(four, testing::Contains(more[i])) << kind << name << size;
          if (i < 4) {
            EXPECT_EQ(more[i], four[i]) << kind << name << size;
          }
        }
      }
    }
  }
}

TEST(Sizing, WhatAKernelWorksOnIsKnownWithoutAMachineWhereSizesAreGiven) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  const auto known = [](const std::string& task) {
    const auto scenario = scenario_of(task);
    return known_kernel_bytes(scenario, scenarios::task_group_of(scenario).cases.at(0).tasks.at(0));
  };
  // The input is two of three matrices, the result the third.
  EXPECT_THAT(known("htod: 2957312 B, kernel: {name: matrix_multiply, duration: 5 ms}, dtoh: 1478656 B"),
              ElementsAre(std::uint64_t{608} * 608 * 12));
  EXPECT_THAT(known("htod: 1 ms, kernel: 2 ms, dtoh: 1 ms"), IsEmpty());
  EXPECT_THAT(known("buffer: 3 MB, htod: 1 ms, kernel: 2 ms, dtoh: 1 ms"), ElementsAre(3'000'000U));
  EXPECT_THAT(known("htod: 8 MB, kernel: [{repeat: 2, bytes: 2 MB}, {repeat: 3}], dtoh: 4 MB"),
              ElementsAre(2'000'000U, 8'000'000U));
}

}  // namespace
}  // namespace forelap::tune
