#include "scenarios/study.hpp"

#include "core/statistics.hpp"

namespace forelap::scenarios {
namespace {

std::string queues_text(KernelQueues queues) {
  return queues == KernelQueues::one ? "one kernel queue" : "a queue a kernel";
}

/// The tasks of all rounds: the case's own where they suffice for the first, else drawn.
std::vector<TaskSpec> draw_tasks(const TaskCase& c, std::uint32_t workers, std::uint32_t rounds, std::uint64_t seed) {
  core::Random random(seed);
  std::vector<TaskSpec> tasks;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      const bool own = round == 0 && workers <= c.tasks.size();
      TaskSpec task = c.tasks[own ? worker : random.below(c.tasks.size())];
      if (!own || rounds > 1)
        task.name += " of " + std::to_string(worker) + (rounds > 1 ? "." + std::to_string(round) : "");
      if (round > 0) task.after = {(round - 1) * workers + worker};
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

}  // namespace

std::uint32_t workers_of(const Scenario& scenario, std::size_t case_index) {
  const auto& group = std::get<TaskGroup>(scenario.body);
  const std::uint32_t wished = group.study ? group.study->workers : 0;
  return wished != 0 ? wished : static_cast<std::uint32_t>(group.cases.at(case_index).tasks.size());
}

Scenario expand_study(const Scenario& scenario) {
  Scenario expanded = scenario;
  auto& group = std::get<TaskGroup>(expanded.body);
  const Study study = group.study.value();
  group.study.reset();
  group.cases.clear();
  const auto& cases = std::get<TaskGroup>(scenario.body).cases;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::uint32_t workers = workers_of(scenario, i);
    for (const KernelQueues queues : study.kernel_queues) {
      TaskCase c;
      c.name = (cases[i].name.empty() ? "" : cases[i].name + ", ") + queues_text(queues);
      c.tasks = draw_tasks(cases[i], workers, study.rounds, scenario.seed + i);
      c.kernel_lanes = queues == KernelQueues::one ? 1 : static_cast<std::uint32_t>(c.tasks.size());
      group.cases.push_back(std::move(c));
    }
  }
  return expanded;
}

}  // namespace forelap::scenarios
