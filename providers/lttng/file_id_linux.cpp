#include <sys/stat.h>

#include "providers/lttng/file_id.h"

namespace tailgate {

std::optional<FileId> file_id(const std::filesystem::path& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

}  // namespace tailgate
