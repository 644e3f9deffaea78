#pragma once
// The commands of the program. Each file app/NAME.cpp adds one: its options, help and what to run when it is chosen.

#include <functional>

namespace CLI {
class App;
}

namespace forelap::app {

/// What the chosen command runs; returns the exit code.
using Run = std::function<int()>;

/// Exit codes, the same for every command (errors: core::ErrorKind).
inline constexpr int kOk = 0;
inline constexpr int kToleranceMissed = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kUnavailable = 3;
inline constexpr int kDeviceFailed = 4;

void add_devices(CLI::App& app, Run& chosen);
void add_calibrate(CLI::App& app, Run& chosen);
void add_predict(CLI::App& app, Run& chosen);
void add_measure(CLI::App& app, Run& chosen);
void add_validate(CLI::App& app, Run& chosen);
void add_tune(CLI::App& app, Run& chosen);
void add_list(CLI::App& app, Run& chosen);
void add_check(CLI::App& app, Run& chosen);
void add_schema(CLI::App& app, Run& chosen);

}  // namespace forelap::app
