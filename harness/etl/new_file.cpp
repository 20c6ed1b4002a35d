#include "harness/etl/new_file.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/os/atomic_file.h"

namespace tailgate::etl {

NewFile::NewFile(std::filesystem::path path, bool replace)
    : path_(std::move(path)),
      temporary_(temporary_file_in(path_.has_parent_path() ? path_.parent_path() : ".")),
      replace_(replace) {
  refuse_existing();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

NewFile::~NewFile() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void NewFile::refuse_existing() const {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path_, ignored);
  const bool exists = std::filesystem::exists(status);
  if (!exists || (replace_ && std::filesystem::is_regular_file(status))) return;
  throw Error(fmt::format("'{}' exists already", path_.string()),
              replace_ ? "name a file with --out that is no folder, link or device"
                       : "name another file with --out, or replace it with --force");
}

void NewFile::complete() {
  refuse_existing();
  std::error_code failure;
  std::filesystem::rename(temporary_, path_, failure);
  if (!failure) return;
  throw Error(fmt::format("cannot write '{}': {}", path_.string(), failure.message()),
              "name a file with --out that you may write to");
}

}  // namespace tailgate::etl
