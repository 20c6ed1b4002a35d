#include "harness/os/install_paths.h"

#include <fmt/format.h>

#include "harness/base/environment_text.h"
#include "harness/base/error.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

bool holds_data(const fs::path& folder) {
  std::error_code ignored;
  return !folder.empty() && fs::is_directory(folder / "scenarios", ignored);
}

}  // namespace

fs::path choose_data_dir(const std::string& environment, const fs::path& executable,
                         const fs::path& source) {
  if (!environment.empty()) {
    if (holds_data(environment)) return environment;
    throw Error(fmt::format("TAILGATE_DATA_DIR = '{}' has no folder 'scenarios'", environment),
                "name the folder that contains scenarios/ and plots/, or unset it");
  }
  const fs::path installed = (executable.parent_path() / TAILGATE_DATA_FROM_BIN).lexically_normal();
  if (holds_data(installed)) return installed;
  if (holds_data(source)) return source;
  const std::string places = source.empty()
                                 ? fmt::format("'{}' has no folder 'scenarios'", installed.string())
                                 : fmt::format("neither '{}' nor '{}' has a folder 'scenarios'",
                                               installed.string(), source.string());
  throw Error(places,
              "install tailgate again (cmake --install), or set TAILGATE_DATA_DIR to the folder "
              "that contains scenarios/ and plots/");
}

bool runs_from_build_folder() {
  std::error_code ignored;
  const fs::path build = fs::weakly_canonical(TAILGATE_BUILD_DIR, ignored);
  const fs::path below = executable_path().lexically_relative(build);
  return !below.empty() && *below.begin() != "..";
}

fs::path data_dir() {
  return choose_data_dir(environment_text("TAILGATE_DATA_DIR"), executable_path(),
                         runs_from_build_folder() ? TAILGATE_SOURCE_DIR : "");
}

fs::path own_helper(const std::string& name) {
  const fs::path folder =
      runs_from_build_folder()
          ? fs::path(TAILGATE_BUILD_DIR) / "harness" / "calls"
          : (executable_path().parent_path() / TAILGATE_HELPERS_FROM_BIN).lexically_normal();
  std::error_code ignored;
  if (fs::is_regular_file(folder / name, ignored)) return folder / name;
  throw Error(fmt::format("'{}' is not there", (folder / name).string()),
              "install tailgate again (cmake --install), or build it whole");
}

std::string choose_python(const std::string& environment, const fs::path& found,
                          bool in_build_folder) {
  if (!environment.empty()) return environment;
  std::error_code ignored;
  const bool usable = in_build_folder || found.parent_path() == "/usr/bin";
  return usable && fs::exists(found, ignored) ? found.string() : "python3";
}

std::vector<std::string> plot_command(const std::string& script) {
  const std::string python = choose_python(environment_text("TAILGATE_PYTHON"),
                                           TAILGATE_PYTHON_FOUND, runs_from_build_folder());
  return {python, "-B", (data_dir() / "plots" / script).string()};
}

}  // namespace tailgate
