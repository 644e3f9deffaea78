#include "sim/simgrid/protocol.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace forelap::sim::simgrid {
namespace {

using core::ActivityClass;

constexpr std::size_t kLongestHeader = 64;
constexpr std::size_t kLongestPayload = std::size_t{1} << 40;
// Far beyond any plan, and sums of such times are still finite.
constexpr double kLongestTime = 1e30;

void append_number(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

void append_number(std::string& text, std::uint32_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

/// `text` cut short and with its unprintable bytes as dots, for a message.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '.';
  return result + (text.size() > 40 ? "...\"" : "\"");
}

/// Reads words line by line and says where it was when something is wrong.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  void next_line() {
    if (!line_.empty()) fail("the end of the line", line_);
    if (rest_.empty()) fail("another line", "");
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
  }
  void finish() const {
    if (!line_.empty() || !rest_.empty()) fail("the end", line_.empty() ? rest_ : line_);
  }
  [[nodiscard]] bool line_is_over() const { return line_.empty(); }

  std::string_view word() {
    const std::size_t end = line_.find(' ');
    const std::string_view word = line_.substr(0, end);
    line_.remove_prefix(end == std::string_view::npos ? line_.size() : end + 1);
    return word;
  }
  void expect(std::string_view expected) {
    const std::string_view found = word();
    if (found != expected) fail(quoted(expected), found);
  }
  /// A whole number below `limit`.
  std::uint32_t whole(std::string_view what, std::uint32_t limit) {
    const std::string_view text = word();
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value >= limit) {
      fail(std::string(what) + " (a whole number below " + std::to_string(limit) + ")", text);
    }
    return value;
  }
  /// A number in [low, high], or in (0, high] where `low` is the smallest number above zero.
  double number(std::string_view what, double low, double high) {
    const std::string_view text = word();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool inside = value >= low && value <= high;  // false for NaN
    if (error != std::errc() || end != text.data() + text.size() || !inside) {
      fail(std::string(what) + " (from " + core::shortest(low) + " to " + core::shortest(high) + ")", text);
    }
    return value;
  }
  [[noreturn]] void fail(const std::string& expected, std::string_view found) const {
    core::throw_bad_input("line " + std::to_string(number_) + " of the plan or its answer: expected " + expected +
                          ", found " + (found.empty() ? "nothing" : quoted(found)));
  }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
};

constexpr double kAboveZero = std::numeric_limits<double>::min();

models::RateTable read_domain(LineReader& in) {
  std::array<double, core::kActivityClasses> capacity{};
  for (double& c : capacity) c = in.number("a capacity", kAboveZero, std::numeric_limits<double>::infinity());
  std::vector<core::InterferenceRow> rows;
  for (std::size_t set = 0; set < core::kActivitySets; ++set) {
    core::InterferenceRow row;
    row.active = static_cast<core::ActivitySet>(set);
    for (std::size_t c = 0; c < core::kActivityClasses; ++c) {
      row.rates[static_cast<ActivityClass>(c)].value = in.number("a rate", kAboveZero, 1);
    }
    rows.push_back(row);
  }
  models::RateTable table(rows);
  for (std::size_t c = 0; c < core::kActivityClasses; ++c) {
    table.set_capacity(static_cast<ActivityClass>(c), capacity[c]);
  }
  return table;
}

void write_domain(std::string& text, const models::RateTable& table) {
  for (std::size_t c = 0; c < core::kActivityClasses; ++c) {
    if (c > 0) text += ' ';
    append_number(text, table.capacity(static_cast<ActivityClass>(c)));
  }
  for (std::size_t set = 0; set < core::kActivitySets; ++set) {
    for (std::size_t c = 0; c < core::kActivityClasses; ++c) {
      text += ' ';
      append_number(text, table.rate_in_set(static_cast<ActivityClass>(c), static_cast<core::ActivitySet>(set)));
    }
  }
  text += '\n';
}

std::uint32_t read_domain_number(LineReader& in, std::string_view what, const CostedPlan& plan) {
  LineReader ahead = in;
  if (ahead.word() == "-") {
    in = ahead;
    return models::kNoDomain;
  }
  return in.whole(what, static_cast<std::uint32_t>(plan.domains.size()));
}

void read_step(LineReader& in, CostedPlan& plan) {
  const auto id = static_cast<std::uint32_t>(plan.steps.size());
  CostedStep step;
  step.lane = in.whole("a lane", static_cast<std::uint32_t>(plan.hops.size()));
  step.release = in.number("a release", 0, kLongestTime);
  step.cost.fixed = in.number("a fixed part", 0, kLongestTime);
  step.cost.work = in.number("a work part", 0, kLongestTime);
  step.cost.launches = in.whole("a number of launches", std::numeric_limits<std::uint32_t>::max());
  if (step.cost.launches == 0) in.fail("at least one launch", "0");
  step.cost.activity = static_cast<ActivityClass>(in.whole("a class", core::kActivityClasses));
  for (std::uint32_t& domain : step.cost.domains) domain = read_domain_number(in, "a domain or -", plan);
  step.cost.fill = in.number("a fill", kAboveZero, 1);
  step.first_dependency = static_cast<std::uint32_t>(plan.dependencies.size());
  while (!in.line_is_over()) plan.dependencies.push_back(in.whole("an earlier step", id));
  step.dependency_count = static_cast<std::uint32_t>(plan.dependencies.size()) - step.first_dependency;
  plan.steps.push_back(step);
}

