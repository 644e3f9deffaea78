#include "calibrate/import.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "calibrate/table.hpp"
#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace forelap::calibrate {
namespace {

constexpr std::size_t kLargestFile = 64 * 1024 * 1024;

enum class Meaning { bytes, seconds, milliseconds, microseconds, direction, memory };

struct Name {
  std::string_view text;
  Meaning meaning;
};
constexpr std::array<Name, 18> kNames = {{{"bytes", Meaning::bytes},
                                          {"size", Meaning::bytes},
                                          {"size_bytes", Meaning::bytes},
                                          {"seconds", Meaning::seconds},
                                          {"time", Meaning::seconds},
                                          {"time_s", Meaning::seconds},
                                          {"s", Meaning::seconds},
                                          {"time_ms", Meaning::milliseconds},
                                          {"ms", Meaning::milliseconds},
                                          {"milliseconds", Meaning::milliseconds},
                                          {"time_us", Meaning::microseconds},
                                          {"us", Meaning::microseconds},
                                          {"microseconds", Meaning::microseconds},
                                          {"direction", Meaning::direction},
                                          {"class", Meaning::direction},
                                          {"dir", Meaning::direction},
                                          {"memory", Meaning::memory},
                                          {"kind", Meaning::memory}}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::optional<Meaning> meaning_of(std::string_view cell) {
  const std::string name = lower(cell);
  for (const Name& known : kNames) {
    if (known.text == name) return known.meaning;
  }
  return std::nullopt;
}

/// The header: the first line that is no comment, or else the last comment above the data; each cell a known name.
struct Header {
  const Row* row = nullptr;
  std::vector<Meaning> columns;
};

bool names_all(const Row& row, std::vector<Meaning>& columns) {
  columns.clear();
  for (const Cell& cell : row.cells) {
    const std::optional<Meaning> meaning = meaning_of(cell.text);
    if (!meaning) return false;
    columns.push_back(*meaning);
  }
  return !columns.empty();
}

Header find_header(const Table& table) {
  Header header;
  if (table.rows.empty())
    core::throw_bad_input(table.file + ": no line with data; expected columns of bytes and seconds");
  if (names_all(table.rows.front(), header.columns)) {
    header.row = &table.rows.front();
    return header;
  }
  for (auto comment = table.comments.rbegin(); comment != table.comments.rend(); ++comment) {
    if (comment->line < table.rows.front().line && names_all(*comment, header.columns)) {
      header.row = &*comment;
      return header;
    }
  }
  fail_at(
      table, table.rows.front(), table.rows.front().cells.front(),
      "no header names the columns; expected a first line such as \"bytes,seconds\" or \"# bytes time_us direction\" "
      "(or the columns of forelap's samples: part, class, seconds, ...)");
}

bool has(const Header& header, Meaning meaning) {
  return std::find(header.columns.begin(), header.columns.end(), meaning) != header.columns.end();
}

void check_header(const Table& table, const Header& header) {
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (header.columns[i] != header.columns[j]) continue;
      fail_at(table, *header.row, header.row->cells[i],
              "this column says the same as \"" + std::string(header.row->cells[j].text) + "\"; keep one of the two");
    }
  }
  const auto times = std::count_if(header.columns.begin(), header.columns.end(), [](Meaning m) {
    return m == Meaning::seconds || m == Meaning::milliseconds || m == Meaning::microseconds;
  });
  if (has(header, Meaning::bytes) && times == 1) return;
  fail_at(table, *header.row, header.row->cells.front(),
          "expected one column of bytes (bytes, size) and one of times (seconds, time_ms, time_us)");
}

Subject read_direction(const Table& table, const Row& row, const Cell& cell) {
  const std::string name = lower(cell.text);
  if (name == "htod" || name == "h2d" || name == "host_to_device") return Subject::htod;
  if (name == "dtoh" || name == "d2h" || name == "device_to_host") return Subject::dtoh;
  fail_at(table, row, cell,
          "unknown direction \"" + std::string(cell.text.substr(0, 40)) + "\"; expected htod or dtoh");
}

core::MemoryKind read_memory(const Table& table, const Row& row, const Cell& cell) {
  const std::string name = lower(cell.text);
  if (name == "pinned") return core::MemoryKind::pinned;
  if (name == "pageable") return core::MemoryKind::pageable;
  fail_at(table, row, cell,
          "unknown memory \"" + std::string(cell.text.substr(0, 40)) + "\"; expected pinned or pageable");
}

