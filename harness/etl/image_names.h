// Names functions by the files of images, on the machine that recorded the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tailgate::etl {

class ImageNames {
 public:
  virtual ~ImageNames() = default;

  // The function at an offset of an image of size_bytes; empty where nothing names it. path: as the
  // kernel records it: "\Device\HarddiskVolume3\app.exe", "\SystemRoot\system32\ntoskrnl.exe".
  virtual std::string function_at(const std::string& path, std::uint64_t size_bytes,
                                  std::uint64_t offset) = 0;
};

// By Windows' library dbghelp: PDBs that it finds, symbols in the file, or what the file exports.
// Only on Windows.
std::unique_ptr<ImageNames> debug_help_names();

}  // namespace tailgate::etl
