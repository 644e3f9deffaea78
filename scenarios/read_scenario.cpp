#include <algorithm>
#include <set>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "scenarios/override.hpp"
#include "scenarios/partition_file.hpp"
#include "scenarios/read.hpp"
#include "scenarios/scenario_file.hpp"

namespace forelap::scenarios {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<TaskSpec>& tasks) {
  Names names;
  for (const TaskSpec& task : tasks) names.push_back(task.name);
  return names;
}

/// The position of the task that the cursor names.
std::uint32_t position_of(const Cursor& cursor, const std::string& name, const Names& names) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<std::uint32_t>(at - names.begin());
  constexpr std::size_t kShown = 12;
  const std::string near = core::nearest(name, names);
  Names shown(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown)));
  if (names.size() > kShown) shown.emplace_back("...");
  cursor.fail("found \"" + name + "\", which is no task" + (near.empty() ? "" : "; did you mean \"" + near + "\"?") +
              " The tasks are " + core::join_names(shown));
}

/// A study measures all orders of so many tasks at most, and takes so many tasks in all.
constexpr std::size_t kMostForAllOrders = 7;
constexpr std::size_t kMostStudied = 64;

/// From a file's words to the typed scenario, with the checks that look at more than one place.
class Converter {
 public:
  Converter(const Cursor& root, ScenarioFile file, const std::string& path) : root_(root), file_(std::move(file)) {
    file_.scenario.path = path;
  }

  Scenario run() {
    TaskGroup group = std::move(file_.group);
    group.order = file_.order.mode;
    check_body();
    if (file_.overlap) {
      refuse_order("an overlap series", group.order);
      group.cases = overlap_cases(*file_.overlap);
    } else if (!file_.cases.empty()) {
      convert_cases(group);
    } else {
      group.cases.push_back(convert_case(root_, {{}, std::move(file_.tasks), std::move(file_.order.lists)}));
    }
    check_devices(group);
    check_online(group);
    check_study(group);
    Scenario scenario = std::move(file_.scenario);
    scenario.body = std::move(group);
    return scenario;
  }

 private:
  void check_body() const {
    const int given = int{root_.node().find("tasks") != nullptr} + int{root_.node().find("cases") != nullptr} +
                      int{root_.node().find("overlap") != nullptr};
    if (given == 0) {
      root_.fail(
          "the key \"tasks\" is missing: the group's tasks; expected a list such as "
          "[{name: T0, htod: 1 ms, kernel: 8 ms, dtoh: 1 ms}]");
    }
    if (given > 1) root_.fail("found more than one of `tasks`, `cases` and `overlap`, expected one of them");
  }

  void refuse_order(const std::string& what, OrderMode mode) const {
    if (mode != OrderMode::given) root_.at("order").fail("found an order, but " + what + " runs in the order given");
  }

  void convert_cases(TaskGroup& group) {
    const bool listed = !file_.cases.front().orders.empty();
    if (group.order == OrderMode::list) {
      root_.at("order").fail("found a list of orders, expected it as `order` of each of the `cases`");
    }
    if (listed && group.order == OrderMode::all) {
      root_.at("order").fail("found `all`, but the cases list their orders; keep one of the two");
    }
    if (listed) group.order = OrderMode::list;
    std::set<std::string> names;
    for (std::size_t i = 0; i < file_.cases.size(); ++i) {
      const Cursor cursor = root_.at("cases").at(i);
      CaseFile& c = file_.cases[i];
      if (c.orders.empty() == listed) cursor.fail("found cases with and without `order`, expected it in all or none");
      if (!names.insert(c.name).second) cursor.at("name").fail("a second case is called \"" + c.name + "\"");
      group.cases.push_back(convert_case(cursor, std::move(c)));
    }
  }

