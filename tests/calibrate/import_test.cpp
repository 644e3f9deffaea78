#include "calibrate/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "models/transfer.hpp"

namespace forelap::calibrate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::filesystem::path kExamples = std::filesystem::path(FORELAP_SOURCE_DIR) / "examples" / "samples";

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

std::string series_error(const std::string& text) {
  return error_of([&] { parse_series(text, "x.txt"); });
}

/// A folder of its own, gone with the test.
class ImportFile : public ::testing::Test {
 protected:
  ImportFile()
      : folder_(std::filesystem::temp_directory_path() /
                ("forelap-import-" + std::to_string(getpid()) + "-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~ImportFile() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TEST(ParseSeries, TakesTheMeaningOfColumnsFromAHeaderOrAComment) {
  const std::vector<Sample> a = parse_series("bytes,seconds\n1000,0.5\n2000,0.75\n", "a");
  ASSERT_EQ(a.size(), 2U);
  EXPECT_EQ(a[1].bytes, 2000);
  EXPECT_EQ(a[1].seconds, 0.75);
  const std::vector<Sample> b = parse_series("# size time_us direction\n4096 12.5 dtoh\n", "b");
  ASSERT_EQ(b.size(), 1U);
  EXPECT_EQ(b[0].subject, Subject::dtoh);
  EXPECT_DOUBLE_EQ(b[0].seconds, 12.5e-6);
  const std::vector<Sample> c = parse_series("ms;size;memory\n2;10;pageable", "c");
  EXPECT_EQ(c.at(0).memory, core::MemoryKind::pageable);
  EXPECT_DOUBLE_EQ(c.at(0).seconds, 2e-3);
}

TEST(ParseSeries, RefusesWhatItCannotReadWithThePlace) {
  EXPECT_THAT(series_error("1000 0.5\n"), HasSubstr("x.txt:1:1: no header names the columns"));
  EXPECT_THAT(series_error("bytes,seconds\n1000,nan\n"), HasSubstr("x.txt:2:6"));
  EXPECT_THAT(series_error("bytes,seconds\n-5,1\n"), HasSubstr("negative"));
  EXPECT_THAT(series_error("bytes,seconds\n0,1\n"), HasSubstr("0 bytes"));
  EXPECT_THAT(series_error("bytes,seconds\n5\n"), HasSubstr("1 cells; the header has 2"));
  EXPECT_THAT(series_error("bytes,seconds\n1000,0,5\n"), HasSubstr("decimal comma"));
  EXPECT_THAT(series_error("bytes;seconds\n1000;0,5\n"), HasSubstr("decimal point, not a comma"));
  EXPECT_THAT(series_error("bytes,direction\n5,htod\n"), HasSubstr("one of times"));
  EXPECT_THAT(series_error("bytes,seconds,ms\n5,1,1\n"), HasSubstr("one of times"));
  EXPECT_THAT(series_error("bytes,seconds,direction\n5,1,up\n"), HasSubstr("expected htod or dtoh"));
  EXPECT_THAT(series_error("bytes,seconds\n"), HasSubstr("no line with data below"));
  EXPECT_THAT(series_error("# only a comment\n"), HasSubstr("no line with data"));
}

TEST(ParseStarpu, TurnsMatricesIntoTransfersOfEachDevice) {
  const std::string rates =
      "# to 0\t\tto 1\t\tto 2\t\tto 3\n0.0e+00\t1.0e+04\t5.0e+03\tnan\n8.0e+03\t0.0\t1.0\tnan\n"
      "4.0e+03\t1.0\t0.0\tnan\nnan\tnan\tnan\tnan\n";
  const std::string delays = "# to 0\t\tto 1\t\tto 2\n0\t10\t20\n15\t0\t1\n25\t1\t0\n";
  std::vector<std::string> warnings;
  const std::vector<core::DeviceModel> devices = parse_starpu(rates, "h.bandwidth", delays, "h.latency", warnings);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].name, "gpu0");
  ASSERT_EQ(devices[1].transfers.size(), 2U);
  // 1 MB from node 2 to the host at 4000 MB/s after 25 us.
  EXPECT_NEAR(models::transfer_seconds(devices[1].transfers[1], 1e6), 25e-6 + 250e-6, 1e-12);
  EXPECT_NEAR(models::transfer_seconds(devices[0].transfers[0], 1e6), 10e-6 + 100e-6, 1e-12);
  EXPECT_TRUE(warnings.empty());
}

