// A file mapped into memory, read only. One implementation per operating system behind this header.
#pragma once

#include <filesystem>

#include "providers/etw/etl/bytes.h"

namespace tailgate::etl {

class MappedFile {
 public:
  // Maps the whole file. Throws Error when it cannot be opened or mapped. An empty file maps to
  // no bytes. A file that shrinks while it is mapped ends the process, as with every mapping.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace tailgate::etl
