#include "harness/base/file_text.h"

#include <fstream>
#include <iterator>

namespace tailgate {

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tailgate
