#include "calibrate/samples.hpp"

#include <array>
#include <functional>
#include <limits>
#include <optional>

#include "calibrate/table.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace forelap::calibrate {
namespace {

constexpr std::array<std::string_view, 6> kParts = {"latency", "transfer", "kernel", "interference", "engines", "fill"};
constexpr std::array<std::string_view, 4> kSubjects = {"htod", "dtoh", "kernel", "chain"};
constexpr std::array<std::string_view, 12> kColumns = {"part", "class", "memory", "active",  "kernel",  "bytes",
                                                       "work", "items", "count",  "seconds", "outside", "round"};
enum Column : std::size_t {
  kPart,
  kClass,
  kMemory,
  kActive,
  kKernel,
  kBytes,
  kWork,
  kItems,
  kCount,
  kSeconds,
  kOutside,
  kRound
};

template <std::size_t N>
std::string all_names(const std::array<std::string_view, N>& names) {
  std::vector<std::string> list(names.begin(), names.end());
  return core::join_names(list);
}

template <std::size_t N>
std::size_t find_name(const Table& table, const Row& row, const Cell& cell,
                      const std::array<std::string_view, N>& names, const std::string& what) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == cell.text) return i;
  }
  fail_at(table, row, cell,
          "unknown " + what + " \"" + std::string(cell.text.substr(0, 40)) + "\"; expected " + all_names(names));
}

/// Position of each column in the file; npos where the file does not have it.
using Layout = std::array<std::size_t, kColumns.size()>;
constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

Layout read_header(const Table& table) {
  if (table.rows.empty()) core::throw_bad_input(table.file + ": no header line; expected " + all_names(kColumns));
  Layout layout;
  layout.fill(kAbsent);
  const Row& header = table.rows.front();
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    std::size_t& place = layout[find_name(table, header, header.cells[i], kColumns, "column")];
    if (place != kAbsent) fail_at(table, header, header.cells[i], "this column stands twice");
    place = i;
  }
  for (const Column required : {kPart, kClass, kSeconds}) {
    if (layout[required] == kAbsent) {
      fail_at(table, header, header.cells.front(), "the column \"" + std::string(kColumns[required]) + "\" is missing");
    }
  }
  return layout;
}

core::ActivitySet read_set(const Table& table, const Row& row, const Cell& cell) {
  unsigned set = 0;
  for (const std::string& name : core::split(cell.text, '+')) {
    const std::optional<core::ActivityClass> activity = core::activity_named(core::trim(name));
    if (!activity) {
      fail_at(table, row, cell, "unknown class \"" + name + "\"; expected classes joined by \"+\", such as htod+dtoh");
    }
    set |= core::bit(*activity);
  }
  return static_cast<core::ActivitySet>(set);
}

std::uint32_t read_whole(const Table& table, const Row& row, const Cell& cell, const std::string& what) {
  const std::optional<std::uint64_t> value = core::parse_whole(cell.text);
  if (!value || *value > 1'000'000) {
    fail_at(table, row, cell,
            what + " is \"" + std::string(cell.text.substr(0, 40)) + "\"; expected a whole number of at most 1000000");
  }
  return static_cast<std::uint32_t>(*value);
}

Sample read_row(const Table& table, const Row& row, const Layout& layout) {
  Sample sample;
  const auto with = [&](Column column, const std::function<void(const Cell&)>& use) {
    if (layout[column] != kAbsent && !row.cells[layout[column]].text.empty()) use(row.cells[layout[column]]);
  };
  const auto number = [&](Column column, double& value) {
    with(column, [&](const Cell& cell) { value = number_of(table, row, cell, std::string(kColumns[column])); });
  };
  const Cell& part = row.cells[layout[kPart]];
  const Cell& subject = row.cells[layout[kClass]];
  sample.part = static_cast<Part>(find_name(table, row, part, kParts, "part"));
  sample.subject = static_cast<Subject>(find_name(table, row, subject, kSubjects, "class"));
  with(kMemory, [&](const Cell& cell) {
    constexpr std::array<std::string_view, 2> kKinds = {"pinned", "pageable"};
    sample.memory = static_cast<core::MemoryKind>(find_name(table, row, cell, kKinds, "memory"));
  });
  with(kActive, [&](const Cell& cell) { sample.active = read_set(table, row, cell); });
  with(kKernel, [&](const Cell& cell) { sample.kernel = std::string(cell.text); });
  number(kBytes, sample.bytes);
  number(kWork, sample.work);
  number(kItems, sample.items);
  with(kCount, [&](const Cell& cell) { sample.count = read_whole(table, row, cell, "count"); });
  if (sample.count == 0)
    fail_at(table, row, row.cells[layout[kCount]], "count is 0; a time holds at least one command");
  const Cell& seconds = row.cells[layout[kSeconds]];
  sample.seconds = number_of(table, row, seconds, "seconds");
  if (sample.seconds > 1e6) fail_at(table, row, seconds, "a time of more than 1000000 seconds; is the unit seconds?");
  number(kOutside, sample.outside);
  with(kRound, [&](const Cell& cell) { sample.round = read_whole(table, row, cell, "round"); });
  return sample;
}

}  // namespace

