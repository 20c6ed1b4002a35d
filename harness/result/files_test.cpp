#include "harness/result/files.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/result/json.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

fs::path write(const TestDirectory& directory, const std::string& name, const std::string& text) {
  std::ofstream(directory / name, std::ios::binary) << text;
  return directory / name;
}

std::string name_of(const std::string& scenario, const std::string& sink,
                    const std::string& preset = "", const std::vector<Setting>& settings = {}) {
  return result_file_name(scenario, sink, preset, settings);
}

TEST_CASE("a file is named after its scenario and its sink") {
  CHECK(name_of("steady", "null") == "steady@null.json");
  CHECK(name_of("steady", "file:mode=mmap") == "steady@file_mode-mmap.json");
  CHECK(name_of("sweep", "file:buffer_bytes=4096,mode=o_dsync") ==
        "sweep@file_buffer_bytes-4096_mode-o_dsync.json");
  CHECK(name_of("steady", "null", "quick") == "steady@null@quick.json");
  CHECK(name_of("steady", "null", "", {{"rate_hz", "10000"}, {"duration_s", "2"}}) ==
        "steady@null+rate_hz-10000_duration_s-2.json");
}

TEST_CASE("different runs have different file names") {
  const std::vector<std::string> labels = {"file",
                                           "file:mode=a_b,c=d",
                                           "file:mode=a,b_c=d",
                                           "file:mode=a,b-c=d",
                                           "file:mode=a-b",
                                           "file:mode=a=b",
                                           "file:mode=a:b",
                                           "file:mode=a_b",
                                           "file:mode=a,b",
                                           "file:mode=A-B",
                                           "file:path=/a/b",
                                           "file:path=-a-b",
                                           "file:path=\\a\\b",
                                           "file:mode=a+b",
                                           "file:mode=a b",
                                           "file:x=" + std::string(500, 'a'),
                                           "file:x=" + std::string(501, 'a')};
  std::set<std::string> names;
  for (const std::string& label : labels) {
    for (const std::string preset : {"", "quick", "rate_hz-5", "Quick", "a/b", "a-b"}) {
      names.insert(name_of("steady", label, preset));
      names.insert(name_of("steady", label, preset, {{"rate_hz", "5"}}));
    }
  }
  CHECK(names.size() == labels.size() * 12);
  std::set<std::string> lower_case;
  for (std::string name : names) {
    CHECK(name.size() <= 255);
    CHECK(name.find_first_of("/\\:*?\"<>| ") == std::string::npos);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    lower_case.insert(name);
  }
  CHECK(lower_case.size() == names.size());
}

TEST_CASE("a saved result can be loaded") {
  const TestDirectory directory;
  const fs::path path = write(directory, "a.json", "what was there before");
  save_result(path, sample_result());
  CHECK(write_result(load_result(path)) == write_result(sample_result()));
  CHECK(std::distance(fs::directory_iterator(directory.path()), {}) == 1);
  CHECK_THROWS_AS(save_result(directory.path() / "none" / "a.json", sample_result()), Error);
}

TEST_CASE("the error for an unreadable file names the file and the reason") {
  const TestDirectory directory;
  CHECK_THROWS_WITH(load_result(directory.path() / "none.json"),
                    Catch::Contains("none.json') failed: No such file or directory"));
  CHECK_THROWS_WITH(load_result(directory.path()),
                    Catch::Contains("read('" + directory.path().string() + "') failed: "));
  CHECK_THROWS_WITH(load_result(write(directory, "b.json", "{")),
                    Catch::Contains("b.json: not JSON"));
}

TEST_CASE("a directory stands for the results directly inside it, by name") {
  const TestDirectory directory;
  const std::string text = write_result(Result());
  const fs::path b = write(directory, "b.json", text);
  const fs::path a = write(directory, "a.json", text);
  write(directory, "verdict.json", "{\"format\": \"other\"}");
  write(directory, "a.txt", text);
  const fs::path cut = write(directory, "cut.json", text.substr(0, 40));
  fs::create_directory(directory.path() / "nested.json");
  CHECK(find_result_files({directory.path()}) == std::vector<fs::path>{a, b, cut});
  CHECK(find_result_files({b, a}) == std::vector<fs::path>{b, a});
}

TEST_CASE("a directory without results and a path that does not exist are errors") {
  const TestDirectory directory;
  write(directory, "other.json", "[]");
  CHECK_THROWS_WITH(find_result_files({directory.path()}), Catch::Contains("holds no result file"));
  CHECK_THROWS_AS(find_result_files({directory.path() / "none"}), Error);
}

}  // namespace
}  // namespace tailgate
