// Unpacks by libarchive.
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <memory>

#include "harness/base/error.h"
#include "harness/etl/container.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxTraces = 64;
constexpr std::size_t kArchiveBlockBytes = 256u << 10;

struct Closer {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, Closer>;

[[noreturn]] void fail(const std::filesystem::path& container, archive* reader) {
  const char* reason = archive_error_string(reader);
  throw Error(fmt::format("cannot unpack '{}': {}", container.string(),
                          reason != nullptr ? reason : "it is damaged"),
              "unpack it by other means, and name the .etl file in it");
}

Reader open_reader(const std::filesystem::path& container) {
  Reader reader(archive_read_new());
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_zip(reader.get());
  archive_read_support_format_cab(reader.get());
  archive_read_support_format_7zip(reader.get());
  archive_read_support_format_tar(reader.get());
  archive_read_support_format_raw(reader.get());
  if (archive_read_open_filename(reader.get(), container.string().c_str(), kArchiveBlockBytes) !=
      ARCHIVE_OK) {
    fail(container, reader.get());
  }
  return reader;
}

bool is_trace_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return name.ends_with(".etl");
}

// The name that a member is shown by: that in the archive, or a stream's own without its ending.
std::string shown_name(const std::filesystem::path& container, archive* reader,
                       archive_entry* entry) {
  if (archive_format(reader) == ARCHIVE_FORMAT_RAW) return container.stem().string();
  const char* name = archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = archive_entry_pathname(entry);
  return name != nullptr ? name : "";
}

// Copies a member's bytes; takes them from what is left of the limit.
void copy_member(const std::filesystem::path& container, archive* reader,
                 const std::filesystem::path& file, std::uint64_t& left_bytes) {
  std::ofstream out(file, std::ios::binary);
  std::vector<char> block(kArchiveBlockBytes);
  for (;;) {
    const la_ssize_t size = archive_read_data(reader, block.data(), block.size());
    if (size == 0) break;
    if (size < 0) fail(container, reader);
    if (static_cast<std::uint64_t>(size) > left_bytes) {
      throw Error(fmt::format("the traces in '{}' are suspiciously large", container.string()),
                  "unpack it by other means if it is what you expect");
    }
    left_bytes -= static_cast<std::uint64_t>(size);
    out.write(block.data(), size);
  }
  out.close();
  if (!out) {
    throw Error("cannot write '" + file.string() + "'",
                "free space among the temporary files, or set TMPDIR to a folder that has some");
  }
}

}  // namespace

UnpackedMembers unpack_container(const std::filesystem::path& container,
                                 const std::filesystem::path& folder, std::uint64_t max_bytes) {
  std::uint64_t left_bytes = max_bytes;
  Reader reader = open_reader(container);
  UnpackedMembers members;
  archive_entry* entry = nullptr;
  for (;;) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status < ARCHIVE_WARN) fail(container, reader.get());
    const std::string name = shown_name(container, reader.get(), entry);
    const bool stream = archive_format(reader.get()) == ARCHIVE_FORMAT_RAW;
    if (!stream && archive_entry_filetype(entry) != AE_IFREG) continue;
    if (!stream && !is_trace_name(name)) {
      ++members.others;
      continue;
    }
    if (members.traces.size() == kMaxTraces) {
      throw Error(fmt::format("'{}' contains more than {} traces", container.string(), kMaxTraces),
                  "unpack it, and name the .etl files that you mean");
    }
    const std::filesystem::path file = folder / fmt::format("{}.etl", members.traces.size());
    copy_member(container, reader.get(), file, left_bytes);
    members.traces.push_back({name, file});
  }
  if (members.traces.empty()) {
    throw Error("'" + container.string() + "' contains no .etl file",
                "name an archive with a trace in it, or the trace itself");
  }
  return members;
}

}  // namespace tailgate::etl
