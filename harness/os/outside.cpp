#include "harness/os/outside.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/remove_folder.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

// Absolute paths, each ended by a zero byte, which no path contains.
constexpr const char* kNotes = "tailgate.outside";

bool is_ours(const fs::path& path) {
  const std::string name = path.filename().string();
  return path.is_absolute() && (name.starts_with("tailgate-") || name.starts_with(".tailgate-"));
}

// Returns whether the path is free afterwards.
bool removed(const fs::path& path) {
  std::error_code failed;
  // A control group is removed as an empty folder; the files in it cannot be removed.
  return fs::remove(path, failed) || !failed || remove_folder(path);
}

bool remove_those_in(const fs::path& notes) {
  std::ifstream file(notes, std::ios::binary);
  bool all = true;
  for (std::string text; std::getline(file, text, '\0') && !file.eof();) {
    if (is_ours(text)) all = removed(text) && all;
  }
  return all;
}

}  // namespace

void note_outside(const fs::path& run_folder, const fs::path& made) {
  const fs::path path = fs::absolute(made);
  if (!is_ours(path)) {
    throw std::logic_error(fmt::format("'{}' does not look like tailgate's", path.string()));
  }
  std::ofstream notes(run_folder / kNotes, std::ios::app | std::ios::binary);
  if (!(notes << path.string() << '\0' << std::flush)) {
    throw system_error("write", (run_folder / kNotes).string(), errno,
                       "see whether the scratch folder's disk is full");
  }
}

bool remove_noted(const fs::path& run_folder) {
  bool all = true;
  std::error_code failed;
  constexpr auto kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(run_folder, kSkip, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().filename() == kNotes && at->is_regular_file(failed)) {
      all = remove_those_in(at->path()) && all;
    }
  }
  return all && !failed;
}

}  // namespace tailgate
