#include "providers/file/modes.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <fstream>
#include <sstream>

namespace tailgate::file {
namespace {

Probe always(const Options&) {
  return {};
}

// The type of the file system mounted from this device, or "". Source: /proc/self/mountinfo, see
// proc(5); the third field is major:minor, the word after " - " the type.
std::string mounted_type(dev_t device) {
  const std::string wanted = fmt::format("{}:{}", major(device), minor(device));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string id, parent, numbers;
    fields >> id >> parent >> numbers;
    const std::size_t separator = line.find(" - ");
    if (numbers != wanted || separator == std::string::npos) continue;
    const std::size_t begin = separator + 3;
    return line.substr(begin, line.find(' ', begin) - begin);
  }
  return "";
}

}  // namespace

const std::vector<Mode>& modes() {
  constexpr FileGrowth append = FileGrowth::append;
  constexpr FileGrowth in_place = FileGrowth::in_place;
  constexpr bool kThreads = true;
  constexpr bool kOneFile = true;
  // Linux appends what one write(2) or writev(2) has in one piece (write(2), O_APPEND).
  constexpr bool kProcesses = true;
  static const std::vector<Mode> list = {
      {"write", append, false, true, survives_kill, always, open_write, kThreads, kOneFile,
       kProcesses},
      // After a failed write the C library drops its buffer and does not say which events it held.
      {"stdio", append, true, false, survives_by_flush, always, open_stdio},
      {"writev", append, true, true, survives_by_batch, always, open_writev, kThreads, kOneFile,
       kProcesses},
      {"odsync", append, false, true, survives_crash, always, open_odsync, kThreads, kOneFile,
       kProcesses},
      {"fdatasync", append, false, true, survives_by_sync, always, open_fdatasync, kThreads,
       kOneFile, kProcesses},
      {"preallocated", in_place, false, true, survives_by_sync, always, open_preallocated},
      {"mmap", in_place, false, true, survives_kill, always, open_mmap},
      {"io_uring", append, true, true, survives_nothing, probe_io_uring, open_io_uring},
      {"write_through", append, false, true, survives_crash, probe_other_system, open_other_system},
      {"no_buffering", in_place, false, true, survives_kill, probe_other_system, open_other_system},
      {"flush_buffers", append, false, true, survives_by_sync, probe_other_system,
       open_other_system},
      {"rotate", append, false, true, survives_nothing, always, open_rotate, true, false, false,
       true},
      {"launch", append, false, true, survives_nothing, always, open_launch, true, false, false,
       true},
      {"capped", append, false, true, survives_kill, always, open_capped, true, false},
  };
  return list;
}

std::string file_system_name(const std::filesystem::path& directory) {
  struct stat status;
  if (::stat(directory.c_str(), &status) == 0) {
    const std::string type = mounted_type(status.st_dev);
    if (!type.empty()) return type;
  }
  struct statfs system;
  if (::statfs(directory.c_str(), &system) != 0) return "unknown";
  return fmt::format("unknown (type {:#x})", static_cast<unsigned long>(system.f_type));
}

}  // namespace tailgate::file
