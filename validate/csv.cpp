#include "validate/csv.hpp"

#include <algorithm>

#include "core/number_text.hpp"
#include "validate/compare.hpp"

namespace forelap::validate {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

class Line {
 public:
  Line& text(const std::string& value) {
    if (!line_.empty()) line_ += ',';
    // A first field that is empty must still count as a field.
    if (line_.empty() && value.empty()) line_ += "\"\"";
    line_ += quoted(value);
    return *this;
  }
  Line& number(std::optional<double> value) { return text(value ? core::shortest(*value) : ""); }
  Line& flag(bool value) { return text(value ? "1" : "0"); }
  [[nodiscard]] std::string take() const { return line_ + "\n"; }

 private:
  std::string line_;
};

std::string device_names(const RunSet& set) {
  std::string names;
  for (const auto& device : set.devices) names += (names.empty() ? "" : "; ") + device.name;
  return names;
}

bool has_policies(std::span<const RunSet> sets) {
  return std::any_of(sets.begin(), sets.end(), [](const RunSet& set) {
    return std::any_of(set.rows.begin(), set.rows.end(), [](const Row& row) { return !row.policy.empty(); });
  });
}

bool has_divisions(std::span<const RunSet> sets) {
  return std::any_of(sets.begin(), sets.end(), [](const RunSet& set) {
    return std::any_of(set.rows.begin(), set.rows.end(), [](const Row& row) { return row.division.has_value(); });
  });
}

template <class T, class Text>
std::string joined(const std::vector<T>& values, Text&& text) {
  std::string all;
  for (const T& value : values) all += (all.empty() ? "" : " ") + text(value);
  return all;
}

void add_division(Line& line, const std::optional<DivisionOfRow>& division) {
  const DivisionOfRow known = division.value_or(DivisionOfRow{});
  const auto whole = [](auto value) { return std::to_string(value); };
  line.text(joined(known.weights, [](double weight) { return core::shortest(weight); }));
  line.text(joined(known.shares, whole)).text(joined(known.chunks, whole));
}

void add_online(Line& line, const std::optional<OnlineFigures>& figures) {
  using Number = std::optional<double>;
  line.number(figures ? Number(figures->mean_latency) : Number());
  line.number(figures ? Number(figures->p95_latency) : Number());
  line.number(figures ? Number(figures->tasks_per_second) : Number());
  line.number(figures ? Number(figures->groups) : Number());
}

/// Which columns that only some scenarios have there are.
struct Extra {
  bool online = false;
  bool divisions = false;
};

std::string row_line(const RunSet& set, const Row& row, const Extra& extra) {
  const auto figures = figures_of(row);
  std::string samples;
  for (const double s : row.samples) samples += (samples.empty() ? "" : " ") + core::shortest(s);
  Line line;
  line.text(set.scenario).text(set.cases.at(row.case_index).name).text(order_text(set, row)).text(set.engine);
  line.text(set.machine).text(device_names(set));
  using Number = std::optional<double>;
  line.number(row.predicted ? Number(row.predicted->seconds) : Number());
  line.number(row.predicted ? Number(row.predicted->low) : Number());
  line.number(row.predicted ? Number(row.predicted->high) : Number());
  line.number(figures ? Number(figures->median) : Number());
  line.number(figures ? Number(figures->p10) : Number());
  line.number(figures ? Number(figures->p90) : Number());
  line.text(std::to_string(row.samples.size())).number(row.cold);
  line.number(figures ? figures->error_pct : Number());
  line.number(figures ? Number(figures->spread_pct) : Number());
  line.flag(row.extrapolated).flag(row.partial).text(samples);
  if (extra.divisions) add_division(line, row.division);
  if (extra.online) {
    add_online(line, row.predicted_online);
    add_online(line, row.measured_online);
  }
  return line.take();
}

}  // namespace

std::string to_csv(const RunSet& set) {
  return to_csv(std::span<const RunSet>(&set, 1));
}

std::string to_csv(std::span<const RunSet> sets) {
  std::string text =
      "scenario,case,order,engine,machine,device,predicted_s,predicted_low_s,predicted_high_s,median_s,p10_s,p90_s,"
      "samples,cold_s,error_pct,spread_pct,extrapolated,partial,samples_s";
  const Extra extra{has_policies(sets), has_divisions(sets)};
  if (extra.divisions) text += ",weights,shares,chunks";
  for (const char* which : {"predicted", "measured"}) {
    for (const char* figure : {"mean_latency_s", "p95_latency_s", "tasks_per_second", "groups"}) {
      if (extra.online) text += std::string(",") + which + "_" + figure;
    }
  }
  text += "\n";
  for (const auto& set : sets) {
    for (const auto& row : set.rows) text += row_line(set, row, extra);
  }
  return text;
}

}  // namespace forelap::validate