void write_step(std::string& text, const CostedPlan& plan, const CostedStep& step) {
  append_number(text, step.lane);
  for (const double value : {step.release, step.cost.fixed, step.cost.work}) {
    text += ' ';
    append_number(text, value);
  }
  text += ' ';
  append_number(text, step.cost.launches);
  text += ' ';
  append_number(text, static_cast<std::uint32_t>(step.cost.activity));
  for (const std::uint32_t domain : step.cost.domains) {
    text += ' ';
    if (domain == models::kNoDomain) {
      text += '-';
    } else {
      append_number(text, domain);
    }
  }
  text += ' ';
  append_number(text, step.cost.fill);
  const std::span all(plan.dependencies);
  for (const std::uint32_t dependency : all.subspan(step.first_dependency, step.dependency_count)) {
    text += ' ';
    append_number(text, dependency);
  }
  text += '\n';
}

}  // namespace

std::string encode_frame(std::string_view name, std::string_view payload) {
  std::string text(name);
  text += ' ' + std::to_string(payload.size()) + '\n';
  text += payload;
  return text;
}

std::string encode_plan(const CostedPlan& plan) {
  std::string text = "domains " + std::to_string(plan.domains.size()) + " lanes " + std::to_string(plan.hops.size()) +
                     " steps " + std::to_string(plan.steps.size()) + '\n';
  for (const models::RateTable& table : plan.domains) write_domain(text, table);
  for (const double hop : plan.hops) {
    append_number(text, hop);
    text += '\n';
  }
  for (const CostedStep& step : plan.steps) write_step(text, plan, step);
  return text;
}

CostedPlan decode_plan(std::string_view text) {
  // No count can be larger than the text that describes its entries.
  const auto limit = static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), UINT32_MAX));
  LineReader in(text);
  in.next_line();
  in.expect("domains");
  const std::uint32_t domains = in.whole("the number of domains", limit);
  in.expect("lanes");
  const std::uint32_t lanes = in.whole("the number of lanes", limit);
  in.expect("steps");
  const std::uint32_t steps = in.whole("the number of steps", limit);
  CostedPlan plan;
  for (std::uint32_t i = 0; i < domains; ++i) {
    in.next_line();
    plan.domains.push_back(read_domain(in));
  }
  for (std::uint32_t i = 0; i < lanes; ++i) {
    in.next_line();
    plan.hops.push_back(in.number("a hop", 0, kLongestTime));
  }
  plan.steps.reserve(steps);
  for (std::uint32_t i = 0; i < steps; ++i) {
    in.next_line();
    read_step(in, plan);
  }
  in.finish();
  return plan;
}

std::string encode_intervals(const std::vector<StepInterval>& intervals) {
  std::string text;
  for (const StepInterval& interval : intervals) {
    append_number(text, interval.begin);
    text += ' ';
    append_number(text, interval.end);
    text += '\n';
  }
  return text;
}

std::vector<StepInterval> decode_intervals(std::string_view text, std::size_t steps) {
  LineReader in(text);
  std::vector<StepInterval> intervals(steps);
  for (StepInterval& interval : intervals) {
    in.next_line();
    interval.begin = in.number("a begin", 0, std::numeric_limits<double>::max());
    interval.end = in.number("an end", interval.begin, std::numeric_limits<double>::max());
  }
  in.finish();
  return intervals;
}

std::optional<Frame> FrameReader::next() {
  if (!header_) {
    const std::size_t end = buffer_.find('\n');
    if (end == std::string::npos && buffer_.size() <= kLongestHeader) return std::nullopt;
    const std::string_view line = std::string_view(buffer_).substr(0, std::min(end, kLongestHeader));
    const std::size_t space = line.find(' ');
    const auto bytes = space == std::string_view::npos ? std::nullopt : core::parse_whole(line.substr(space + 1));
    if (end == std::string::npos || space == 0 || !bytes || *bytes > kLongestPayload) {
      core::throw_bad_input("expected a line \"NAME BYTES\", found " + quoted(line));
    }
    header_ = Header{std::string(line.substr(0, space)), static_cast<std::size_t>(*bytes)};
    buffer_.erase(0, end + 1);
  }
  if (buffer_.size() < header_->bytes) return std::nullopt;
  Frame frame{std::move(header_->name), buffer_.substr(0, header_->bytes)};
  buffer_.erase(0, header_->bytes);
  header_.reset();
  return frame;
}

}  // namespace forelap::sim::simgrid
