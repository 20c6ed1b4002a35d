#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <string>

#include "harness/base/testing/test_directory.h"
#include "harness/os/process.h"

using tailgate::find_program;
using tailgate::TestDirectory;
namespace fs = std::filesystem;

namespace {

// Changes the current folder and PATH, and puts both back.
class Elsewhere {
 public:
  Elsewhere(const fs::path& folder, const std::wstring& path)
      : folder_(fs::current_path()), path_(_wgetenv(L"PATH")) {
    fs::current_path(folder);
    _wputenv_s(L"PATH", path.c_str());
  }
  ~Elsewhere() {
    fs::current_path(folder_);
    _wputenv_s(L"PATH", path_.c_str());
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  fs::path folder_;
  std::wstring path_;
};

}  // namespace

TEST_CASE("a program is looked up in PATH, and not in the current folder") {
  const TestDirectory here;
  const TestDirectory there;
  std::ofstream(here / "tailgate-found.exe") << "MZ";
  std::ofstream(there / "tailgate-found.exe") << "MZ";
  {
    const Elsewhere elsewhere(here.path(), there.path().wstring());
    const auto found = find_program("tailgate-found");
    REQUIRE(found);
    CHECK(fs::equivalent(*found, there / "tailgate-found.exe"));
  }
  fs::remove(there / "tailgate-found.exe");
  const Elsewhere elsewhere(here.path(), there.path().wstring());
  CHECK_FALSE(find_program("tailgate-found"));
}
