#include "app/show_results.hpp"

#include <cmath>
#include <vector>

#include "app/show_study.hpp"
#include "app/table.hpp"
#include "core/number_text.hpp"
#include "core/quantity.hpp"
#include "core/statistics.hpp"

namespace forelap::app {
namespace {

using validate::Row;
using validate::RunSet;

std::string seconds_text(double seconds) {
  return core::display_quantity(seconds, core::Dimension::time);
}

bool any_predicted(const RunSet& set) {
  for (const auto& row : set.rows) {
    if (row.predicted) return true;
  }
  return false;
}

bool any_measured(const RunSet& set) {
  for (const auto& row : set.rows) {
    if (!row.samples.empty() || row.cold) return true;
  }
  return false;
}

bool any_width(const RunSet& set) {
  for (const auto& row : set.rows) {
    if (row.predicted && row.predicted->high > row.predicted->low) return true;
  }
  return false;
}

std::string signed_percent(double value) {
  return (value < 0 ? "-" : "+") + core::fixed(std::abs(value), 2) + " %";
}

bool is_online(const RunSet& set) {
  return !set.rows.empty() && !set.rows.front().policy.empty();
}

bool is_divided(const RunSet& set) {
  return !set.cases.empty() && set.cases.front().partition.has_value();
}

/// Which columns a set needs, and its rows under them.
class ResultTable {
 public:
  explicit ResultTable(const RunSet& set)
      : set_(set),
        predicted_(any_predicted(set)),
        measured_(any_measured(set)),
        intervals_(any_width(set)),
        cases_(set.cases.size() > 1),
        online_(is_online(set)),
        divided_(is_divided(set)) {}

  [[nodiscard]] Table make(bool all) const {
    Table table(columns());
    for (std::size_t i = 0; i < set_.cases.size(); ++i) {
      const auto landmarks = validate::landmarks_of(set_, i);
      std::size_t orders = 0;
      for (const auto& row : set_.rows) orders += row.case_index == i ? 1U : 0U;
      if (all || !landmarks || online_ || divided_) {
        for (const auto& row : set_.rows) {
          if (row.case_index == i) table.add(cells(row, ""));
        }
      } else if (orders == 1) {
        table.add(cells(set_.rows[landmarks->best], ""));
      } else {
        table.add(cells(set_.rows[landmarks->best], "best"));
        table.add(cells(set_.rows[landmarks->median], "median"));
        table.add(cells(set_.rows[landmarks->worst], "worst"));
      }
    }
    return table;
  }

 private:
  [[nodiscard]] std::vector<Column> columns() const {
    std::vector<Column> columns;
    if (cases_) columns.push_back({"case", Align::left, true});
    if (!online_ && !divided_) columns.push_back({"", Align::left, false});
    columns.push_back({online_ ? "policy" : divided_ ? "division" : "order", Align::left, true});
    if (predicted_) columns.push_back({"predicted"});
    if (intervals_) columns.push_back({"90 % interval"});
    if (measured_) columns.push_back({"measured"});
    if (predicted_ && measured_) columns.push_back({"error"});
    if (measured_) columns.push_back({"spread"});
    if (online_) {
      for (const char* name : {"mean latency", "p95 latency", "tasks/s", "groups"}) columns.push_back({name});
    }
    return columns;
  }

  [[nodiscard]] std::vector<std::string> cells(const Row& row, const std::string& which) const {
    const auto figures = validate::figures_of(row);
    std::vector<std::string> cells;
    if (cases_) cells.push_back(set_.cases[row.case_index].name);
    if (!online_ && !divided_) cells.push_back(which);
    cells.push_back(validate::order_text(set_, row));
    if (predicted_) {
      cells.push_back(row.predicted ? seconds_text(row.predicted->seconds) + (row.extrapolated ? "*" : "") : "-");
    }
    if (intervals_) {
      cells.push_back(row.predicted ? seconds_text(row.predicted->low) + " .. " + seconds_text(row.predicted->high)
                                    : "-");
    }
    if (measured_) cells.push_back(figures ? seconds_text(figures->median) + (row.partial ? " (partial)" : "") : "-");
    if (predicted_ && measured_)
      cells.push_back(figures && figures->error_pct ? signed_percent(*figures->error_pct) : "-");
    if (measured_) cells.push_back(figures ? core::fixed(figures->spread_pct, 2) + " %" : "-");
    if (online_) add_online(cells, row);
    return cells;
  }

