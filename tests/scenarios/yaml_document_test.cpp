#include "scenarios/yaml_document.hpp"

#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const std::string& text) {
  return message_of([&] { load_document(text, "f.yaml"); });
}

TEST(LoadDocument, KeepsThePlaceOfEachNode) {
  const Document document = load_document("a: 1\nb:\n  - x\n  - \"y\"\n", "f.yaml");
  const Node* b = document.root.find("b");
  ASSERT_NE(b, nullptr);
  ASSERT_EQ(b->children.size(), 2U);
  EXPECT_EQ(document.where(b->children[1].place), "f.yaml:4:5");
  EXPECT_FALSE(b->children[0].quoted);
  EXPECT_TRUE(b->children[1].quoted);
}

TEST(LoadDocument, ReadsAFileWithoutFinalNewlineWithCrLfAndAByteOrderMark) {
  EXPECT_EQ(load_document("a: 1", "f.yaml").root.find("a")->text, "1");
  EXPECT_EQ(load_document("a: 1\r\nb: 2\r\n", "f.yaml").root.find("b")->text, "2");
  EXPECT_EQ(load_document("\xef\xbb\xbf"
                          "a: 1\n",
                          "f.yaml")
                .root.find("a")
                ->text,
            "1");
}

TEST(LoadDocument, RefusesDuplicateKeysWithBothLines) {
  EXPECT_EQ(error_of("a: 1\nb: 2\na: 3\n"),
            "f.yaml:3:1: the key \"a\" is here a second time, first on line 1; keep one of the two");
}

TEST(LoadDocument, AsksForAListWhereABlockIsRepeated) {
  EXPECT_EQ(
      error_of("task:\n  name: A\ntask:\n  name: B\n"),
      "f.yaml:3:1: the key \"task\" is here a second time, first on line 1; did you mean a list? Write the blocks "
      "under one key, each after a dash:\n  task:\n    - ...\n    - ...");
}

TEST(LoadDocument, RefusesTabsInTheIndentation) {
  EXPECT_EQ(error_of("a:\n\tb: 1\n"), "f.yaml:2:1: found a tab in the indentation, expected spaces");
  EXPECT_EQ(error_of("a:\n  \tb: 1\n"), "f.yaml:2:3: found a tab in the indentation, expected spaces");
  EXPECT_EQ(load_document("a: 1\t# a comment\n", "f.yaml").root.find("a")->text, "1");
}

TEST(LoadDocument, RefusesASecondDocument) {
  EXPECT_THAT(error_of("a: 1\n---\na: 2\n"), HasSubstr("a second document (\"---\"); expected one a file"));
}

TEST(LoadDocument, RefusesEmptyFiles) {
  for (const char* text : {"", "\n", "# nothing\n", "---\n", "~\n"}) {
    EXPECT_EQ(error_of(text), "f.yaml: the file holds nothing") << text;
  }
}

TEST(LoadDocument, RefusesWhatIsNoText) {
  EXPECT_EQ(error_of(std::string("\x7f"
                                 "ELF\0\0",
                                 6)),
            "f.yaml:1:1: found a control character; a YAML file was expected, and this looks binary");
  EXPECT_THAT(error_of(std::string("a: \0", 4)), StartsWith("f.yaml:1:4: found a control character"));
  EXPECT_EQ(error_of("a: \xff\n"), "f.yaml:1:4: found bytes that are no UTF-8 text; a YAML file was expected");
  EXPECT_THAT(error_of("a: \xc3\n"), HasSubstr("no UTF-8 text"));
  EXPECT_THAT(error_of("a: \xe2\x82"), HasSubstr("ends inside a UTF-8 character"));
}

TEST(LoadDocument, PassesTheYamlLibrarysWordsOnWithTheirPlace) {
  EXPECT_THAT(error_of("a: [1, 2\n"), StartsWith("f.yaml:2:1: not valid YAML: "));
  EXPECT_THAT(error_of("a: b: c\n"), StartsWith("f.yaml:1:5: not valid YAML: "));
}

TEST(LoadDocument, RefusesTagsAndKeysThatAreNoNames) {
  EXPECT_THAT(error_of("a: !!int 3\n"), StartsWith("f.yaml:1:4: found the tag"));
  EXPECT_THAT(error_of("[1, 2]: 3\n"), HasSubstr("found a list or map as a key, expected a name"));
  EXPECT_THAT(error_of("~: 3\n"), HasSubstr("found nothing where a key was expected"));
}

TEST(LoadDocument, ExpandsAliases) {
  const Document document = load_document("a: &x {b: 1}\nc: [*x, *x]\n", "f.yaml");
  EXPECT_EQ(document.root.find("c")->children[1].find("b")->text, "1");
}

TEST(LoadDocument, RefusesAnAliasBomb) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    std::string line = "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) line += ", " + before;
    bomb += line + "]\n";
  }
  EXPECT_THAT(error_of(bomb), HasSubstr("more than 200000 values, aliases expanded"));
}

TEST(LoadDocument, RefusesAnAliasInsideItself) {
  EXPECT_THAT(error_of("a: &x [1, *x]\n"), HasSubstr("an alias inside the very node that it names"));
}

TEST(LoadDocument, RefusesDeepNestingInEveryForm) {
  EXPECT_THAT(error_of(std::string(1000, '[') + std::string(1000, ']')), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(error_of("a: " + std::string(100'000, '[')), StartsWith("f.yaml:1:"));
  EXPECT_THAT(error_of("a: " + std::string(100'000, '{')), StartsWith("f.yaml:1:"));
  std::string block;
  for (std::size_t i = 0; i < 100; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(error_of(block + std::string(100, ' ') + "a: 1\n"), HasSubstr("nested deeper than 64 levels"));
  std::string aliases = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i) {
    aliases += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(error_of(aliases), HasSubstr("nested deeper than 64 levels"));
}

TEST(LoadDocument, RefusesMoreThan16MebibytesAndTooManyValues) {
  EXPECT_EQ(error_of(std::string(kLargestFile + 1, ' ')),
            "f.yaml: 16777217 bytes; at most 16777216 (16 MiB) are read; is this the right file?");
  std::string many = "[x";
  for (int i = 0; i < 300'000; ++i) many += ",x";
  EXPECT_THAT(error_of(many + "]"), HasSubstr("more than 200000 values"));
}

}  // namespace
}  // namespace forelap::scenarios
