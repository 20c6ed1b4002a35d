// Opens files for zlib by any path.
#pragma once

#include <zlib.h>

#include <filesystem>

namespace tailgate::etl {

// gzopen() for a path, which on Windows may have characters that its code page does not have. Null
// when it fails; errno says why.
gzFile open_gz_file(const std::filesystem::path& path, const char* mode);

}  // namespace tailgate::etl
