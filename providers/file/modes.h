// The file sink's modes, one provider each. modes_<system>.cpp lists those of an operating system.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/sink/sink.h"
#include "providers/shared/readback/event_stream.h"

namespace tailgate::file {

struct Mode {
  std::string_view name;
  FileGrowth growth;
  bool buffered;         // emit() may return while the event is still in the process's memory
  bool accounts_losses;  // events lost after they were accepted are counted exactly
  Survives (*survives)(const Options& options);
  // Has no side effects; checks what this mode needs, not the directory.
  Probe (*probe)(const Options& options);
  // Opens the session's file for writing. Throws Error.
  std::unique_ptr<Provider> (*open)(const TrialContext& context, const std::filesystem::path& path);
  bool multi_threaded = true;  // several threads may emit at once
  bool one_file = true;        // else a RotatingLog's, which are read after the trial
  // Several processes may, too: each call appends whole events in one piece.
  bool multi_process = false;
  bool rotates = false;  // begins its next file when the session asks it
};

// All modes in the order of the listing, including those of other operating systems.
const std::vector<Mode>& modes();

// What events survive: always the same, or by how many of them share an fflush, a writev, a sync.
Survives survives_nothing(const Options& options);
Survives survives_kill(const Options& options);
Survives survives_crash(const Options& options);
Survives survives_by_flush(const Options& options);
Survives survives_by_batch(const Options& options);
Survives survives_by_sync(const Options& options);

// "ext4", "tmpfs" …, or the type's number: "unknown (type 0x1234)".
std::string file_system_name(const std::filesystem::path& directory);

// In which the session of that file asks its program to rotate.
std::filesystem::path requests_path(const std::filesystem::path& path);

// Open the provider of each mode; the mode's file says what its emit() does.
std::unique_ptr<Provider> open_stdio(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_write(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_writev(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_odsync(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_fdatasync(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_preallocated(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_mmap(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_io_uring(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_rotate(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_launch(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_capped(const TrialContext&, const std::filesystem::path&);

std::unique_ptr<Provider> open_write_through(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_no_buffering(const TrialContext&, const std::filesystem::path&);
std::unique_ptr<Provider> open_flush_buffers(const TrialContext&, const std::filesystem::path&);

Probe probe_io_uring(const Options& options);

// For modes that this operating system does not have.
Probe probe_other_system(const Options& options);
std::unique_ptr<Provider> open_other_system(const TrialContext&, const std::filesystem::path&);

}  // namespace tailgate::file
