// How files write open work: the `online` map.

#include <algorithm>

#include "scenarios/scenario_file.hpp"

namespace forelap::scenarios {
namespace {

constexpr std::uint32_t kMostTasks = 100'000;

void require_interval(const Cursor& cursor, const Online& online) {
  const bool spaced = online.arrivals == Arrivals::every || online.arrivals == Arrivals::poisson;
  const bool given = cursor.node().find("interval") != nullptr;
  if (spaced && !(online.interval > 0)) {
    const std::string expected = online.arrivals == Arrivals::every ? "the time from one task to the next"
                                                                    : "the mean time from one task to the next";
    if (given) cursor.at("interval").fail("found no time, expected " + expected + ", such as 2 ms");
    cursor.fail("the key \"interval\" is missing: " + expected + ", such as `interval: 2 ms`");
  }
  if (!spaced && given) {
    cursor.at("interval").fail("found an interval, which only `arrivals: every` and `arrivals: poisson` have");
  }
}

void require_workers(const Cursor& cursor, const Online& online) {
  const bool closed = online.arrivals == Arrivals::closed;
  if (closed && online.workers == 0) {
    cursor.fail("the key \"workers\" is missing: how many send tasks, such as `workers: 4`");
  }
  for (const char* key : {"workers", "think"}) {
    if (closed || cursor.node().find(key) == nullptr) continue;
    cursor.at(key).fail("found `" + std::string(key) + "`, which only `arrivals: closed` has");
  }
  if (closed && std::uint64_t{online.workers} * std::max(1U, online.tasks) > kMostTasks) {
    cursor.at("tasks").fail("found " + std::to_string(online.workers) + " workers of " + std::to_string(online.tasks) +
                            " tasks each, expected at most " + std::to_string(kMostTasks) + " tasks in all");
  }
}

void check_policies(const Cursor& cursor, const Online& online) {
  for (std::size_t i = 0; i < online.policies.size(); ++i) {
    const auto first = std::find(online.policies.begin(), online.policies.end(), online.policies[i]);
    if (first == online.policies.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    cursor.at("policies").at(i).fail("found \"" + online.policies[i] + "\" a second time");
  }
}

}  // namespace

const std::vector<std::string>& online_policy_names() {
  static const std::vector<std::string> names = {"arrival", "heuristic", "neh", "auto"};
  return names;
}

Codec<Online> online_codec(double unit) {
  std::vector<std::pair<std::string, std::string>> policies;
  for (const std::string& name : online_policy_names()) policies.emplace_back(name, name);
  Table<Online> table("open work");
  table
      .add(Need::required, "arrivals", "when tasks come",
           choice_codec<Arrivals>({{"at_once", Arrivals::at_once},
                                   {"every", Arrivals::every},
                                   {"poisson", Arrivals::poisson},
                                   {"closed", Arrivals::closed}}),
           &Online::arrivals)
      .add(Need::optional, "interval", "time from one task to the next (every), or its mean (poisson)",
           duration_codec(unit), &Online::interval)
      .add(Need::optional, "tasks", "tasks that come in all, or of each worker (closed)", whole32_codec(1, kMostTasks),
           &Online::tasks)
      .add(Need::optional, "workers", "how many send tasks (closed)", whole32_codec(1, 10'000), &Online::workers)
      .add(Need::optional, "think", "time from the end of a worker's task to its next one (closed)",
           duration_codec(unit), &Online::think)
      .add(Need::optional, "draw", "which of the tasks come",
           choice_codec<Draw>({{"in_turn", Draw::in_turn}, {"random", Draw::random}}), &Online::draw)
      .add(Need::optional, "policies", "what orders the tasks that wait, each in a run of its own",
           list_codec(choice_codec<std::string>(policies), 1, Single::allowed), &Online::policies)
      .add(Need::optional, "queue", "tasks that may wait to be submitted", whole32_codec(1, 1'000'000), &Online::queue)
      .rule(require_interval)
      .rule(require_workers)
      .rule(check_policies);
  return table_codec(std::move(table));
}

}  // namespace forelap::scenarios
