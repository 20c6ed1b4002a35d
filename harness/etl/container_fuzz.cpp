// Archives and compressed files of traces: their formats, members, limits, and the traces in them.
// Input: a file's bytes.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "harness/etl/container.h"

using namespace tailgate::etl;

namespace {

// libarchive reads files, so the bytes become one; it is overwritten each time.
struct InputFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("tailgate-container-fuzz-" + std::to_string(std::random_device()()));
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFile kFile;
  std::ofstream(kFile.path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  if (!is_container(kFile.path)) return 0;
  try {
    UnpackedTraces traces(kFile.path);
    for (const auto& file : traces.files()) file->header();
  } catch (const tailgate::Error&) {
    // It was refused with a reason.
  }
  return 0;
}
