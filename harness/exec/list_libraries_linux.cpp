#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>

#include "harness/base/error.h"
#include "harness/exec/list_libraries.h"
#include "harness/exec/program_process.h"

namespace tailgate {
namespace {

constexpr std::chrono::seconds kListPatience{10};

bool has_other_rights(const std::filesystem::path& program) {
  struct stat status = {};
  return stat(program.c_str(), &status) != 0 || (status.st_mode & (S_ISUID | S_ISGID)) != 0 ||
         getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
}

// A file in memory, which has a path as long as it is open.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("tailgate-libraries", MFD_CLOEXEC)) {
    if (file_ < 0) throw system_error("memfd_create", "", errno, "raise the limit 'ulimit -n'");
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }

 private:
  int file_;
};

}  // namespace

LibraryList list_libraries(const std::filesystem::path& program, const std::string& interpreter) {
  if (interpreter.empty()) return {};
  if (has_other_rights(program)) {
    return {{}, fmt::format("'{}' runs with other rights than its user's", program.string())};
  }
  try {
    const MemoryFile printed;
    ProgramProcess linker({.command = {interpreter, "--list", program.string()},
                           .environment = {},
                           .log = printed.path(),
                           .cpus = {}});
    linker.begin();
    const bool ended = linker.ended_within(kListPatience);
    const ChildEnd end = linker.end();
    if (!ended || !end.exited || end.code != 0) {
      return {{},
              fmt::format("'{} --list {}' ended by {}", interpreter, program.string(), end.text())};
    }
    std::ifstream text(printed.path());
    return {parse_library_list(std::string(std::istreambuf_iterator<char>(text), {})), ""};
  } catch (const Error& error) {
    return {{}, error.what_failed()};
  }
}

}  // namespace tailgate
