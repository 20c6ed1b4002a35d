// Archives and compressed files of traces: their formats, members, limits, and the traces in them.
// Input: a file's bytes.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "harness/base/error.h"
#include "harness/etl/container.h"

using namespace tailgate::etl;

namespace {

// libarchive reads files, so the bytes become one; it is overwritten each time.
const std::filesystem::path& input_file() {
  static const std::filesystem::path kPath =
      std::filesystem::temp_directory_path() /
      ("tailgate-container-fuzz-" + std::to_string(std::random_device()()));
  return kPath;
}

struct Remover {
  ~Remover() {
    std::error_code ignored;
    std::filesystem::remove(input_file(), ignored);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Remover kRemover;
  std::ofstream(input_file(), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  if (!is_container(input_file())) return 0;
  try {
    UnpackedTraces traces(input_file());
    for (const auto& file : traces.files()) file->header();
  } catch (const tailgate::Error&) {
    // It was refused with a reason.
  }
  return 0;
}
