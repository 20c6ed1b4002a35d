#include "providers/etw/retention.h"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace tailgate::etw {
namespace {

struct KeptFile {
  std::filesystem::file_time_type changed;
  std::filesystem::path path;
  std::uint64_t bytes;
};

// Another process may remove files meanwhile.
std::vector<KeptFile> kept_files(const std::filesystem::path& folder) {
  std::vector<KeptFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != kTraceExtension || !path.filename().string().starts_with(kKeptPrefix)) {
      continue;
    }
    std::error_code gone;
    const auto changed = entry.last_write_time(gone);
    const std::uint64_t bytes = gone ? 0 : entry.file_size(gone);
    if (!gone) files.push_back({changed, path, bytes});
  }
  return files;
}

}  // namespace

void remove_oldest_traces(const std::filesystem::path& folder, std::uint64_t most_bytes) {
  std::vector<KeptFile> files;
  try {
    std::filesystem::create_directories(folder);
    files = kept_files(folder);
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error("keep_in = '" + folder.string() + "' cannot be used: " + error.code().message(),
                "name a folder that you may write to");
  }
  std::sort(files.begin(), files.end(),
            [](const KeptFile& a, const KeptFile& b) { return a.changed < b.changed; });
  std::uint64_t total_bytes = 0;
  for (const KeptFile& file : files) total_bytes += file.bytes;
  for (const KeptFile& file : files) {
    if (total_bytes <= most_bytes) return;
    std::error_code in_use;
    if (std::filesystem::remove(file.path, in_use)) total_bytes -= file.bytes;
  }
}

}  // namespace tailgate::etw
