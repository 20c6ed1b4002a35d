#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "providers/plugin/driver_sink.h"

namespace tailgate::plugin_detail {
namespace {

bool is_executable(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

bool is_in_path(const std::string& program) {
  const char* const variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : "/bin:/usr/bin";
  while (true) {
    const std::size_t end = folders.find(':');
    if (is_executable(std::filesystem::path(folders.substr(0, end)) / program)) return true;
    if (end == std::string_view::npos) return false;
    folders.remove_prefix(end + 1);
  }
}

}  // namespace

Probe probe_program(const std::string& program, const std::filesystem::path& directory) {
  if (program.find('/') == std::string::npos) {
    if (is_in_path(program)) return {};
    return {.available = false,
            .reason = fmt::format("there is no program '{}' in PATH", program),
            .remedy = "install it, or name it by its path in the sink's command"};
  }
  if (is_executable(directory / program)) return {};
  return {.available = false,
          .reason = fmt::format("'{}' is no program that can be executed",
                                (directory / program).string()),
          .remedy = "build it, or correct the sink's command"};
}

}  // namespace tailgate::plugin_detail
