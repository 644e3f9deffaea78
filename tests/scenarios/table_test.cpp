#include "scenarios/table.hpp"

#include <filesystem>
#include <set>

#include "core/atomic_file.hpp"
#include "scenarios/catalogue.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::HasSubstr;

struct Thing {
  std::string name;
  std::uint32_t size = 4;
};

Table<Thing> thing_table() {
  Table<Thing> table("a thing");
  table.add(Need::required, "name", "its name", text_codec(), &Thing::name);
  return table;
}

TEST(Table, CarriesAKeyThatIsAddedIntoReaderWriterAndSchema) {
  Table<Thing> table = thing_table();
  const Document document = load_document("name: a\nsize: 9\n", "f.yaml");
  EXPECT_THAT(message_of([&] { (void)table.read(Cursor(document)); }), HasSubstr("size: unknown key"));
  EXPECT_EQ(table.schema().find("properties")->find("size"), nullptr);

  table.add(Need::optional, "size", "its size", whole32_codec(1, 10), &Thing::size);
  EXPECT_EQ(table.read(Cursor(document)).size, 9U);
  EXPECT_EQ(to_yaml(table.write({"a", 9})), "name: a\nsize: 9\n");
  ASSERT_NE(table.schema().find("properties")->find("size"), nullptr);
  EXPECT_EQ(table.schema().find("properties")->find("size")->find("description")->text, "its size");
}

TEST(Table, LeavesUsualValuesOutAndAsksForRequiredOnes) {
  Table<Thing> table = thing_table();
  table.add(Need::optional, "size", "its size", whole32_codec(1, 10), &Thing::size);
  EXPECT_EQ(to_yaml(table.write({"a", 4})), "name: a\n");
  const Document document = load_document("size: 9\n", "f.yaml");
  EXPECT_EQ(message_of([&] { (void)table.read(Cursor(document)); }),
            "f.yaml:1:1: the key \"name\" is missing: its name; expected a text");
  ASSERT_NE(table.schema().find("required"), nullptr);
  EXPECT_EQ(table.schema().find("required")->children.at(0).text, "name");
}

void collect_keys(const Node& node, std::set<std::string>& keys) {
  for (const Node::Key& key : node.keys) keys.insert(key.text);
  for (const Node& child : node.children) collect_keys(child, keys);
}

void collect_properties(const Node& schema, std::set<std::string>& keys) {
  if (const Node* properties = schema.find("properties")) {
    for (const Node::Key& key : properties->keys) keys.insert(key.text);
  }
  for (const Node& child : schema.children) collect_properties(child, keys);
}

void expect_covered(const std::vector<Shipped>& files, const std::string& schema_text) {
  // JSON is YAML.
  const Document schema = load_document(schema_text, "schema");
  std::set<std::string> known;
  collect_properties(schema.root, known);
  EXPECT_FALSE(files.empty());
  for (const Shipped& shipped : files) {
    std::set<std::string> keys;
    collect_keys(load_document(core::read_file(shipped.file, kLargestFile), shipped.name).root, keys);
    for (const std::string& key : keys) EXPECT_EQ(known.count(key), 1U) << shipped.name << ": " << key;
  }
}

TEST(Schema, KnowsEveryKeyOfTheShippedFiles) {
  expect_covered(shipped_scenarios(), scenario_schema());
  expect_covered(shipped_machines(), machine_schema());
}

TEST(Schema, GivesEachKindOfValueItsJsonType) {
  EXPECT_EQ(to_json(bool_codec().schema()), "{\n  \"type\": \"boolean\"\n}\n");
  EXPECT_EQ(quantity_codec(core::Dimension::pure).schema().find("type")->text, "number");
  EXPECT_EQ(whole_codec(1, 2).schema().find("type")->text, "integer");
  EXPECT_EQ(quantity_codec(core::Dimension::time).schema().find("pattern")->text,
            "^\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? *(fs|ps|ns|us|ms|s|min|h)$");
  const Node engines = choice_codec<int>({{"auto", 0}, {"1", 1}}).schema();
  EXPECT_TRUE(engines.find("enum")->children.at(0).quoted);
  EXPECT_FALSE(engines.find("enum")->children.at(1).quoted);
}

TEST(Schema, SaysItsDraftAndRefusesOtherKeys) {
  for (const std::string& text : {scenario_schema(), machine_schema()}) {
    const Document schema = load_document(text, "schema");
    EXPECT_EQ(schema.root.find("$schema")->text, "https://json-schema.org/draft/2020-12/schema");
    EXPECT_EQ(schema.root.find("additionalProperties")->text, "false");
    EXPECT_EQ(schema.root.find("type")->text, "object");
  }
}

}  // namespace
}  // namespace forelap::scenarios
