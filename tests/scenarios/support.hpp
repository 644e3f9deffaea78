#pragma once
// Helpers of the scenario tests.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"
#include "scenarios/read.hpp"

namespace forelap::scenarios {

/// The message of the core::Error (bad_input) that `action` throws; a failure where it throws none.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

inline std::string scenario_error(const std::string& text) {
  return message_of([&] { parse_scenario(text, "f.yaml"); });
}

inline std::string machine_error(const std::string& text) {
  return message_of([&] { parse_machine(text, "m.yaml"); });
}

/// A scenario of one task whose keys are `task`, with `head` among the keys of the top.
inline std::string scenario_text(const std::string& task, const std::string& head = "") {
  return "forelap: 1\nkind: task_group\n" + head + "tasks:\n  - {" + task + "}\n";
}

inline const TaskGroup& group_of(const Scenario& scenario) {
  return std::get<TaskGroup>(scenario.body);
}

}  // namespace forelap::scenarios