  TaskCase convert_case(const Cursor& cursor, CaseFile file) const {
    TaskCase result;
    result.name = std::move(file.name);
    result.kernel_lanes = file.kernel_lanes;
    const Cursor tasks = cursor.at("tasks");
    Names names;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < file.tasks.size(); ++i) {
      names.push_back(file.tasks[i].name.empty() ? "T" + std::to_string(i) : file.tasks[i].name);
      if (!taken.insert(names.back()).second) {
        tasks.at(i).at("name").fail("a second task is called \"" + names.back() + "\"; give each its own name");
      }
    }
    refuse_circles(tasks, file.tasks, names);
    for (std::size_t i = 0; i < file.tasks.size(); ++i) {
      result.tasks.push_back(convert_task(tasks.at(i), std::move(file.tasks[i]), i, names));
    }
    for (std::size_t i = 0; i < file.orders.size(); ++i) {
      result.orders.push_back(convert_order(cursor.at("order").at(i), file.orders[i], result.tasks));
    }
    return result;
  }

  /// Said before a task is found to come after one below it, which is only half of what is wrong.
  static void refuse_circles(const Cursor& cursor, const std::vector<TaskFile>& files, const Names& names) {
    std::vector<TaskSpec> tasks(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      for (const std::string& name : files[i].after) {
        const auto at = std::find(names.begin(), names.end(), name);
        if (at != names.end()) tasks[i].after.push_back(static_cast<std::uint32_t>(at - names.begin()));
      }
    }
    const auto circle = circle_of(tasks);
    if (circle.size() < 2) return;  // a task after itself is told as such
    std::string words = "\"" + names[circle.front()] + "\"";
    for (std::size_t i = 1; i <= circle.size(); ++i) words += " after \"" + names[circle[i % circle.size()]] + "\"";
    cursor.at(circle.front())
        .at("after")
        .fail("tasks wait for each other in a circle, so that none can begin: " + words + "; take one of them out");
  }

  TaskSpec convert_task(const Cursor& cursor, TaskFile file, std::size_t position, const Names& names) const {
    TaskSpec task;
    task.name = names[position];
    task.htod = std::move(file.htod);
    task.kernels = std::move(file.kernels);
    task.dtoh = std::move(file.dtoh);
    task.device = file.device;
    task.buffer_bytes = file.buffer_bytes;
    for (std::size_t i = 0; i < file.after.size(); ++i) {
      const Cursor at = cursor.at("after").at(i);
      task.after.push_back(position_of(at, file.after[i], names));
      if (task.after.back() >= position) {
        at.fail("found \"" + file.after[i] + "\", which stands " +
                (task.after.back() == position ? "for the task itself" : "below") +
                "; a task can only come after tasks above it");
      }
    }
    check_kernels(cursor.at("kernel"), task);
    return task;
  }

  void check_kernels(const Cursor& cursor, const TaskSpec& task) const {
    for (std::size_t i = 0; i < task.kernels.size(); ++i) {
      const std::string& name = task.kernels[i].kernel;
      if (find_definition(file_.scenario, name) != nullptr) continue;
      Names known;
      for (const KernelDefinition& kernel : file_.scenario.kernels) known.push_back(kernel.name);
      for (const KernelDefinition& kernel : builtin_definitions()) known.push_back(kernel.name);
      const std::string near = core::nearest(name, known);
      (cursor.is(Node::Kind::list) ? cursor.at(i) : cursor)
          .at("name")
          .fail("found \"" + name + "\", which is no kernel" +
                (near.empty() ? "; the" : "; did you mean \"" + near + "\"? The") + " kernels are " +
                core::join_names(known));
    }
  }

  static std::vector<std::uint32_t> convert_order(const Cursor& cursor, const Names& order,
                                                  const std::vector<TaskSpec>& tasks) {
    const Names names = names_of(tasks);
    std::vector<std::uint32_t> result;
    std::vector<bool> placed(tasks.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t task = position_of(cursor.at(i), order[i], names);
      if (placed[task]) cursor.at(i).fail("found \"" + order[i] + "\" a second time, expected each task once");
      for (const std::uint32_t other : tasks[task].after) {
        if (!placed[other])
          cursor.at(i).fail("found \"" + order[i] + "\" before \"" + names[other] + "\", which it comes after");
      }
      placed[task] = true;
      result.push_back(task);
    }
    if (result.size() != tasks.size()) {
      cursor.fail("found " + std::to_string(result.size()) + " tasks, expected each of the " +
                  std::to_string(tasks.size()) + " once");
    }
    return result;
  }

  void check_devices(const TaskGroup& group) const {
    const std::size_t count = std::max<std::size_t>(1, group.devices.size());
    for (std::size_t c = 0; c < group.cases.size(); ++c) {
      const Cursor tasks = (file_.cases.empty() ? root_ : root_.at("cases").at(c)).at("tasks");
      for (std::size_t i = 0; i < group.cases[c].tasks.size(); ++i) {
        if (group.cases[c].tasks[i].device < count) continue;
        tasks.at(i).at("device").fail("found device " + std::to_string(group.cases[c].tasks[i].device) +
                                      ", but the scenario has " + std::to_string(count) +
                                      " (counted from 0); list more under `devices`");
      }
    }
  }

  /// What comes one by one waits for nothing but the device.
  void check_online(const TaskGroup& group) const {
    if (!group.online) return;
    if (file_.overlap) root_.at("overlap").fail("found an overlap series, but `online` needs `tasks` or `cases`");
    refuse_order("an online scenario", group.order);
    if (group.device_memory != 0) {
      root_.at("device_memory").fail("found a limit of the device's memory, which online scenarios do not keep");
    }
    if (group.devices.size() > 1) {
      root_.at("devices").fail("found " + std::to_string(group.devices.size()) +
                               " devices, but an online scenario runs on one");
    }
    for (std::size_t c = 0; c < group.cases.size(); ++c) {
      const Cursor tasks = (file_.cases.empty() ? root_ : root_.at("cases").at(c)).at("tasks");
      for (std::size_t i = 0; i < group.cases[c].tasks.size(); ++i) {
        if (group.cases[c].tasks[i].after.empty()) continue;
        tasks.at(i).at("after").fail("found tasks to come after, but those of an online scenario come on their own");
      }
    }
  }

  void check_study(const TaskGroup& group) const {
    if (!group.study) return;
    if (file_.overlap) root_.at("overlap").fail("found an overlap series, but `study` needs `tasks` or `cases`");
    if (group.online) root_.at("study").fail("found `study` and `online`, expected one of them");
    refuse_order("a study", group.order);
    if (group.device_memory != 0) {
      root_.at("study").fail("found a limit of device memory, which a study's orders do not keep; take it out");
    }
    if (group.kernel_lanes_given) {
      root_.at("kernel_lanes").fail("found kernel lanes, which a study sets itself; say `kernel_queues` in the study");
    }
    if (group.devices.size() > 1) {
      root_.at("devices").fail("found " + std::to_string(group.devices.size()) + " devices, but a study runs on one");
    }
    for (std::size_t c = 0; c < group.cases.size(); ++c) {
      const Cursor tasks = (file_.cases.empty() ? root_ : root_.at("cases").at(c)).at("tasks");
      const std::size_t workers = group.study->workers != 0 ? group.study->workers : group.cases[c].tasks.size();
      if (group.study->orders == 0 && workers > kMostForAllOrders) {
        root_.at("study").fail("found all orders of " + std::to_string(workers) + " tasks, expected at most " +
                               std::to_string(kMostForAllOrders) + "; give a number of random `orders`");
      }
      if (workers * group.study->rounds > kMostStudied) {
        root_.at("study").fail("found " + std::to_string(workers) + " workers of " +
                               std::to_string(group.study->rounds) + " tasks each, expected at most " +
                               std::to_string(kMostStudied) + " tasks in all");
      }
      for (std::size_t i = 0; i < group.cases[c].tasks.size(); ++i) {
        if (!group.cases[c].tasks[i].after.empty()) {
          tasks.at(i).at("after").fail(
              "found tasks to come after, but the tasks of a study wait for their worker only");
        }
      }
    }
  }

  Cursor root_;
  ScenarioFile file_;
};

