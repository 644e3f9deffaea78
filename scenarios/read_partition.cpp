// From a partition file's words to the typed scenario, with the checks that look at more than one place.

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "scenarios/partition_file.hpp"

namespace forelap::scenarios {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<std::pair<std::string, double>>;

Names names_of(const Numbers& numbers) {
  Names names;
  for (const auto& number : numbers) names.push_back(number.first);
  return names;
}

/// "0-3,6" as core numbers; empty where it is no such list.
std::vector<std::uint64_t> cores_of(const std::string& text) {
  constexpr std::uint64_t kMostCores = 65536;
  std::vector<std::uint64_t> cores;
  for (const std::string& range : core::split(text, ',')) {
    const std::size_t dash = range.find('-');
    const auto low = core::parse_whole(range.substr(0, dash));
    const auto high = dash == std::string::npos ? low : core::parse_whole(range.substr(dash + 1));
    if (!low || !high || *low > *high || *high >= kMostCores) return {};
    for (std::uint64_t core = *low; core <= *high; ++core) cores.push_back(core);
  }
  return cores;
}

class PartitionConverter {
 public:
  PartitionConverter(const Cursor& root, PartitionFile file) : root_(root), file_(std::move(file)) {
    partition_ = std::move(file_.partition);
    partition_.kernel = std::move(file_.kernel.kernel);
  }

  Scenario run() {
    is_of_user(partition_.kernel) || root_.at("kernel").is(Node::Kind::map) ? settle_own() : settle_builtin();
    settle_choices();
    check_devices();
    check_sizes();
    Scenario scenario = std::move(file_.scenario);
    scenario.body = std::move(partition_);
    return scenario;
  }

 private:
  /// The kernel says which sizes and values there must be, and their order.
  void settle_builtin() {
    const PartitionKernel& kernel = partition_.kernel;
    const Cursor sizes = root_.at("sizes");
    for (std::size_t i = 0; i < partition_.sizes.size(); ++i) {
      if (std::find(kernel.sizes.begin(), kernel.sizes.end(), partition_.sizes[i].first) != kernel.sizes.end())
        continue;
      sizes.fail_at_key(i, "no size of kernel \"" + kernel.name + "\", which has " + core::join_names(kernel.sizes));
    }
    Numbers ordered;
    for (const std::string& name : kernel.sizes) {
      const auto at = find(partition_.sizes, name);
      if (at == partition_.sizes.end()) {
        sizes.fail("the size \"" + name + "\" is missing; kernel \"" + kernel.name + "\" has the sizes " +
                   core::join_names(kernel.sizes));
      }
      ordered.push_back(*at);
    }
    partition_.sizes = std::move(ordered);
    const Names known = names_of(kernel.defaults);
    for (std::size_t i = 0; i < partition_.values.size(); ++i) {
      if (find(kernel.defaults, partition_.values[i].first) != kernel.defaults.end()) continue;
      root_.at("values").fail_at_key(i, "no value of kernel \"" + kernel.name + "\", which has " +
                                            (known.empty() ? std::string("none") : core::join_names(known)));
    }
    Numbers values = kernel.defaults;
    for (auto& [name, value] : values) {
      const auto at = find(partition_.values, name);
      if (at != partition_.values.end()) value = at->second;
    }
    partition_.values = std::move(values);
  }

  static Numbers::const_iterator find(const Numbers& numbers, const std::string& name) {
    return std::find_if(numbers.begin(), numbers.end(), [&](const auto& number) { return number.first == name; });
  }

  void settle_own() {
    PartitionKernel& kernel = partition_.kernel;
    const Cursor cursor = root_.at("kernel");
    if (!is_of_user(kernel)) {
      cursor.fail("found no source, expected `source: FILE` for all devices, or `cpu`, `opencl` and `cuda` files");
    }
    if (find_partition_kernel(kernel.name) != nullptr) {
      cursor.at("name").fail("this is the name of a built-in kernel; choose another");
    }
    kernel.sizes = names_of(partition_.sizes);
    kernel.defaults = partition_.values;
    std::set<std::string> names;
    for (const std::string& name : kernel.sizes) names.insert(name);
    for (std::size_t i = 0; i < partition_.values.size(); ++i) {
      if (!names.insert(partition_.values[i].first).second) {
        root_.at("values").fail_at_key(i, "a size has this name too; give each its own");
      }
    }
    check_tiles(cursor.at("tiles"));
    for (std::size_t i = 0; i < file_.kernel.arguments.size(); ++i) {
      kernel.arguments.push_back(argument(cursor.at("arguments").at(i), file_.kernel.arguments[i]));
    }
  }

  void check_tiles(const Cursor& cursor) const {
    std::set<std::string> names;
    bool divided = false;
    for (std::size_t i = 0; i < partition_.kernel.tiles.size(); ++i) {
      const PartitionTile& tile = partition_.kernel.tiles[i];
      if (!names.insert(tile.name).second) {
        cursor.at(i).at("name").fail("a second tile is called \"" + tile.name + "\"; give each its own name");
      }
      divided = divided || !tile.whole;
    }
    if (!divided) cursor.fail("found whole tiles only, expected one at least that is divided");
  }