Sample read_line(const Table& table, const Row& row, const Header& header) {
  Sample sample;
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    const Cell& cell = row.cells[i];
    switch (header.columns[i]) {
      case Meaning::bytes:
        sample.bytes = number_of(table, row, cell, "bytes");
        break;
      case Meaning::seconds:
        sample.seconds = number_of(table, row, cell, "time");
        break;
      case Meaning::milliseconds:
        sample.seconds = number_of(table, row, cell, "time") / 1e3;
        break;
      case Meaning::microseconds:
        sample.seconds = number_of(table, row, cell, "time") / 1e6;
        break;
      case Meaning::direction:
        sample.subject = read_direction(table, row, cell);
        break;
      case Meaning::memory:
        sample.memory = read_memory(table, row, cell);
        break;
    }
  }
  if (sample.seconds > 1e6) fail_at(table, row, row.cells.front(), "a time of more than 1000000 s; is the unit right?");
  if (sample.bytes <= 0)
    fail_at(table, row, row.cells.front(), "a size of 0 bytes; expected the bytes of the transfer");
  return sample;
}

bool is_samples(const Table& table) {
  if (table.rows.empty()) return false;
  const std::vector<Cell>& cells = table.rows.front().cells;
  return std::any_of(cells.begin(), cells.end(), [](const Cell& c) { return c.text == "part"; });
}

/// StarPU's matrices begin with a comment "# to 0  to 1 ...", and are named by what they hold.
bool is_starpu(const Table& table, const std::filesystem::path& file) {
  const std::string extension = lower(file.extension().string());
  if (extension == ".bandwidth" || extension == ".latency") return true;
  return !table.comments.empty() && table.comments.front().cells.size() > 1 &&
         table.comments.front().cells.front().text == "to";
}

std::string text_if_there(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) ? core::read_file(file, kLargestFile) : std::string();
}

Imported import_starpu(const std::filesystem::path& file) {
  std::filesystem::path bandwidth = file, latency = file;
  bandwidth.replace_extension(".bandwidth");
  latency.replace_extension(".latency");
  Imported imported;
  imported.format = Format::starpu;
  const std::string rates = text_if_there(lower(file.extension().string()) == ".latency" ? bandwidth : file);
  if (rates.empty()) {
    core::throw_bad_input(bandwidth.string() +
                          ": not there or empty; StarPU's latencies need the bandwidths beside them");
  }
  imported.devices =
      parse_starpu(rates, bandwidth.string(), text_if_there(latency), latency.string(), imported.warnings);
  imported.summary = "StarPU bus matrices of " + file.stem().string() + ", " + std::to_string(imported.devices.size()) +
                     " device node(s)";
  return imported;
}

}  // namespace

std::vector<Sample> parse_series(std::string_view text, const std::string& file) {
  const Table table = read_table(text, file);
  const Header header = find_header(table);
  check_header(table, header);
  std::vector<Sample> samples;
  for (const Row& row : table.rows) {
    if (&row == header.row) continue;
    if (row.cells.size() != header.columns.size()) {
      fail_at(table, row, row.cells.back(),
              "this line has " + std::to_string(row.cells.size()) + " cells; the header has " +
                  std::to_string(header.columns.size()) + " (numbers with a decimal comma need another separator)");
    }
    samples.push_back(read_line(table, row, header));
  }
  if (samples.empty()) core::throw_bad_input(file + ": a header but no line with data below it");
  return samples;
}

Imported import_file(const std::filesystem::path& file) {
  const std::string text = core::read_file(file, kLargestFile);
  if (core::trim(text).empty()) core::throw_bad_input(file.string() + ": the file is empty");
  const Table table = read_table(text, file.string());
  if (is_starpu(table, file)) return import_starpu(file);
  Imported imported;
  if (is_samples(table)) {
    imported.samples = parse_samples(text, file.string());
    imported.summary = std::to_string(imported.samples.size()) + " samples";
  } else {
    imported.format = Format::series;
    imported.samples = parse_series(text, file.string());
    imported.summary = "a series of " + std::to_string(imported.samples.size()) + " transfer times";
  }
  return imported;
}

std::vector<core::DeviceModel> models_of(const Imported& imported, const FitOptions& options,
                                         std::vector<std::string>& warnings) {
  warnings.insert(warnings.end(), imported.warnings.begin(), imported.warnings.end());
  if (imported.format == Format::starpu) return imported.devices;
  return {fit_samples(imported.samples, options, warnings)};
}

}  // namespace forelap::calibrate
