#include "scenarios/machine_file.hpp"

#include <cmath>

#include "core/statistics.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string machine_text(const std::string& device_keys) {
  return "forelap_machine: 1\nname: m\ndevices:\n  - name: d\n    copy_engines: 2\n" + device_keys;
}

core::Parameter random_parameter(core::Random& random, double low, double high) {
  core::Parameter p;
  p.value = low * std::pow(high / low, random.uniform());
  p.spread = random.below(4) == 0 ? 0 : p.value * random.uniform() * 0.1;
  p.samples = static_cast<std::uint32_t>(random.below(100));
  p.assumed = random.below(2) == 0;
  p.how = random.below(3) == 0 ? "" : "measured: \"quoted\", 3 x\nlines";
  return p;
}

core::Machine random_machine(std::uint64_t seed) {
  core::Random random(seed);
  core::Machine machine;
  machine.name = "random";
  machine.when = "2026-11-30T12:00:00Z";
  machine.host.cpu = "Some CPU @ 2.1GHz";
  machine.host.cores = 16;
  machine.host.work.push_back({"compile", random_parameter(random, 1e-3, 1), random_parameter(random, 1e-9, 1)});
  machine.network.per_byte = random_parameter(random, 1e-12, 1e-8);
  core::DeviceModel device;
  device.name = "gpu0";
  device.identity = {"cuda", "NVIDIA H200", "580.1", "", 132};
  device.memory_bytes = 150'000'000'000;
  device.copy_engines = {2, 0, 30, false, "measured"};
  device.run_overhead = random_parameter(random, 1e-7, 1e-4);
  device.hop = random_parameter(random, 1e-7, 1e-4);
  core::TransferModel transfer{core::Direction::device_to_host, core::MemoryKind::pinned, {}};
  double from = 0;
  for (const double to : {4096.0, 1048576.0, HUGE_VAL}) {
    transfer.pieces.push_back({from, to, random_parameter(random, 1e-7, 1e-4), random_parameter(random, 1e-13, 1e-8)});
    from = to;
  }
  device.transfers.push_back(transfer);
  transfer.pieces.resize(1);
  transfer.memory = core::MemoryKind::pageable;
  device.transfers.push_back(transfer);
  core::KernelModel kernel{"synthetic", {0.4, 0.01, 3, false, "measured"}, {}};
  kernel.pieces.push_back({0, 1234.5678, 17.25, 1e9, random_parameter(random, 1e-7, 1e-4),
                           random_parameter(random, 1e-16, 1e-9), random_parameter(random, 1e-15, 1e-9)});
  kernel.pieces.push_back(
      {1234.5678, 1e15, 0, HUGE_VAL, random_parameter(random, 1e-7, 1e-4), random_parameter(random, 1e-16, 1e-9), {}});
  if (seed % 2 == 0) kernel.full_items = random_parameter(random, 1, 1e7);
  device.kernels.push_back(kernel);
  core::InterferenceRow row;
  row.active = core::bit(core::ActivityClass::htod) | core::bit(core::ActivityClass::dtoh);
  row.rates[core::ActivityClass::htod] = random_parameter(random, 0.1, 1);
  device.interference.push_back(row);
  machine.devices.push_back(device);
  return machine;
}

void expect_equal(const core::Parameter& a, const core::Parameter& b) {
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.spread, b.spread);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.assumed, b.assumed);
  EXPECT_EQ(a.how, b.how);
}

void expect_equal(const core::TransferModel& a, const core::TransferModel& b) {
  EXPECT_EQ(a.direction, b.direction);
  EXPECT_EQ(a.memory, b.memory);
  ASSERT_EQ(a.pieces.size(), b.pieces.size());
  for (std::size_t i = 0; i < a.pieces.size(); ++i) {
    EXPECT_EQ(a.pieces[i].from_bytes, b.pieces[i].from_bytes);
    EXPECT_EQ(a.pieces[i].to_bytes, b.pieces[i].to_bytes);
    expect_equal(a.pieces[i].fixed, b.pieces[i].fixed);
    expect_equal(a.pieces[i].per_byte, b.pieces[i].per_byte);
  }
}

