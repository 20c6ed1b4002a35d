#include "harness/os/install_paths.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace fs = std::filesystem;
using tailgate::choose_data_dir;
using tailgate::choose_python;
using tailgate::Error;

namespace {

// A temporary folder with prefix/bin, prefix/share/tailgate/scenarios, source/scenarios and
// elsewhere/scenarios.
class Places {
 public:
  Places() {
    fs::create_directories(root() / "prefix/bin");
    fs::create_directories(root() / "prefix/share/tailgate/scenarios");
    fs::create_directories(root() / "source/scenarios");
    fs::create_directories(root() / "elsewhere/scenarios");
  }

  const fs::path& root() const { return root_.path(); }
  fs::path executable() const { return root() / "prefix/bin/tailgate"; }
  fs::path source() const { return root() / "source"; }

 private:
  tailgate::TestDirectory root_;
};

}  // namespace

TEST_CASE("the environment variable comes first, then the installation, then the source tree") {
  const Places places;
  const std::string elsewhere = (places.root() / "elsewhere").string();
  CHECK(choose_data_dir(elsewhere, places.executable(), places.source()) == elsewhere);
  CHECK(choose_data_dir("", places.executable(), places.source()) ==
        places.root() / "prefix/share/tailgate");
  fs::remove_all(places.root() / "prefix/share");
  CHECK(choose_data_dir("", places.executable(), places.source()) == places.source());
}

TEST_CASE("a wrong TAILGATE_DATA_DIR is an error and is not ignored") {
  const Places places;
  const std::string wrong = (places.root() / "prefix").string();
  CHECK_THROWS_AS(choose_data_dir(wrong, places.executable(), places.source()), Error);
  CHECK_THROWS_WITH(choose_data_dir(wrong, places.executable(), places.source()),
                    Catch::Contains("TAILGATE_DATA_DIR = '" + wrong + "'"));
}

TEST_CASE("an installed program trusts no interpreter in somebody's folder") {
  const Places places;
  const fs::path found = places.root() / "source/scenarios";  // that it is there is what counts
  CHECK(choose_python("mine", found, true) == "mine");
  CHECK(choose_python("", found, true) == found.string());
  CHECK(choose_python("", found, false) == "python3");
  CHECK(choose_python("", places.root() / "gone", true) == "python3");
  if (fs::exists("/usr/bin/env")) CHECK(choose_python("", "/usr/bin/env", false) == "/usr/bin/env");
}

TEST_CASE("without any data folder the error names the places") {
  const Places places;
  fs::remove_all(places.root() / "prefix/share");
  fs::remove_all(places.root() / "source");
  CHECK_THROWS_WITH(choose_data_dir("", places.executable(), places.source()),
                    Catch::Contains(fs::path("prefix/share/tailgate").make_preferred().string()) &&
                        Catch::Contains("source") && Catch::Contains("cmake --install"));
}

TEST_CASE("the program knows its own file") {
  CHECK(fs::exists(tailgate::executable_path()));
  CHECK(tailgate::executable_path().stem() == "tailgate_os_test");
}