std::string_view name_of(Part part) {
  return kParts[static_cast<std::size_t>(part)];
}

std::string_view name_of(Subject subject) {
  return kSubjects[static_cast<std::size_t>(subject)];
}

std::string name_of(core::ActivitySet set) {
  std::string names;
  for (std::size_t i = 0; i < core::kActivityClasses; ++i) {
    if ((set >> i & 1U) == 0) continue;
    if (!names.empty()) names += '+';
    names += core::kActivityNames[i];
  }
  return names;
}

core::ActivityClass activity_of(Subject subject) {
  switch (subject) {
    case Subject::htod:
      return core::ActivityClass::htod;
    case Subject::dtoh:
      return core::ActivityClass::dtoh;
    case Subject::kernel:
    case Subject::chain:
      break;
  }
  return core::ActivityClass::kernel;
}

bool same_point(const Sample& a, const Sample& b) {
  return a.part == b.part && a.subject == b.subject && a.memory == b.memory && a.active == b.active &&
         a.kernel == b.kernel && a.bytes == b.bytes && a.work == b.work && a.items == b.items && a.count == b.count;
}

std::string describe(const Sample& sample) {
  std::string text(name_of(sample.part));
  if (name_of(sample.subject) != name_of(sample.part)) text += " " + std::string(name_of(sample.subject));
  if (!sample.kernel.empty()) text += " \"" + sample.kernel + "\"";
  if (sample.subject == Subject::htod || sample.subject == Subject::dtoh) {
    text += sample.memory == core::MemoryKind::pinned ? " pinned" : " pageable";
  }
  if (sample.bytes > 0) text += " " + core::fixed(sample.bytes, 0) + " B";
  if (sample.work > 0) text += " work " + core::significant(sample.work, 6);
  if (sample.count > 1) text += " x " + std::to_string(sample.count);
  if (sample.active != 0 && sample.active != core::bit(activity_of(sample.subject))) {
    text += " with " + name_of(sample.active) + " busy";
  }
  return text;
}

std::string write_samples(std::span<const Sample> samples) {
  std::string text;
  for (std::size_t i = 0; i < kColumns.size(); ++i) text += (i == 0 ? "" : ",") + std::string(kColumns[i]);
  text += '\n';
  for (const Sample& s : samples) {
    const bool copies = s.subject == Subject::htod || s.subject == Subject::dtoh;
    const std::array<std::string, kColumns.size()> cells = {std::string(name_of(s.part)),
                                                            std::string(name_of(s.subject)),
                                                            !copies                                ? ""
                                                            : s.memory == core::MemoryKind::pinned ? "pinned"
                                                                                                   : "pageable",
                                                            name_of(s.active),
                                                            s.kernel,
                                                            core::shortest(s.bytes),
                                                            core::shortest(s.work),
                                                            core::shortest(s.items),
                                                            std::to_string(s.count),
                                                            core::shortest(s.seconds),
                                                            core::shortest(s.outside),
                                                            std::to_string(s.round)};
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + cells[i];
    text += '\n';
  }
  return text;
}

std::vector<Sample> parse_samples(std::string_view text, const std::string& file) {
  const Table table = read_table(text, file);
  const Layout layout = read_header(table);
  const std::size_t columns = table.rows.front().cells.size();
  std::vector<Sample> samples;
  samples.reserve(table.rows.size());
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (row.cells.size() != columns) {
      fail_at(
          table, row, row.cells.back(),
          "this line has " + std::to_string(row.cells.size()) + " cells; the header has " + std::to_string(columns));
    }
    samples.push_back(read_row(table, row, layout));
  }
  if (samples.empty()) core::throw_bad_input(file + ": a header but no samples below it");
  return samples;
}

}  // namespace forelap::calibrate
