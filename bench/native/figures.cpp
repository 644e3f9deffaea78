#include "bench/native/figures.hpp"

#include <algorithm>
#include <cstdio>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/statistics.hpp"

namespace forelap::bench {
namespace {

double number(const std::string& option, const std::string& text) {
  const std::optional<double> value = core::parse_number(text);
  if (!value || *value <= 0) core::throw_bad_input(option + " takes a number above 0, and \"" + text + "\" is given");
  return *value;
}

}  // namespace

void print_figure(const std::string& figure, const std::string& unit, const std::vector<double>& samples) {
  const double spread = core::quantile(samples, 0.9) - core::quantile(samples, 0.1);
  const std::string line = "{\"figure\": \"" + figure +
                           "\", \"value\": " + core::significant(core::median(samples), 6) + ", \"unit\": \"" + unit +
                           "\", \"spread\": " + core::significant(spread, 3) +
                           ", \"samples\": " + std::to_string(samples.size()) + "}\n";
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

Options read_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--small") {
      options.small = true;
    } else if (i + 1 == words.size()) {
      core::throw_bad_input("\"" + words[i] + "\" is no option, or lacks its value; there are --small, --samples N, " +
                            "--seconds S and --only TEXT");
    } else if (words[i] == "--samples") {
      options.samples = static_cast<std::size_t>(std::max(3.0, number(words[i], words[i + 1])));
      ++i;
    } else if (words[i] == "--seconds") {
      options.seconds = number(words[i], words[i + 1]);
      ++i;
    } else if (words[i] == "--only") {
      options.only = words[++i];
    } else {
      core::throw_bad_input("\"" + words[i] + "\" is no option; there are --small, --samples N, --seconds S and " +
                            "--only TEXT");
    }
  }
  return options;
}

bool is_wanted(const Options& options, const Case& what) {
  return what.name.find(options.only) != std::string::npos;
}

double timed(CaseRun& run) {
  const auto begin = std::chrono::steady_clock::now();
  run.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool Budget::allows(std::size_t samples) const {
  if (samples < 3) return true;
  const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  return samples < options_.samples && taken < options_.seconds;
}

int end_of(const std::exception& error) {
  std::fputs((std::string(error.what()) + "\n").c_str(), stderr);
  const auto* ours = dynamic_cast<const core::Error*>(&error);
  return ours != nullptr && ours->kind() == core::ErrorKind::bad_input ? 2 : 3;
}

}  // namespace forelap::bench