TEST(ParseStarpu, RefusesWhatIsNoMatrix) {
  std::vector<std::string> warnings;
  const auto parse = [&](const std::string& rates, const std::string& delays) {
    return error_of([&] { parse_starpu(rates, "h.bandwidth", delays, "h.latency", warnings); });
  };
  EXPECT_THAT(parse("0 1\n2\n", ""), HasSubstr("h.bandwidth:2:1: this row has 1 entries"));
  EXPECT_THAT(parse("0 x\n2 0\n", ""), HasSubstr("h.bandwidth:1:3"));
  EXPECT_THAT(parse("0 0\n2 0\n", ""), HasSubstr("not both above 0"));
  EXPECT_THAT(parse("7\n", ""), HasSubstr("at least two nodes"));
  EXPECT_THAT(parse("0 nan\nnan 0\n", ""), HasSubstr("no node"));
  EXPECT_THAT(parse("0 1 1\n1 0 1\n1 1 0\n", "0 1\n1 0\n"), HasSubstr("no latency between nodes"));
}

TEST_F(ImportFile, TellsFormatsApartByTheirContent) {
  EXPECT_EQ(import_file(write("a.csv", "part,class,bytes,seconds\ntransfer,htod,5,1\n")).format, Format::samples);
  EXPECT_EQ(import_file(write("b.csv", "bytes,seconds\n5,1\n")).format, Format::series);
  const Imported matrices = import_file(write("c.bandwidth", "# to 0 to 1\n0 5\n5 0\n"));
  EXPECT_EQ(matrices.format, Format::starpu);
  EXPECT_THAT(matrices.warnings, Contains(HasSubstr("c.latency is not there")));
}

TEST_F(ImportFile, FindsTheBandwidthsBesideTheLatencies) {
  write("host.bandwidth", "0 1000\n1000 0\n");
  const Imported imported = import_file(write("host.latency", "0 7\n9 0\n"));
  ASSERT_EQ(imported.devices.size(), 1U);
  EXPECT_NEAR(imported.devices[0].transfers[1].pieces[0].fixed.value, 9e-6, 1e-15);
}

TEST_F(ImportFile, RefusesAnEmptyFileOneThatIsNotThereAndLatenciesAlone) {
  EXPECT_THAT(error_of([&] { import_file(write("e.csv", "\n \n")); }), HasSubstr("empty"));
  EXPECT_THAT(error_of([&] { import_file(folder_ / "none.csv"); }), HasSubstr("none.csv"));
  EXPECT_THAT(error_of([&] { import_file(write("l.latency", "0 1\n1 0\n")); }), HasSubstr("bandwidths beside"));
}

TEST(Examples, EveryShippedSampleFileGivesAModel) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kExamples)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".csv" && extension != ".bandwidth" && extension != ".txt") continue;
    ++files;
    std::vector<std::string> warnings;
    const std::vector<core::DeviceModel> models = models_of(import_file(entry.path()), FitOptions(), warnings);
    ASSERT_FALSE(models.empty()) << entry.path();
    for (const core::DeviceModel& model : models) {
      ASSERT_FALSE(model.transfers.empty()) << entry.path();
      for (const core::TransferModel& transfer : model.transfers) {
        EXPECT_GT(transfer.pieces.back().per_byte.value, 0) << entry.path();
      }
    }
  }
  EXPECT_GE(files, 3U);
}

}  // namespace
}  // namespace forelap::calibrate
