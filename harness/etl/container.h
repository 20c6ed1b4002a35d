// Traces inside of archives and compressed files, as people send them: .etl.zip, .etl.gz, .cab,
// .7z.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// Whether a file begins as a ZIP, CAB or 7z archive, or as a stream of gzip, xz, bzip2 or
// Zstandard. False for a file that cannot be read.
bool is_container(const std::filesystem::path& path);

// Makes a folder among the temporary files that only this user may read.
std::filesystem::path new_temporary_folder();

// Sizes of a container and of its traces, in bytes.
struct ContainerBytes {
  std::uint64_t packed = 0;         // the container's file
  std::uint64_t unpacked = 0;       // its traces
  std::uint64_t other_members = 0;  // files that are no traces, which are in `packed` only
};

// Unpacks a container's traces, the members whose name ends in .etl and the content of a stream, to
// temporary files, and opens them; the files are removed as soon as the system allows it, at the
// latest with the returned object. A trace's name is "<container>/<member>". Throws Error when this
// build has no library for it, when the container is damaged, encrypted or without traces, and when
// it has more than 64 of them or more than 1,000 times its own size (at least 256 MB).
class UnpackedTraces {
 public:
  explicit UnpackedTraces(const std::filesystem::path& container);
  ~UnpackedTraces();
  UnpackedTraces(const UnpackedTraces&) = delete;
  UnpackedTraces& operator=(const UnpackedTraces&) = delete;

  std::vector<std::unique_ptr<TraceFile>>& files() { return files_; }
  const ContainerBytes& bytes() const { return bytes_; }

 private:
  std::filesystem::path folder_;
  ContainerBytes bytes_;
  std::vector<std::unique_ptr<TraceFile>> files_;
};

// A file that unpack_container() wrote.
struct UnpackedMember {
  std::string name;  // in the container; UTF-8
  std::filesystem::path file;
};

struct UnpackedMembers {
  std::vector<UnpackedMember> traces;
  std::uint64_t others = 0;  // files that were left out
};

// Writes a container's traces into a folder, as files with names of their own, up to max_bytes in
// all. Throws Error as above.
UnpackedMembers unpack_container(const std::filesystem::path& container,
                                 const std::filesystem::path& folder, std::uint64_t max_bytes);

}  // namespace tailgate::etl