void expect_equal(const core::KernelModel& a, const core::KernelModel& b) {
  EXPECT_EQ(a.kernel, b.kernel);
  expect_equal(a.fill, b.fill);
  expect_equal(a.full_items, b.full_items);
  ASSERT_EQ(a.pieces.size(), b.pieces.size());
  for (std::size_t i = 0; i < a.pieces.size(); ++i) {
    EXPECT_EQ(a.pieces[i].from_items, b.pieces[i].from_items);
    EXPECT_EQ(a.pieces[i].least_work, b.pieces[i].least_work);
    EXPECT_EQ(a.pieces[i].to_items, b.pieces[i].to_items);
    EXPECT_EQ(a.pieces[i].most_work, b.pieces[i].most_work);
    expect_equal(a.pieces[i].launch, b.pieces[i].launch);
    expect_equal(a.pieces[i].per_work, b.pieces[i].per_work);
    expect_equal(a.pieces[i].per_item, b.pieces[i].per_item);
  }
}

TEST(MachineFile, ReadsBackBitForBitWhatItWrites) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const core::Machine machine = random_machine(seed);
    const std::string text = write_machine(machine);
    const core::Machine back = parse_machine(text, "m.yaml");
    EXPECT_EQ(back.when, machine.when);
    EXPECT_EQ(back.host.cpu, machine.host.cpu);
    EXPECT_EQ(back.host.cores, machine.host.cores);
    expect_equal(back.host.work.at(0).fixed, machine.host.work[0].fixed);
    expect_equal(back.host.work.at(0).per_unit, machine.host.work[0].per_unit);
    expect_equal(back.network.per_byte, machine.network.per_byte);
    const core::DeviceModel& a = back.devices.at(0);
    const core::DeviceModel& b = machine.devices[0];
    EXPECT_EQ(a.identity.driver, "580.1");
    EXPECT_EQ(a.identity.compute_units, 132U);
    EXPECT_EQ(a.memory_bytes, b.memory_bytes);
    expect_equal(a.copy_engines, b.copy_engines);
    expect_equal(a.run_overhead, b.run_overhead);
    expect_equal(a.hop, b.hop);
    ASSERT_EQ(a.transfers.size(), 2U);
    expect_equal(a.transfers[0], b.transfers[0]);
    expect_equal(a.transfers[1], b.transfers[1]);
    expect_equal(a.kernels.at(0), b.kernels[0]);
    EXPECT_EQ(a.interference.at(0).active, b.interference[0].active);
    expect_equal(a.interference[0].rates.at(core::ActivityClass::htod),
                 b.interference[0].rates.at(core::ActivityClass::htod));
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << text;
  }
}

TEST(MachineFile, WritesBandwidthAsARate) {
  core::Machine machine = random_machine(1);
  machine.devices[0].transfers[1].pieces[0].per_byte = {1 / 55.4e9, 0.001 / 55.4e9, 9, false, "measured"};
  EXPECT_THAT(write_machine(machine), HasSubstr("rate: {value: 55.4 GB/s, spread: 55.4 MB/s"));
}

TEST(MachineFile, SaysFromHowManyItemsALaunchFillsTheDeviceOnlyWhereItIsKnown) {
  core::Machine machine = random_machine(1);
  EXPECT_THAT(write_machine(machine), Not(HasSubstr("full_items")));
  machine.devices[0].kernels[0].full_items = {135168, 2000, 12, false, "measured"};
  EXPECT_THAT(write_machine(machine), HasSubstr("full_items: {value: 135168, spread: 2000, samples: 12"));
}

TEST(MachineFile, KeepsACostAByteThatIsZero) {
  core::Machine machine = random_machine(1);
  machine.devices[0].transfers[1].pieces[0].per_byte = {0, 1e-13, 9, false, "flat"};
  const core::Machine back = parse_machine(write_machine(machine), "m.yaml");
  expect_equal(back.devices[0].transfers[1], machine.devices[0].transfers[1]);
}

