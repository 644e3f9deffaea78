#pragma once
// Small result sets for the tests of this folder.

#include <string>
#include <vector>

#include "validate/results.hpp"

namespace forelap::validate::testing {

/// A task of 8 bytes in, one kernel, 4 bytes out.
inline scenarios::SizedTask small_task() {
  scenarios::SizedTask task;
  task.buffer_bytes = 8;
  task.htod = {{8, core::kModelled}};
  scenarios::SizedKernel kernel;
  kernel.kernel = "synthetic";
  kernel.repeat = 3;
  task.kernels = {kernel};
  task.dtoh = {{4, core::kModelled}};
  return task;
}

inline CaseRecord case_of(const std::string& name, std::size_t tasks) {
  CaseRecord record;
  record.name = name;
  for (std::size_t i = 0; i < tasks; ++i) {
    record.tasks.push_back("T" + std::to_string(i));
    record.tuning.tasks.push_back(small_task());
    record.tuning.device.push_back(0);
  }
  record.tuning.engines = {2};
  return record;
}

inline Row row_of(std::vector<std::uint32_t> order, double predicted, std::vector<double> samples) {
  Row row;
  row.order = std::move(order);
  row.predicted = Predicted{predicted, predicted * 0.99, predicted * 1.01};
  row.samples = std::move(samples);
  return row;
}

/// Two tasks in both orders: predicted 1.0 and 2.0 s; measured medians 1.0 and 1.6 s.
inline RunSet two_orders() {
  RunSet set;
  set.scenario = "pair";
  set.scenario_text = "name: pair\n";
  set.machine = "bench";
  set.engine = "fast";
  set.interference = "partial";
  set.memory = "pinned";
  set.devices = {{"opencl", "Device \"X\"", "3.0", "Platform", 4}};
  set.links = {"PCIe 5 x16"};
  set.host_cores = 2;
  set.seed = 7;
  set.repetitions = 5;
  set.tolerance_pct = 5;
  set.when = "2026-01-02T03:04:05Z";
  set.notes = {"a note"};
  set.cases = {case_of("", 2)};
  set.rows = {row_of({0, 1}, 1.0, {0.9, 1.0, 1.0, 1.0, 1.1}), row_of({1, 0}, 2.0, {1.6, 1.6, 1.6, 1.6, 1.6})};
  set.rows[0].cold = 40.5;
  set.rows[1].extrapolated = true;
  set.rows[1].partial = true;
  return set;
}

}  // namespace forelap::validate::testing
