#include "core/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "core/error.hpp"

namespace {

using namespace forelap::core;
namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "forelap-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }
  fs::path folder_;
};

TEST_F(AtomicFile, WritesAndReadsBackWhole) {
  const std::string content("a\0b\n", 4);
  write_file(folder_ / "f", content);
  EXPECT_EQ(read_file(folder_ / "f", 100), content);
  write_file(folder_ / "f", "new");
  EXPECT_EQ(read_file(folder_ / "f", 100), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFile, KeepsTheOldFileAndLeavesNothingWhenTheDiskIsFull) {
  write_file(folder_ / "f", "old");
  // A limit on the size of files stands in for a full disk: the write fails in the middle with the same path through
  // the code.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1024, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  try {
    write_file(folder_ / "f", std::string(100'000, 'x'));
    ADD_FAILURE() << "written past the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device_failed);
    EXPECT_NE(std::string(error.what()).find((folder_ / "f").string()), std::string::npos);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(read_file(folder_ / "f", 100), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFile, NamesTheFileAndTheReason) {
  const auto message = [](auto&& action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(message([&] { write_file(folder_ / "none" / "f", "x"); }).find("No such file"), std::string::npos);
  EXPECT_NE(message([&] { read_file(folder_ / "none", 10); }).find("No such file"), std::string::npos);
  EXPECT_NE(message([&] { read_file(folder_, 10); }).find("directory"), std::string::npos);
  write_file(folder_ / "big", std::string(3 << 20, 'x'));
  EXPECT_NE(message([&] { read_file(folder_ / "big", 1 << 20); }).find("larger than the 1 MiB"), std::string::npos);
}

TEST_F(AtomicFile, WritesToDevicesAsTheyAre) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_file("/dev/full", "x"), Error);
}

TEST_F(AtomicFile, ReplacesTheFileBehindALinkAndNotTheLink) {
  write_file(folder_ / "target", "old");
  fs::create_symlink("target", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target", 100), "new");
  EXPECT_EQ(files(), 2U);
}

TEST_F(AtomicFile, SaysBeforehandWhetherAFileCanBeWritten) {
  const auto refused = [](const fs::path& path) {
    try {
      require_writable(path);
      return false;
    } catch (const Error& error) {
      return error.kind() == ErrorKind::bad_input;
    }
  };
  EXPECT_FALSE(refused(folder_ / "f"));
  write_file(folder_ / "f", "old");
  EXPECT_FALSE(refused(folder_ / "f"));
  EXPECT_EQ(read_file(folder_ / "f", 100), "old");
  EXPECT_EQ(files(), 1U);
  EXPECT_FALSE(refused("/dev/null"));
  EXPECT_TRUE(refused(folder_));
  EXPECT_TRUE(refused(folder_ / "nothing" / "f"));
  EXPECT_TRUE(refused(folder_ / "f" / "g"));
  EXPECT_TRUE(refused(folder_ / std::string(300, 'a')));
  EXPECT_THROW(write_file(folder_, "x"), Error);
}

TEST_F(AtomicFile, IsAsReadableAsTheUmaskSays) {
  const mode_t before = umask(027);
  write_file(folder_ / "f", "x");
  umask(before);
  struct stat status {};
  stat((folder_ / "f").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

}  // namespace
