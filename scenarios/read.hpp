#pragma once
// YAML readers and writers. Strict: unknown keys (the nearest known one is named), duplicate keys, wrong types and bare
// numbers where a unit belongs are errors that carry file:line:column and the key's path. Locale plays no part. Files
// over 16 MB, documents nested deeper than 64 levels and ones that aliases blow up past 200,000 nodes are refused.
// All throw core::Error (bad_input).

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine.hpp"
#include "scenarios/scenario.hpp"

namespace forelap::scenarios {

/// A what-if: the value at a path of the document is replaced before it is read, such as
/// {"devices[0].copy_engines", "1"} or {"devices[*].transfers[*].rate", "x2"} (a factor), in a machine's or a
/// scenario's terms. A known key that the document leaves out may be added where its parent exists. A path that does
/// not exist is an error that names the nearest one. On a machine's parameter the value loses its spread, a factor
/// keeps it in proportion, and both mark it as assumed; on a model of several pieces it means all of them.
struct Override {
  std::string path;
  std::string value;
  std::string given = {};  ///< the path as the user wrote it, for messages, where it is another one
};

/// "path=value" as an override. Throws core::Error (bad_input).
Override parse_override(std::string_view text);

struct OverridesByDocument {
  std::vector<Override> scenario;
  std::vector<Override> machine;
};
/// Which document each override means, by its first key: "engines" a scenario's, "devices[0].hop" a machine's; a
/// leading "scenario." or "machine." decides. Throws core::Error (bad_input) where neither knows the key.
OverridesByDocument split_overrides(const std::vector<Override>& overrides);

Scenario read_scenario(const std::filesystem::path& file, const std::vector<Override>& overrides = {});
Scenario parse_scenario(std::string_view text, const std::string& file, const std::vector<Override>& overrides = {});
/// The scenario as YAML that reads back to the same value.
std::string write_scenario(const Scenario& scenario);

core::Machine read_machine(const std::filesystem::path& file, const std::vector<Override>& overrides = {});
core::Machine parse_machine(std::string_view text, const std::string& file,
                            const std::vector<Override>& overrides = {});
/// The machine as YAML that reads back to the same value, with units and the standing of each number.
std::string write_machine(const core::Machine& machine);

/// JSON schema (draft 2020-12) of scenario or machine files, for editors; made from the same tables as the reader.
std::string scenario_schema();
std::string machine_schema();

/// Which kind of file a document is, for `forelap check`: by its `kind:` or `forelap_machine:` key.
enum class DocumentKind { scenario, machine };
DocumentKind document_kind(const std::filesystem::path& file);

}  // namespace forelap::scenarios