TEST(MachineFile, OfModelsThatSawOneSizeReadsBack) {
  core::Machine machine = random_machine(2);
  core::DeviceModel& device = machine.devices[0];
  device.transfers[1].pieces[0].from_bytes = device.transfers[1].pieces[0].to_bytes = 1048576;
  device.kernels[0].pieces.resize(1);
  core::KernelPiece& piece = device.kernels[0].pieces[0];
  piece.from_items = piece.to_items = 1e6;
  piece.least_work = piece.most_work = 1e9;
  const core::Machine back = parse_machine(write_machine(machine), "m.yaml");
  expect_equal(back.devices[0].transfers[1], device.transfers[1]);
  expect_equal(back.devices[0].kernels[0], device.kernels[0]);
}

TEST(MachineFile, TakesPlainQuantitiesAndLeavesTheRestAtZero) {
  const core::Machine machine = parse_machine(
      machine_text(
          "    hop: 7 us\n    transfers:\n      - {direction: htod, memory: pinned, latency: 5 us, rate: 50 GB/s}\n"),
      "m.yaml");
  const core::DeviceModel& device = machine.devices.at(0);
  EXPECT_EQ(device.hop.value, 7e-6);
  EXPECT_EQ(device.submit.value, 0);
  const core::TransferPiece& piece = device.transfers.at(0).pieces.at(0);
  EXPECT_EQ(piece.per_byte.value, 1 / 50e9);
  EXPECT_EQ(piece.from_bytes, 0);
  EXPECT_TRUE(std::isinf(piece.to_bytes));
}

TEST(MachineFile, TellsRatesOfBytesAndBitsApart) {
  const auto per_byte = [](const std::string& rate) {
    return parse_machine(
               machine_text("    transfers:\n      - {direction: htod, memory: pinned, rate: " + rate + "}\n"),
               "m.yaml")
        .devices[0]
        .transfers[0]
        .pieces[0]
        .per_byte.value;
  };
  EXPECT_DOUBLE_EQ(per_byte("25 GB/s"), 1 / 25e9);
  EXPECT_DOUBLE_EQ(per_byte("25 Gbit/s"), 8 / 25e9);
  EXPECT_DOUBLE_EQ(per_byte("25 GiB/s"), 1 / (25.0 * 1024 * 1024 * 1024));
  for (const std::string rate : {"25", "25 GB", "25 gb/s", "0 GB/s", "-1 GB/s", "nan", "12 us"}) {
    EXPECT_THAT(message_of([&] { per_byte(rate); }), StartsWith("m.yaml:7:49: devices[0].transfers[0].rate: found"))
        << rate;
  }
}

