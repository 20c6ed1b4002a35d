#include "harness/os/atomic_file.h"

#include <fmt/format.h>

#include <random>

#include "harness/base/error.h"
#include "harness/os/atomic_file_os.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

void refuse_others(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(path, ignored).type();
  if (type == fs::file_type::symlink) {
    throw Error(fmt::format("'{}' is a symbolic link, which is not followed", path.string()),
                "name the file to which it leads, or remove it");
  }
  if (fs::exists(path, ignored) && type != fs::file_type::regular) {
    throw Error(fmt::format("'{}' is not a regular file", path.string()),
                "give the name of a file, new or to be replaced");
  }
}

}  // namespace

fs::path temporary_file(const fs::path& folder, unsigned n) {
  static const std::string token = [] {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
  }();
  return folder / fmt::format(".tailgate-{}-{}.tmp", token, n);
}

fs::path temporary_file_in(const fs::path& folder) {
  return temporary_file(folder, 0);
}

Error refused_existing(const fs::path& path) {
  return Error(fmt::format("'{}' exists already, and is not overwritten", path.string()),
               "name another file");
}

void write_file_atomically(const fs::path& path, std::string_view content, Existing existing) {
  refuse_others(path);
  write_and_rename(fs::absolute(path).make_preferred(), content, existing == Existing::replace);
}

void check_writable(const fs::path& folder) {
  write_and_remove(fs::absolute(folder).make_preferred(), std::string(65536, '\0'));
}

}  // namespace tailgate