/// The kind of a document decides which keys it may hold, so it is looked at first; true for a partition.
bool check_kind(const Cursor& root) {
  if (!root.is(Node::Kind::map)) root.expected("a scenario, which starts with `forelap: 1` and `kind: task_group`");
  if (root.node().find("forelap_machine") != nullptr) {
    root.at("forelap_machine").fail("this is a machine, not a scenario; name it with -m");
  }
  const Node* kind = root.node().find("kind");
  if (kind == nullptr) root.fail("the key \"kind\" is missing, expected a scenario with `kind: task_group`");
  if (kind->text != "task_group" && kind->text != "partition") {
    root.at("kind").expected("a kind of scenario: task_group or partition");
  }
  return kind->text == "partition";
}

double read_unit(const Cursor& root) {
  if (root.node().find("unit") == nullptr) return 0;
  return quantity_codec(core::Dimension::time, 1e-12, 1000).read(root.at("unit"));
}

TaskFile task_file(const TaskSpec& task, const Names& names) {
  TaskFile file = {task.name, task.htod, task.kernels, task.dtoh, {}, task.device, task.buffer_bytes};
  for (const std::uint32_t other : task.after) file.after.push_back(names[other]);
  return file;
}

CaseFile case_file(const TaskCase& c) {
  CaseFile file;
  file.name = c.name;
  file.kernel_lanes = c.kernel_lanes;
  const Names names = names_of(c.tasks);
  for (const TaskSpec& task : c.tasks) file.tasks.push_back(task_file(task, names));
  for (const auto& order : c.orders) {
    file.orders.emplace_back();
    for (const std::uint32_t task : order) file.orders.back().push_back(names[task]);
  }
  return file;
}

}  // namespace

