// HdrHistogram's Java library reads tailgate's files, and tailgate reads its files.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "harness/histogram/hdr_reference.h"
#include "harness/histogram/histogram_log.h"

using namespace tailgate;

namespace {

constexpr double start_time_s = 1'700'000'000.25;  // HdrReference.java's START_MS
const std::string testdata = TAILGATE_TESTDATA_DIR;

class TempDirectory {
 public:
  TempDirectory()
      : path_(std::filesystem::temp_directory_path() /
              ("tailgate-interop-" + std::to_string(std::random_device()()))) {
    std::filesystem::create_directory(path_);
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Runs HdrReference.java with these arguments and returns its output.
std::string run_java(const TempDirectory& directory, const std::string& arguments) {
  const std::string output = directory.file("output");
  const std::string command = std::string(TAILGATE_JAVA) + " -cp " + TAILGATE_HDRHISTOGRAM_JAR +
                              " '" + testdata + "/HdrReference.java' " + arguments + " > '" +
                              output + "'";
  CAPTURE(command);
  REQUIRE(std::system(command.c_str()) == 0);
  return test::read_file(output);
}

}  // namespace

TEST_CASE("the committed reference equals HdrHistogram's output", "[interop]") {
  const TempDirectory directory;
  CHECK(run_java(directory, "figures") == test::read_file(testdata + "/hdr_reference.txt"));
  CHECK(run_java(directory, "percentiles") == test::read_file(testdata + "/hdr_percentiles.hgrm"));
}

TEST_CASE("HdrHistogram reads our interval log", "[interop]") {
  const TempDirectory directory;
  const auto sets = test::reference_sets();
  HistogramLogWriter writer(start_time_s, "written by tailgate");
  double offset_s = 0.0;
  for (const auto& set : sets) {
    writer.add(offset_s, 0.5, set.histogram, set.name);
    offset_s += 1.0;
  }
  std::ofstream(directory.file("ours.hlog"), std::ios::binary) << writer.text();
  const auto read = test::parse_reference_figures(
      run_java(directory, "read '" + directory.file("ours.hlog") + "'"));
  REQUIRE(read.size() == sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    REQUIRE(read[i].at("set") == sets[i].name);
    test::check_figures(sets[i].histogram, read[i]);
    const std::int64_t start_ms = 1'700'000'000'250 + 1000 * static_cast<std::int64_t>(i);
    CHECK(read[i].at("start_ms") == std::to_string(start_ms));
    CHECK(read[i].at("end_ms") == std::to_string(start_ms + 500));
  }
}

TEST_CASE("we read HdrHistogram's interval log", "[interop]") {
  const TempDirectory directory;
  run_java(directory, "write '" + directory.file("theirs.hlog") + "'");
  const std::string log = test::read_file(directory.file("theirs.hlog"));
  HistogramLogReader reader(log);
  double start_s = start_time_s;
  for (const auto& set : test::reference_sets()) {
    const auto interval = reader.next();
    REQUIRE(interval);
    CHECK(interval->tag == set.name);
    CHECK(interval->start_s == start_s);
    CHECK(interval->length_s == 0.5);
    CHECK(interval->histogram == set.histogram);
    start_s += 1.0;
  }
  CHECK_FALSE(reader.next());
}
