// forelap: the command line. Parses, runs the chosen command and turns errors into exit codes.

#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <new>

#include "app/command.hpp"
#include "app/terminal.hpp"
#include "core/error.hpp"
#include "validate/results.hpp"

namespace forelap::app {
namespace {

int exit_code(core::ErrorKind kind) {
  switch (kind) {
    case core::ErrorKind::bad_input:
      return kBadInput;
    case core::ErrorKind::unavailable:
      return kUnavailable;
    case core::ErrorKind::device_failed:
      break;
  }
  return kDeviceFailed;
}

/// Help and version go to standard output with exit code 0; any other stop of the parser is the user's slip.
int end_of_parsing(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = app.exit(error, out, err);
  Output(false, false).text(out.str());
  if (code == 0) return kOk;
  complain(error.what() + std::string("\nRun with --help for more information."));
  return kBadInput;
}

void add_commands(CLI::App& app, Run& chosen) {
  add_devices(app, chosen);
  add_calibrate(app, chosen);
  add_predict(app, chosen);
  add_measure(app, chosen);
  add_validate(app, chosen);
  add_tune(app, chosen);
  add_list(app, chosen);
  add_check(app, chosen);
  add_schema(app, chosen);
}

/// A descriptor that the caller closed must not become a file of results that text is then written into. Read-only, so
/// that writing to it still fails.
void occupy_standard_descriptors() {
  for (const int fd : {0, 1, 2}) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    [[maybe_unused]] const int taken = ::open("/dev/null", O_RDONLY);
  }
}

int run_program(int argc, char** argv) {
  CLI::App app(
      "Foresees how work overlaps on accelerators: predicts timelines, measures them, compares the two, and tunes.",
      "forelap");
  app.require_subcommand(1);
  app.set_version_flag("--version", "forelap " + validate::forelap_version());
  app.footer(
      "Exit codes: 0 ok, 1 tolerance missed, 2 bad input, 3 unavailable, 4 device failed (partial results kept)\n"
      "Example: forelap predict bk50");
  Run chosen;
  add_commands(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return end_of_parsing(app, error);
  }
  return chosen();
}

}  // namespace
}  // namespace forelap::app

int main(int argc, char** argv) {
  using namespace forelap;
  app::occupy_standard_descriptors();
  // A reader that goes away is an error of writing, said with the exit code, not a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return app::run_program(argc, argv);
  } catch (const core::Error& error) {
    app::complain(error.what());
    return app::exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    app::complain("out of memory");
  } catch (const std::exception& error) {
    app::complain(std::string("unexpected: ") + error.what());
  }
  return app::kDeviceFailed;
}
