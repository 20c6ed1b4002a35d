// What the file sink needs from the operating system: its modes, one provider each. A system lists
// its own in modes_<system>.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "providers/readback/event_stream.h"
#include "providers/sink.h"

namespace tailgate::file {

struct Mode {
  std::string_view name;
  FileGrowth growth;
  bool buffered;         // emit() may return while the event is still in this process's memory
  bool accounts_losses;  // what is lost after it was accepted is counted to the event
  // Without side effects; looks at this mode's own needs, not at the directory.
  Probe (*probe)(const Options& options);
  // Opens the session's file for writing. Throws Error.
  std::unique_ptr<Provider> (*open)(const TrialContext& context, const std::filesystem::path& path);
  bool multi_threaded = true;  // several threads may emit at once
};

// In the order in which they are listed; those of other operating systems among them.
const std::vector<Mode>& modes();

// "ext4", "tmpfs" …, or what is known instead: "unknown (type 0x1234)".
std::string file_system_name(const std::filesystem::path& directory);

// The modes' openers; each file says what emit() does there.
std::unique_ptr<Provider> open_stdio(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_write(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_writev(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_odsync(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_fdatasync(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_preallocated(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_mmap(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_io_uring(const TrialContext&, const std::filesystem::path&);

std::unique_ptr<Provider> open_write_through(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_no_buffering(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_flush_buffers(const TrialContext&, const std::filesystem::path&);

Probe probe_io_uring(const Options& options);

// Of a mode that this operating system does not have.
Probe probe_other_system(const Options& options);
std::unique_ptr<Provider> open_other_system(const TrialContext&, const std::filesystem::path&);

}  // namespace tailgate::file
