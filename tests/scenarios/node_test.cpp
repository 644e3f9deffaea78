#include "scenarios/node.hpp"

#include "scenarios/yaml_document.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

TEST(ToYaml, WritesSmallThingsOnOneLineAndLargeOnesAsBlocks) {
  Node root = Node::map();
  root.add("small", Node::map().add("a", Node::scalar("1")).add("b", Node::list({Node::scalar("2")})));
  Node large = Node::list();
  for (int i = 0; i < 3; ++i) {
    large.children.push_back(Node::map()
                                 .add("text", Node::quoted_scalar(std::string(60, 'x')))
                                 .add("more", Node::quoted_scalar(std::string(60, 'y'))));
  }
  root.add("large", large);
  const std::string text = to_yaml(root);
  EXPECT_THAT(text, testing::StartsWith("small: {a: 1, b: [2]}\nlarge:\n  - text: xxx"));
  EXPECT_TRUE(load_document(text, "f").root.same_as(root));
}

TEST(ToYaml, KeepsTextsThatLookLikeSomethingElse) {
  for (const std::string text : {"",
                                 " ",
                                 "null",
                                 "~",
                                 "true",
                                 "No",
                                 "12",
                                 "1e6",
                                 "a: b",
                                 "a #b",
                                 "*x",
                                 "&x",
                                 "!x",
                                 "- x",
                                 "[x",
                                 "{x",
                                 "x, y",
                                 "\"",
                                 "'",
                                 "\\",
                                 "two\nlines",
                                 "\ttab",
                                 "\x01",
                                 "ends: ",
                                 "%x",
                                 "@x",
                                 "`x`",
                                 "x ",
                                 "---",
                                 "...",
                                 "\xc3\xa4\xe2\x82\xac",
                                 "?",
                                 "=",
                                 "<<",
                                 ".inf"}) {
    Node root = Node::map();
    root.add("key", Node::quoted_scalar(text)).add("list", Node::list({Node::quoted_scalar(text)}));
    const Document back = load_document(to_yaml(root), "f");
    EXPECT_EQ(back.root.find("key")->text, text) << to_yaml(root);
    EXPECT_EQ(back.root.find("key")->kind, Node::Kind::scalar) << to_yaml(root);
    EXPECT_EQ(back.root.find("list")->children.at(0).text, text) << to_yaml(root);
  }
}

TEST(ToYaml, QuotesKeysThatNeedIt) {
  Node root = Node::map();
  root.add("a: b", Node::scalar("1")).add("true", Node::scalar("2"));
  EXPECT_TRUE(load_document(to_yaml(root), "f").root.same_as(root));
}

TEST(ToJson, WritesTextsQuotedAndTheRestAsItStands) {
  Node root = Node::map();
  root.add("text", Node::quoted_scalar("a\"\n\x01"))
      .add("number", Node::scalar("1.5"))
      .add("empty", Node::list())
      .add("list", Node::list({Node::scalar("true"), Node()}));
  EXPECT_EQ(to_json(root),
            "{\n  \"text\": \"a\\\"\\n\\u0001\",\n  \"number\": 1.5,\n  \"empty\": [],\n  \"list\": [\n    true,\n    "
            "null\n  ]\n}\n");
}

}  // namespace
}  // namespace forelap::scenarios
