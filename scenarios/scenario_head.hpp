#pragma once
// What the tables of all kinds of scenario share.

#include <optional>
#include <string>
#include <utility>

#include "scenarios/scenario.hpp"
#include "scenarios/table.hpp"

namespace forelap::scenarios {

/// A percentage that keeps the number as it is written.
Codec<double> percent_codec();

/// A key whose value must be `value`, the version or the kind of the file.
template <class File, class V>
void add_constant(Table<File>& table, const std::string& key, const std::string& doc, const Codec<V>& codec, V value) {
  table.template add_mapped<V>(
      Need::required, key, doc, codec, [](File&, const V&) {},
      [value](const File&) { return std::optional<V>(value); });
}

template <class File, class Part, class V>
void add_part(Table<File>& table, const std::string& key, const std::string& doc, const Codec<V>& codec,
              Part File::*part, V Part::*member) {
  table.template add_mapped<V>(
      Need::optional, key, doc, codec, [part, member](File& file, V value) { file.*part.*member = std::move(value); },
      [part, member, codec](const File& file) -> std::optional<V> {
        const Part usual{};
        if (codec.write(file.*part.*member).same_as(codec.write(usual.*member))) return {};
        return file.*part.*member;
      });
}

/// The keys that scenarios of every kind have; File has a `scenario`.
template <class File>
void add_head(Table<File>& table, const std::string& kind) {
  using core::InterferenceMode;
  add_constant(table, "forelap", "the version of the file format, 1", whole_codec(1, 1), std::uint64_t{1});
  add_constant(table, "kind", "what the scenario is", choice_codec<int>({{kind, 0}}), 0);
  constexpr Scenario File::*kScenario = &File::scenario;
  add_part(table, "name", "the scenario's name; else its file's", text_codec(), kScenario, &Scenario::name);
  add_part(table, "description", "what it is about", text_codec(), kScenario, &Scenario::description);
  add_part(table, "machine", "machine used where the command line names none: a shipped name or a file", text_codec(),
           kScenario, &Scenario::machine);
  add_part(table, "repetitions", "measured runs of each order", whole32_codec(1, 1'000'000), kScenario,
           &Scenario::repetitions);
  add_part(table, "tolerance", "mean error above which `forelap validate` fails", percent_codec(), kScenario,
           &Scenario::tolerance_pct);
  add_part(table, "seed", "seed of all that is random", whole_codec(0, UINT64_MAX), kScenario, &Scenario::seed);
  add_part(
      table, "interference", "model of interference: none, full, or partial",
      choice_codec<InterferenceMode>(
          {{"none", InterferenceMode::none}, {"full", InterferenceMode::full}, {"partial", InterferenceMode::partial}}),
      kScenario, &Scenario::interference);
}

}  // namespace forelap::scenarios