  [[nodiscard]] PartitionArgument argument(const Cursor& cursor, const PartitionArgumentFile& file) const {
    if (file.tile.empty()) return file.number;
    const auto& tiles = partition_.kernel.tiles;
    Names names;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      if (tiles[i].name == file.tile) return {PartitionArgument::Type::tile, i, {}};
      names.push_back(tiles[i].name);
    }
    const std::string near = core::nearest(file.tile, names);
    cursor.fail("found \"" + file.tile + "\", which is no tile" +
                (near.empty() ? "; the" : "; did you mean \"" + near + "\"? The") + " tiles are " +
                core::join_names(names));
  }

  void settle_choices() {
    partition_.weights = std::move(file_.weights.lists);
    partition_.sweep = file_.weights.sweep;
    partition_.chunks = std::move(file_.chunks.sweep);
    partition_.device_chunks = std::move(file_.chunks.devices);
    partition_.profile = file_.profile.mode;
    partition_.densities = std::move(file_.profile.densities);
  }

  void check_devices() const {
    const std::size_t count = partition_.devices.size();
    std::set<std::string> names;
    std::vector<std::pair<std::string, std::set<std::uint64_t>>> groups;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& name = partition_.devices[i];
      const Cursor cursor = root_.at("devices").at(i);
      if (!names.insert(name).second) cursor.fail("found device \"" + name + "\" twice");
      if (name.substr(0, 4) != "cpu:") continue;
      const auto cores = cores_of(name.substr(4));
      for (const auto& [other, taken] : groups) {
        for (const std::uint64_t core : cores) {
          if (taken.count(core) == 0) continue;
          cursor.fail("found core " + std::to_string(core) + " in \"" + name + "\" and in \"" + other +
                      "\"; groups of cores must not overlap");
        }
      }
      groups.emplace_back(name, std::set<std::uint64_t>(cores.begin(), cores.end()));
    }
    if (count == 0) return;  // known when there is a machine
    const Cursor weights = root_.at("weights");
    for (std::size_t i = 0; i < partition_.weights.size(); ++i) {
      if (partition_.weights[i].size() == count) continue;
      (weights.at(0).is(Node::Kind::list) ? weights.at(i) : weights)
          .fail("found " + std::to_string(partition_.weights[i].size()) + " weights for " + std::to_string(count) +
                (count == 1 ? " device" : " devices") + ", expected one for each device");
    }
    if (partition_.sweep && partition_.sweep->device >= count) {
      weights.at("sweep").at("device").fail("found device " + std::to_string(partition_.sweep->device) +
                                            ", but the scenario has " + std::to_string(count) + " (counted from 0)");
    }
    if (!partition_.device_chunks.empty() && partition_.device_chunks.size() != count) {
      root_.at("chunks").at("devices").fail("found " + std::to_string(partition_.device_chunks.size()) +
                                            " numbers for " + std::to_string(count) + " devices");
    }
  }

  /// Every number that a launch needs must come out right for all of the rows and for one of them.
  void check_sizes() const {
    try {
      const std::uint64_t rows = partition_rows(partition_);
      std::vector<core::BufferId> buffers(partition_.kernel.tiles.size());
      for (const PartitionTile& tile : partition_.kernel.tiles) {
        const std::uint64_t bytes = tile_bytes(partition_, tile);
        if (tile.whole || bytes / row_bytes(partition_, tile) == rows) continue;
        core::throw_bad_input("tile \"" + tile.name + "\" has " + std::to_string(bytes / row_bytes(partition_, tile)) +
                              " rows, but \"" + first_divided().name + "\" has " + std::to_string(rows) +
                              "; divided tiles need the same first extent");
      }
      make_part_launch(partition_, buffers, rows, 0);
      make_part_launch(partition_, buffers, 1, rows - 1);
    } catch (const core::Error& error) {
      root_.at("sizes").fail(error.what());
    }
  }

  [[nodiscard]] const PartitionTile& first_divided() const {
    return *std::find_if(partition_.kernel.tiles.begin(), partition_.kernel.tiles.end(),
                         [](const PartitionTile& tile) { return !tile.whole; });
  }

  Cursor root_;
  PartitionFile file_;
  Partition partition_;
};

}  // namespace

Scenario read_partition(const Cursor& root, const std::string& file) {
  PartitionFile content = partition_table(partition_numbers(root)).read(root);
  if (content.scenario.name.empty()) content.scenario.name = std::filesystem::path(file).stem().string();
  content.scenario.path = file;
  return PartitionConverter(root, std::move(content)).run();
}

Node write_partition(const Scenario& scenario) {
  PartitionFile file;
  file.scenario = scenario;
  file.partition = partition_of(scenario);
  const PartitionKernel& kernel = file.partition.kernel;
  if (!is_of_user(kernel) && file.partition.values == kernel.defaults) file.partition.values.clear();
  file.kernel.kernel = kernel;
  for (const PartitionArgument& argument : kernel.arguments) {
    PartitionArgumentFile written;
    if (argument.type == PartitionArgument::Type::tile) {
      written.tile = kernel.tiles[argument.tile].name;
    } else {
      written.number = argument;
    }
    file.kernel.arguments.push_back(std::move(written));
  }
  file.weights = {file.partition.weights, file.partition.sweep};
  file.chunks = {file.partition.chunks, file.partition.device_chunks};
  file.profile = {file.partition.profile, file.partition.densities};
  return partition_table({}).write(file);
}

}  // namespace forelap::scenarios
