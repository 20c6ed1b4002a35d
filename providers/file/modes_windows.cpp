#include "harness/os/api_windows.h"
#include "harness/os/wine_windows.h"
#include "providers/file/modes.h"

namespace tailgate::file {
namespace {

Probe always(const Options&) {
  return {};
}

// Available, with a warning: Wine opens the file as if the flag were not set.
Probe ignored_by_wine(const Options&) {
  if (wine_version().empty()) return {};
  return {.available = true,
          .reason = "Wine ignores the flag: the path works, but its cost is not that of Windows",
          .remedy = "run on Windows"};
}

}  // namespace

const std::vector<Mode>& modes() {
  constexpr FileGrowth append = FileGrowth::append;
  constexpr FileGrowth in_place = FileGrowth::in_place;
  // Wine seeks to the end of the file and then writes, so two threads may overwrite each other's
  // events. Windows does both in one step.
  const bool appends_whole = wine_version().empty();
  static const std::vector<Mode> list = {
      {"write", append, false, true, survives_kill, always, open_write, appends_whole},
      // After a failed write the C library drops its buffer and does not say which events it held.
      {"stdio", append, true, false, survives_by_flush, always, open_stdio},
      {"writev", append, true, true, survives_by_batch, probe_other_system, open_other_system},
      {"odsync", append, false, true, survives_crash, probe_other_system, open_other_system},
      {"fdatasync", append, false, true, survives_by_sync, probe_other_system, open_other_system},
      {"preallocated", in_place, false, true, survives_by_sync, probe_other_system,
       open_other_system},
      {"mmap", in_place, false, true, survives_kill, always, open_mmap},
      {"io_uring", append, true, true, survives_nothing, probe_other_system, open_other_system},
      {"write_through", append, false, true, survives_crash, ignored_by_wine, open_write_through,
       appends_whole},
      {"no_buffering", in_place, false, true, survives_kill, ignored_by_wine, open_no_buffering},
      {"flush_buffers", append, false, true, survives_by_sync, always, open_flush_buffers,
       appends_whole},
      {"rotate", append, false, true, survives_nothing, always, open_rotate, true, false, false,
       true},
      {"launch", append, false, true, survives_nothing, always, open_launch, true, false, false,
       true},
      {"capped", append, false, true, survives_kill, always, open_capped, true, false},
  };
  return list;
}

std::string file_system_name(const std::filesystem::path& directory) {
  wchar_t volume[MAX_PATH] = {};
  wchar_t name[MAX_PATH] = {};
  const std::filesystem::path absolute = std::filesystem::absolute(directory);
  if (GetVolumePathNameW(absolute.c_str(), volume, MAX_PATH) == 0 ||
      GetVolumeInformationW(volume, nullptr, 0, nullptr, nullptr, nullptr, name, MAX_PATH) == 0) {
    return "unknown";
  }
  return narrow(name);
}

}  // namespace tailgate::file
