#include "harness/os/atomic_file.h"

#include <fmt/format.h>

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

void write_file_atomically(const fs::path& path, std::string_view content) {
  refuse_others(path);
  replace_file(fs::absolute(path).make_preferred(), content);
}

}  // namespace tailgate
