#include "app/show_partition.hpp"

#include <cmath>
#include <vector>

#include "app/table.hpp"
#include "core/number_text.hpp"
#include "core/quantity.hpp"
#include "validate/compare.hpp"

namespace forelap::app {
namespace {

using run::TunedPartition;

std::string seconds_text(double seconds) {
  return core::display_quantity(seconds, core::Dimension::time);
}

std::string ticks_text(double ticks) {
  return std::isfinite(ticks) ? seconds_text(ticks / core::kTicksPerSecond) : "-";
}

std::string percent_text(double part, int decimals) {
  return core::fixed(100 * part, decimals) + " %";
}

std::string signed_percent(double part) {
  return (part < 0 ? "-" : "+") + core::fixed(std::abs(100 * part), 2) + " %";
}

Table device_table(const TunedPartition& tuned) {
  Table table({{"device", Align::left, true},
               {"share"},
               {"rows"},
               {"chunks"},
               {"htod"},
               {"kernel"},
               {"dtoh"},
               {"end"},
               {"alone"}});
  for (std::size_t d = 0; d < tuned.devices.size(); ++d) {
    const auto& part = tuned.choice.tuning.devices[d];
    const auto& figures = tuned.choice.devices[d];
    const auto time = [&part](double ticks) { return part.rows == 0 || ticks == 0 ? "-" : ticks_text(ticks); };
    std::string chunks = part.in_place ? "in place" : std::to_string(part.chunks);
    if (part.slots > 0) chunks += " (" + std::to_string(part.slots) + " at a time)";
    table.add({tuned.devices[d], percent_text(static_cast<double>(part.rows) / static_cast<double>(tuned.rows), 2),
               std::to_string(part.rows), part.rows == 0 ? "-" : chunks, time(figures.htod), time(figures.kernel),
               time(figures.dtoh), time(figures.end), ticks_text(figures.alone)});
  }
  return table;
}

Table candidate_table(const TunedPartition& tuned) {
  const bool measured = tuned.verdict != run::Verdict::not_measured;
  std::vector<Column> columns = {
      {"what", Align::left, true}, {"shares", Align::left, true}, {"predicted"}, {"behind"}, {"", Align::left}};
  if (measured) columns.push_back({"measured"});
  Table table(columns);
  for (const auto& candidate : tuned.candidates) {
    const auto& row = tuned.set.rows[candidate.row];
    std::string behind = "-";
    std::string tie;
    if (row.predicted && candidate.row != 0) {
      behind = signed_percent(row.predicted->seconds * core::kTicksPerSecond / tuned.choice.time - 1);
    }
    for (const auto& other : tuned.choice.alternatives) {
      if (other.tie && candidate.what.find(other.what) != std::string::npos) tie = "tie";
    }
    std::vector<std::string> cells = {candidate.what, validate::order_text(tuned.set, row),
                                      row.predicted ? seconds_text(row.predicted->seconds) : "-", behind, tie};
    const auto figures = validate::figures_of(row);
    if (measured) cells.push_back(figures ? seconds_text(figures->median) : "-");
    table.add(std::move(cells));
  }
  return table;
}

std::string verdict_text(const TunedPartition& tuned) {
  switch (tuned.verdict) {
    case run::Verdict::not_measured:
      return {};
    case run::Verdict::confirmed:
      return "measured: the chosen division is the fastest, and noise does not explain its lead\n";
    case run::Verdict::changed:
      return "measured: " + tuned.candidates[tuned.taken].what +
             " is faster than the division chosen by the model, beyond noise, and is taken\n";
    case run::Verdict::tie:
      break;
  }
  std::string text = "measured: a tie; noise explains what is between the chosen division and";
  for (std::size_t i = 0; i < tuned.measured_ties.size(); ++i) {
    text += (i == 0 ? " " : " | ") + tuned.candidates[tuned.measured_ties[i]].what;
  }
  return text + "\n";
}

}  // namespace

std::string division_text(const TunedPartition& tuned, const Output& output) {
  const auto& choice = tuned.choice;
  const std::size_t width = output.width();
  std::string text = wrap(tuned.set.scenario + " on " + tuned.set.machine + ": kernel " + tuned.kernel + ", " +
                              std::to_string(tuned.rows) + " rows",
                          width, 2) +
                     "\n";
  text += device_table(tuned).render(width, output.colours());
  const double over = choice.bound > 0 ? choice.time / choice.bound - 1 : 0;
  text += wrap("predicted " + ticks_text(choice.time) + ", at most " + percent_text(over, 2) + " over the bound of " +
                   ticks_text(choice.bound) + "; " + core::fixed(choice.gain, 3) + " times as fast as " +
                   tuned.devices[choice.best_single] + " alone, " + percent_text(choice.efficiency, 1) +
                   " of what the devices' speeds sum to",
               width, 2) +
          "\n";
  text += wrap(std::to_string(choice.evaluations) + " divisions simulated in " + seconds_text(choice.search_seconds) +
                   (tuned.profile_seconds > 1e-3 ? ", the rows' costs sampled in " + seconds_text(tuned.profile_seconds)
                                                 : std::string()),
               width, 2) +
          "\n";
  text += candidate_table(tuned).render(width, output.colours());
  const auto verdict = verdict_text(tuned);
  if (!verdict.empty()) text += wrap(verdict, width, 2);
  for (const auto& note : tuned.set.notes) text += wrap("note: " + note, width, 2) + "\n";
  return text;
}

}  // namespace forelap::app