Scenario parse_scenario(std::string_view text, const std::string& file, const std::vector<Override>& overrides) {
  Document document = load_document(text, file);
  apply_overrides(document, overrides);
  const Cursor root(document);
  if (check_kind(root)) return read_partition(root, file);
  ScenarioFile content = scenario_table(read_unit(root)).read(root);
  if (content.scenario.name.empty()) content.scenario.name = std::filesystem::path(file).stem().string();
  return Converter(root, std::move(content), file).run();
}

Scenario read_scenario(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  return parse_scenario(core::read_file(file, kLargestFile), file.string(), overrides);
}

std::string write_scenario(const Scenario& scenario) {
  if (is_partition(scenario)) return to_yaml(write_partition(scenario));
  const auto& group = task_group_of(scenario);
  ScenarioFile file;
  file.scenario = scenario;
  file.group = group;
  file.order.mode = group.order;
  if (group.cases.size() == 1 && group.cases.front().name.empty()) {
    CaseFile only = case_file(group.cases.front());
    file.tasks = std::move(only.tasks);
    file.order.lists = std::move(only.orders);
  } else {
    for (const TaskCase& c : group.cases) file.cases.push_back(case_file(c));
    if (group.order == OrderMode::list) file.order.mode = OrderMode::given;
  }
  return to_yaml(scenario_table(0).write(file));
}

/// Each kind has keys of its own: the document is one of them, and its keys are those of either.
std::string scenario_schema() {
  const Node kinds[] = {scenario_table(0).schema(), partition_table({}).schema()};
  Node properties = Node::map();
  for (const Node& kind : kinds) {
    for (const Node::Key& key : kind.find("properties")->keys) {
      if (properties.find(key.text) == nullptr) properties.add(key.text, Node::map());
    }
  }
  Node schema = schema_of_type("object");
  schema.add("properties", std::move(properties));
  schema.add("additionalProperties", Node::scalar("false"));
  schema.add("anyOf", Node::list({kinds[0], kinds[1]}));
  return schema_document("forelap scenario", schema);
}

}  // namespace forelap::scenarios
