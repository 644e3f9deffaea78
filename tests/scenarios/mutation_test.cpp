// Broken files of every kind: a reader gives a value or a core::Error, and nothing else.

#include <stdexcept>

#include "core/atomic_file.hpp"
#include "core/statistics.hpp"
#include "scenarios/yaml_document.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

std::string shipped(const std::string& path) {
  return core::read_file(std::string(FORELAP_SOURCE_DIR) + "/scenarios/" + path, kLargestFile);
}

/// One to four edits: a byte changed, a stretch cut, doubled or moved, a token of YAML or of our units put in.
std::string mutate(std::string text, core::Random& random) {
  constexpr const char* kTokens[] = {"\n",    "\t",   ":",     "- ",          "[",           "]",    "{",
                                     "}",     "&a ",  "*a",    "? ",          "| ",          "> ",   "!",
                                     "#",     "\"",   "'",     "---\n",       "...\n",       "%",    "~",
                                     "1e400", "nan",  "-",     "0",           " ms",         " GiB", " unit",
                                     "null",  "<<: ", ",",     "  ",          "\r\n",        "\xff", "\xc3\xa9",
                                     "x2",    "all",  "given", "after: [T0]", "kernel: 1 ms"};
  const std::uint64_t edits = 1 + random.below(4);
  for (std::uint64_t i = 0; i < edits; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = random.below(std::min<std::size_t>(40, text.size() - at) + 1);
    switch (random.below(4)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(random.below(text.size() + 1), text.substr(at, length));
        break;
      default:
        text.insert(at, kTokens[random.below(std::size(kTokens))]);
        break;
    }
  }
  return text;
}

template <class Parse>
void survive(const std::string& original, std::uint64_t seed, Parse&& parse) {
  core::Random random(seed);
  int parsed = 0;
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = mutate(original, random);
    try {
      parse(text);
      ++parsed;
    } catch (const core::Error& error) {
      ++refused;
      EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << ": " << error.what() << "\n" << text;
    }
  }
  // Both outcomes must occur, or the mutations test nothing.
  EXPECT_GT(parsed, 10);
  EXPECT_GT(refused, 100);
}

TEST(Mutation, OfAScenarioIsReadOrRefused) {
  for (const char* file : {"library/bk50.yaml", "library/overlap.yaml"}) {
    survive(shipped(file), 1, [](const std::string& text) {
      const Scenario scenario = parse_scenario(text, "f.yaml");
      // What is read can be written and read again.
      parse_scenario(write_scenario(scenario), "f.yaml");
    });
  }
}

TEST(Mutation, OfAMachineIsReadOrRefused) {
  survive(shipped("machines/amd-r9.yaml"), 2, [](const std::string& text) {
    const core::Machine machine = parse_machine(text, "m.yaml");
    parse_machine(write_machine(machine), "m.yaml");
  });
}

TEST(Mutation, OfAnOverrideIsAppliedOrRefused) {
  core::Random random(3);
  const std::string text = shipped("machines/amd-r9.yaml");
  for (int i = 0; i < 1000; ++i) {
    const std::string change = mutate("devices[*].transfers[0].rate=x2", random);
    try {
      parse_machine(text, "m.yaml", {parse_override(change)});
    } catch (const core::Error& error) {
      EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    }
  }
}

}  // namespace
}  // namespace forelap::scenarios