TEST(MachineFile, RefusesWhatItCannotMean) {
  const auto error = [](const std::string& keys) { return machine_error(machine_text(keys)); };
  EXPECT_THAT(error("    hop: {valeu: 3 us}\n"),
              HasSubstr("devices[0].hop.valeu: unknown key; did you mean \"value\"?"));
  EXPECT_THAT(error("    hop: {spread: 3 us}\n"), HasSubstr("devices[0].hop: the key \"value\" is missing"));
  EXPECT_THAT(error("    hop: {value: 3 us, spread: -1 us}\n"), HasSubstr("must not be negative"));
  EXPECT_THAT(error("    interference:\n      - {active: [htod], rates: {htod: 0.5}}\n"),
              HasSubstr("found a list of 1, expected at least 2 entries"));
  EXPECT_THAT(error("    interference:\n      - {active: [htod, dtoh], rates: {kernel: 0.5}}\n"),
              HasSubstr("rates.kernel: found a class that is not among `active`"));
  EXPECT_THAT(error("    interference:\n      - {active: [htod, dtoh], rates: {htod: 0}}\n"),
              HasSubstr("rates.htod: found"));
  EXPECT_THAT(error("    interference:\n      - {active: [htod, dtoh], rates: {}}\n"
                    "      - {active: [dtoh, htod], rates: {}}\n"),
              HasSubstr("interference[1]: found a second row for this set"));
  EXPECT_THAT(
      error("    transfers:\n      - {direction: htod, memory: pinned, pieces: [{to: 4 KiB}, {from: 8 KiB}]}\n"),
      HasSubstr("pieces[1].from: found a stretch that does not begin where the one before it ends"));
  EXPECT_THAT(
      error("    transfers:\n      - {direction: htod, memory: pinned, latency: 1 us, pieces: [{to: 4 KiB}]}\n"),
      HasSubstr("latency: found a number beside `pieces`"));
  EXPECT_THAT(error("    transfers:\n      - {direction: htod, memory: pinned, from: 4 KiB, to: 2 KiB}\n"),
              HasSubstr("to: found a range that ends before it begins"));
  EXPECT_THAT(error("    transfers:\n      - {direction: htod, memory: pinned, pieces: [{to: 4 KiB}, {from: 4 KiB, to: "
                    "4 KiB}]}\n"),
              HasSubstr("pieces[1].to: found a stretch that ends where it begins"));
  EXPECT_THAT(error("    kernels:\n      - {kernel: k, least_work: 100, most_work: 99}\n"),
              HasSubstr("most_work: found a range that ends before it begins"));
  EXPECT_THAT(error("    kernels:\n      - {kernel: k, least_work: 100, pieces: [{from: 5}]}\n"),
              HasSubstr("least_work: found a number beside `pieces`"));
  EXPECT_THAT(error("    transfers:\n      - {direction: htod, memory: pinned}\n"
                    "      - {direction: htod, memory: pinned}\n"),
              HasSubstr("transfers[1]: found a second model of this direction and memory"));
  EXPECT_THAT(error("    kernels:\n      - {kernel: a}\n      - {kernel: a}\n"),
              HasSubstr("a second model of this kernel"));
  EXPECT_THAT(error("  - {name: d, copy_engines: 1}\n"), HasSubstr("devices[1].name: a second device is called \"d\""));
  EXPECT_THAT(machine_error("forelap_machine: 1\nname: m\ndevices: []\n"), HasSubstr("expected at least 1 entry"));
  EXPECT_THAT(machine_error("forelap_machine: 1\nname: m\ndevices: [{name: d, copy_engines: 3}]\n"),
              HasSubstr("found \"3\", expected 1 or 2"));
  EXPECT_THAT(machine_error("forelap: 1\nkind: task_group\n"), HasSubstr("this is a scenario, not a machine"));
  EXPECT_THAT(machine_error("a: 1\n"), HasSubstr("the key \"forelap_machine\" is missing"));
}

TEST(DocumentKind, IsToldByTheFirstKeys) {
  const std::string root = std::string(FORELAP_SOURCE_DIR) + "/scenarios/";
  EXPECT_EQ(document_kind(root + "library/bk50.yaml"), DocumentKind::scenario);
  EXPECT_EQ(document_kind(root + "machines/amd-r9.yaml"), DocumentKind::machine);
}

TEST(MachineFile, OfEveryShippedMachineReadsBackAndSaysWhereItsNumbersComeFrom) {
  for (const char* name : {"ideal-two-engines", "ideal-two-engines-slowdown-2", "ideal-one-engine", "worked-example",
                           "amd-r9", "nvidia-k20c", "xeon-phi-5100"}) {
    const core::Machine machine =
        read_machine(std::string(FORELAP_SOURCE_DIR) + "/scenarios/machines/" + name + ".yaml");
    EXPECT_EQ(write_machine(parse_machine(write_machine(machine), "m.yaml")), write_machine(machine)) << name;
    for (const core::DeviceModel& device : machine.devices) {
      EXPECT_FALSE(device.copy_engines.how.empty()) << name;
      for (const core::TransferModel& transfer : device.transfers) {
        EXPECT_FALSE(transfer.pieces.at(0).fixed.how.empty()) << name;
        EXPECT_TRUE(transfer.pieces.at(0).per_byte.assumed) << name;
      }
      for (const core::InterferenceRow& row : device.interference) {
        for (const auto& rate : row.rates) EXPECT_FALSE(rate.second.how.empty()) << name;
      }
    }
  }
}

}  // namespace
}  // namespace forelap::scenarios
