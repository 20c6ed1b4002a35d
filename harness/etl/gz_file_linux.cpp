#include "harness/etl/gz_file.h"

namespace tailgate::etl {

gzFile open_gz_file(const std::filesystem::path& path, const char* mode) {
  return gzopen(path.c_str(), mode);
}

}  // namespace tailgate::etl