  /// Predicted / measured where there are both.
  static void add_online(std::vector<std::string>& cells, const Row& row) {
    const auto add = [&](auto&& text) {
      std::string cell = row.predicted_online ? text(*row.predicted_online) : "";
      if (row.measured_online) cell += (cell.empty() ? "" : " / ") + text(*row.measured_online);
      cells.push_back(cell.empty() ? "-" : cell);
    };
    using Figures = validate::OnlineFigures;
    add([](const Figures& f) { return seconds_text(f.mean_latency); });
    add([](const Figures& f) { return seconds_text(f.p95_latency); });
    add([](const Figures& f) { return core::significant(f.tasks_per_second, 4); });
    add([](const Figures& f) { return core::significant(f.groups, 3); });
  }

  const RunSet& set_;
  bool predicted_;
  bool measured_;
  bool intervals_;
  bool cases_;
  bool online_;
  bool divided_;
};

std::string heading(const RunSet& set) {
  std::string text = set.scenario + " on " + set.machine;
  text += ": " + std::to_string(set.rows.size()) + (set.rows.size() == 1 ? " run" : " runs");
  if (!set.engine.empty()) text += ", engine " + set.engine + ", interference " + set.interference;
  for (std::size_t i = 0; i < set.devices.size(); ++i) {
    const auto& device = set.devices[i];
    text += "; " + device.name + " (" + device.backend + ", driver " + device.driver;
    if (i < set.links.size() && !set.links[i].empty()) text += ", " + set.links[i];
    text += ")";
  }
  if (!set.devices.empty()) {
    text += "; " + std::to_string(set.host_cores) + " host cores, " + set.memory + " memory, " +
            std::to_string(set.repetitions) +
            (is_online(set)    ? " runs a policy"
             : is_divided(set) ? " runs a division"
                               : " runs an order");
  }
  return text;
}

std::string figures_text(const RunSet& set, std::size_t width) {
  const auto summary = validate::summarize(set);
  std::string text;
  if (summary.runs > 0) {
    text += wrap("error: mean " + percent(summary.mean_abs_error_pct) + ", largest " +
                     percent(summary.max_abs_error_pct) + " (" + percent(summary.max_error_beyond_spread_pct) +
                     " beyond the spread); run-to-run spread " + percent(summary.spread_pct) + "; " +
                     core::fixed(100 * *summary.within_noise, 0) + " % of the errors within it; " +
                     core::fixed(*summary.interval_coverage_pct, 0) + " % of the medians inside the predicted interval",
                 width, 2) +
            "\n";
  }
  if (summary.regret_pct) {
    text += wrap("ranking: " +
                     (summary.kendall_tau
                          ? "Kendall's tau " + core::fixed(*summary.kendall_tau, 3)
                          : std::string(is_divided(set) ? "the spread explains every difference between divisions"
                                                        : "the spread explains every difference between orders")) +
                     "; choosing by the prediction loses " + percent(summary.regret_pct),
                 width, 2) +
            "\n";
  }
  return text;
}

std::string geometric_means(const RunSet& set) {
  std::string text;
  for (std::size_t i = 0; i < set.cases.size() && !is_online(set) && !is_divided(set); ++i) {
    std::vector<double> makespans;
    for (const auto& row : set.rows) {
      if (row.case_index == i && row.predicted && row.predicted->seconds > 0) {
        makespans.push_back(row.predicted->seconds);
      }
    }
    if (makespans.size() < 2) continue;
    text += "geometric mean over " + std::to_string(makespans.size()) + " orders" +
            (set.cases[i].name.empty() ? "" : " of " + set.cases[i].name) + ": " +
            seconds_text(core::geometric_mean(makespans)) + "\n";
  }
  return text;
}

}  // namespace

std::string percent(const std::optional<double>& value) {
  return value ? core::fixed(*value, 2) + " %" : "-";
}

std::string results_text(const RunSet& set, bool all, const Output& output) {
  const std::size_t width = output.width();
  std::string text = wrap(heading(set), width, 2) + "\n";
  text += ResultTable(set).make(all).render(width, output.colours());
  text += any_measured(set) ? figures_text(set, width) : geometric_means(set);
  text += study_text(set, output);
  bool extrapolated = false;
  for (const auto& row : set.rows) extrapolated = extrapolated || row.extrapolated;
  if (extrapolated) text += "* a size lies outside the range that the models were fitted on\n";
  for (const auto& note : set.notes) text += wrap("note: " + note, width, 2) + "\n";
  return text;
}

}  // namespace forelap::app
