#include "app/show_tuning.hpp"

#include <cmath>
#include <vector>

#include "app/table.hpp"
#include "core/number_text.hpp"
#include "core/quantity.hpp"
#include "validate/compare.hpp"

namespace forelap::app {
namespace {

using run::Tuned;
using run::TunedCase;
using tune::GroupChoice;

std::string time_text(double ticks) {
  return core::display_quantity(ticks / core::kTicksPerSecond, core::Dimension::time);
}

std::string seconds_text(double seconds) {
  return core::display_quantity(seconds, core::Dimension::time);
}

std::string percent_text(double share, int decimals) {
  return core::fixed(100 * share, decimals) + " %";
}

/// In running text: the order, of many tasks its begin. The data of --json and --csv has all of it.
std::string short_arrangement(const Tuned& tuned, const TunedCase& c, const tune::Arrangement& arrangement) {
  constexpr std::size_t kMany = 24;
  constexpr std::size_t kShown = 8;
  if (arrangement.order.size() <= kMany) return run::arrangement_text(tuned, c, arrangement);
  tune::Arrangement begin = arrangement;
  begin.order.resize(kShown);
  return run::arrangement_text(tuned, c, begin) + " ...";
}

std::string plural(std::uint64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

/// The rows of a case: the choice, what it is compared with, and the bound.
class CaseTable {
 public:
  CaseTable(const Tuned& tuned, const TunedCase& c) : tuned_(tuned), case_(c), choice_(c.choice) {}

  [[nodiscard]] std::string render(std::size_t width, bool colours) {
    add("chosen", choice_.chosen);
    add("given", choice_.given);
    add("heuristic", choice_.heuristic);
    add("NEH", choice_.neh);
    add("Johnson", choice_.johnson);
    add(choice_.all_orders ? "worst" : "worst found", choice_.worst);
    if (choice_.mean) table_.add({"mean", "", time_text(*choice_.mean), behind(*choice_.mean), ""});
    table_.add({"lower bound", "", time_text(choice_.lower_bound), "", ""});
    return table_.render(width, colours);
  }

 private:
  void add(const std::string& what, const std::optional<tune::Timed>& timed) {
    if (!timed) return;
    const auto share = tune::share_of_gain(choice_, *timed);
    table_.add({what, run::arrangement_text(tuned_, case_, timed->arrangement), time_text(timed->time),
                what == "chosen" ? "" : behind(timed->time), share ? percent_text(*share, 1) : "-"});
  }

  [[nodiscard]] std::string behind(double time) const {
    const double best = choice_.chosen.time;
    const double share = best > 0 ? (time - best) / best : 0;
    return (share < 0 ? "-" : "+") + percent_text(std::abs(share), 2);
  }

  const Tuned& tuned_;
  const TunedCase& case_;
  const GroupChoice& choice_;
  Table table_{{{"", Align::left}, {"order", Align::left, true}, {"time"}, {"against chosen"}, {"share of gain"}}};
};

std::string heading(const Tuned& tuned) {
  std::string text = tuned.set.scenario + " on " + tuned.set.machine + ": interference " + tuned.set.interference +
                     ", method " + tuned.method;
  for (const auto& device : tuned.set.devices) text += "; " + device.name + " (" + device.backend + ")";
  return text;
}

std::string proof_text(const TunedCase& c) {
  const auto& choice = c.choice;
  std::string text;
  if (choice.proven && tune::gap_of(choice) == 0) {
    text = "proven: nothing that may be chosen is faster";
  } else if (choice.proven) {
    text = "proven to be within " + percent_text(tune::gap_of(choice), 2) + " of the best";
  } else {
    text = std::string(choice.out_of_time ? "stopped before a proof" : "not proven") + ": the gap to the bound is " +
           percent_text(tune::gap_of(choice), 2);
  }
  text += "; by " + choice.how + ", " + plural(choice.evaluations, "evaluation") + " in " +
          core::display_quantity(choice.search_seconds, core::Dimension::time, 2);
  if (choice.orders > 1) {
    text += "; worst and mean of " + std::string(choice.all_orders ? "all " : "") + plural(choice.orders, "order") +
            (choice.all_orders ? "" : " drawn at random");
  }
  if (choice.figures_cut_short) {
    text +=
        "; time ran out for what it is compared with, so that worst, mean and ties are of fewer orders or machines "
        "than usual (--time-limit gives more)";
  }
  return text;
}

std::string lane_name(const Tuned& tuned, const tune::LaneUse& lane) {
  return (tuned.devices.size() > 1 ? tuned.devices[lane.device] + " " : "") + lane.name;
}

std::string stage_words(tune::StageKind kind) {
  switch (kind) {
    case tune::StageKind::htod:
      return "transfers to the device";
    case tune::StageKind::kernel:
      return "kernels";
    case tune::StageKind::dtoh:
      break;
  }
  return "transfers from the device";
}

std::string critical_text(const Tuned& tuned, const GroupChoice& choice) {
  const auto critical = run::critical_lane(choice);
  if (!critical) return {};
  const auto share = [&](const tune::LaneUse& lane) {
    return core::fixed(100 * lane.busy / choice.chosen.time, 0) + " %";
  };
  std::string text = "critical: " + lane_name(tuned, choice.lanes[*critical]) + ", busy " +
                     share(choice.lanes[*critical]) + " of the time (";
  bool first = true;
  for (std::size_t i = 0; i < choice.lanes.size(); ++i) {
    if (i == *critical) continue;
    text += (first ? "" : ", ") + lane_name(tuned, choice.lanes[i]) + " " + share(choice.lanes[i]);
    first = false;
  }
  text += ")";
  if (choice.gains.empty()) return text;
  text += "; 10 % faster";
  for (std::size_t i = 0; i < choice.gains.size(); ++i) {
    const double gain = choice.gains[i].gain;
    // Steps that end sooner may meet others that slow them.
    text += (i == 0 ? " " : ", ") + stage_words(choice.gains[i].kind) + (gain < 0 ? " would cost " : " would save ") +
            percent_text(std::abs(gain), 1);
  }
  return text;
}

std::string ties_text(const Tuned& tuned, const TunedCase& c) {
  const auto& choice = c.choice;
  if (choice.tie_count == 0) {
    return choice.compared == 0 ? "" : "ties: none among the " + plural(choice.compared, "nearest order");
  }
  std::string text =
      "ties: the model does not tell " + plural(choice.tie_count, "other order") + " from the chosen one:";
  for (std::size_t i = 0; i < choice.ties.size(); ++i) {
    text += (i == 0 ? " " : " | ") + short_arrangement(tuned, c, choice.ties[i].timed.arrangement);
  }
  if (choice.tie_count > choice.ties.size()) text += " | ...";
  return text;
}

std::string verdict_text(const Tuned& tuned, const TunedCase& c) {
  switch (c.verdict) {
    case run::Verdict::not_measured:
      return {};
    case run::Verdict::confirmed:
      return "measured: the chosen order is the fastest, and noise does not explain its lead";
    case run::Verdict::changed:
      return "measured: " + short_arrangement(tuned, c, c.taken) +
             " is faster than the order chosen by the model, beyond noise, and is taken";
    case run::Verdict::tie:
      break;
  }
  std::string text = "measured: a tie; noise explains what is between the chosen order and";
  for (std::size_t i = 0; i < c.measured_ties.size(); ++i) {
    text += (i == 0 ? " " : " | ") + short_arrangement(tuned, c, c.candidates[c.measured_ties[i]].arrangement);
  }
  return text;
}

bool was_measured(const Tuned& tuned, const TunedCase& c) {
  for (const auto& candidate : c.candidates) {
    if (!tuned.set.rows[candidate.row].samples.empty()) return true;
  }
  return false;
}

std::string measured_table(const Tuned& tuned, const TunedCase& c, std::size_t width, bool colours) {
  Table table({{"", Align::left}, {"order", Align::left, true}, {"predicted"}, {"measured"}, {"90 % of the median"}});
  for (const auto& candidate : c.candidates) {
    const auto& row = tuned.set.rows[candidate.row];
    const auto figures = validate::figures_of(row);
    table.add({candidate.what, run::arrangement_text(tuned, c, candidate.arrangement),
               row.predicted ? seconds_text(row.predicted->seconds) : "-",
               figures ? seconds_text(figures->median) + (row.partial ? " (partial)" : "") : "-",
               figures ? seconds_text(figures->median_low) + " .. " + seconds_text(figures->median_high) : "-"});
  }
  return table.render(width, colours);
}

std::string case_heading(const Tuned& tuned, const TunedCase& c) {
  std::string text = (c.name.empty() ? "" : c.name + ": ") + plural(c.tasks.size(), "task") + ", " +
                     plural(tuned.devices.size(), "device") + ", " +
                     plural(c.choice.chosen.arrangement.kernel_lanes, "kernel lane");
  const auto& predicted = tuned.set.rows.at(c.candidates.front().row).predicted;
  if (predicted && predicted->high > predicted->low) {
    text += "; the chosen one takes " + seconds_text(predicted->low) + " .. " + seconds_text(predicted->high) +
            " (90 % interval)";
  }
  return text;
}

std::string case_text(const Tuned& tuned, const TunedCase& c, const Output& output) {
  const std::size_t width = output.width();
  std::string text = wrap(case_heading(tuned, c), width, 2) + "\n";
  text += CaseTable(tuned, c).render(width, output.colours());
  if (was_measured(tuned, c)) text += measured_table(tuned, c, width, output.colours());
  for (const auto& line :
       {proof_text(c), critical_text(tuned, c.choice), ties_text(tuned, c), verdict_text(tuned, c)}) {
    if (!line.empty()) text += wrap(line, width, 2) + "\n";
  }
  if (tuned.set.rows.at(c.candidates.front().row).extrapolated) {
    text += "note: a size lies outside the range that the models were fitted on\n";
  }
  return text;
}

}  // namespace

std::string tuning_text(const Tuned& tuned, const Output& output) {
  std::string text = wrap(heading(tuned), output.width(), 2) + "\n";
  for (const auto& c : tuned.cases) text += case_text(tuned, c, output);
  for (const auto& note : tuned.set.notes) text += wrap("note: " + note, output.width(), 2) + "\n";
  return text;
}

}  // namespace forelap::app
