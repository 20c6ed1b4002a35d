// The file sink appends events to one file that all load threads share, in the ways that programs
// do: through C stdio, one write call each, in batches, synchronised, memory-mapped, or by
// io_uring.
#include "harness/sink/sink.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <optional>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/outside.h"
#include "harness/os/private_folder.h"
#include "harness/os/remove_folder.h"
#include "providers/file/modes.h"
#include "providers/file/own_disk.h"
#include "providers/shared/readback/file_sequence.h"
#include "providers/shared/storage/rotating_log.h"

namespace tailgate {
namespace {

const file::Mode& chosen_mode(const Options& options) {
  for (const file::Mode& mode : file::modes()) {
    if (mode.name == options.text("mode")) return mode;
  }
  throw std::logic_error("the options table offers an unknown mode");
}

// FNV-1a hash: gives the files of different trials in one directory different names.
std::uint64_t name_hash(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3ull;
  }
  return hash;
}

std::filesystem::path file_path(const TrialContext& context) {
  const std::string& directory = context.options.text("dir");
  if (context.options.integer("disk_bytes") > 0) return context.directory / "disk" / "file.events";
  if (directory.empty()) return context.directory / "file.events";
  return std::filesystem::path(directory) /
         fmt::format("tailgate-{:016x}", name_hash(context.directory.string())) / "file.events";
}

// Creates the file, so that a consumer finds it before the provider opens it. A file in dir= lies
// in a folder of its own, which nobody else can enter or prepare: dir may be /tmp, and the user
// root. That folder is removed at the end.
class FileSession : public Session {
 public:
  explicit FileSession(const TrialContext& context)
      : directory_(context.directory),
        path_(file_path(context)),
        cap_bytes_(chosen_mode(context.options).one_file ? 0
                                                         : context.options.integer("max_bytes")),
        rotates_(chosen_mode(context.options).rotates),
        disk_bytes_(static_cast<std::uint64_t>(context.options.integer("disk_bytes"))),
        inside_pid_(context.inside_pid),
        outside_(!context.options.text("dir").empty()) {}

  ~FileSession() override {
    if (started_ && outside_) remove_folder(path_.parent_path());
  }

  void start() override {
    if (outside_) {
      note_outside(directory_, path_.parent_path());
      make_private_folder(path_.parent_path());
    }
    started_ = true;
    if (disk_bytes_ > 0) {
      std::filesystem::create_directory(path_.parent_path());
      disk_.emplace(path_.parent_path(), disk_bytes_, inside_pid_);
    }
    if (!std::ofstream(seen(path_), std::ios::trunc)) {
      throw system_error("open", path_.string(), errno,
                         "give a dir= that exists and can be written to");
    }
    if (rotates_) requests_.emplace(file::requests_path(seen(path_)));
  }

  std::vector<std::pair<std::string, std::string>> granted() const override {
    std::vector<std::pair<std::string, std::string>> granted = {
        {"path", path_.string()},
        {"file_system", file::file_system_name(seen(path_.parent_path()))}};
    if (cap_bytes_ > 0) granted.emplace_back("cap_bytes", std::to_string(cap_bytes_));
    return granted;
  }

  int namespace_pid() const override { return disk_ ? disk_->namespace_pid() : 0; }

  std::optional<std::filesystem::path> own_disk() const override {
    if (!disk_) return std::nullopt;
    return disk_->outside(path_.parent_path());
  }

  // As a program does that a signal tells to begin another file, it is asked and does it with its
  // next event.
  void rotate() override {
    if (!requests_) return Session::rotate();
    constexpr std::chrono::seconds kPatience{1};
    if (requests_->ask(kPatience)) return;
    throw Error("the program logged nothing for 1 s, so it has not begun another file",
                "ask for rotations while it logs");
  }

  // Windows removes no file that is mapped.
  void stop() override { requests_.reset(); }

 private:
  // The path by which this process, the controller, reaches a file of the session.
  std::filesystem::path seen(const std::filesystem::path& path) const {
    return disk_ ? disk_->outside(path) : path;
  }

  std::filesystem::path directory_;
  std::filesystem::path path_;
  std::int64_t cap_bytes_;  // 0: none
  bool rotates_;
  std::optional<RotationRequests> requests_;
  std::uint64_t disk_bytes_;  // 0: none of its own
  int inside_pid_;
  std::optional<file::OwnDisk> disk_;
  bool outside_;
  bool started_ = false;
};

class FileSink : public SinkType {
 public:
  std::string name() const override { return "file"; }
  std::string description() const override {
    return "a file: stdio, written, synced, mapped, unbuffered, io_uring";
  }

  OptionTable options() const override;

  Capabilities capabilities(const Options& options) const override {
    const file::Mode& mode = chosen_mode(options);
    return {.read_back = true,
            .live_read = mode.one_file,
            .accounts_losses = mode.accounts_losses,
            .asynchronous = mode.buffered,
            .survives = mode.survives(options),
            .may_refuse = true,
            .multi_threaded = mode.multi_threaded,
            .multi_process = mode.multi_process,
            .multi_consumer = mode.one_file};
  }

  Probe probe(const Options& options) const override {
    const std::string& directory = options.text("dir");
    std::error_code ignored;
    if (!directory.empty() && !std::filesystem::is_directory(directory, ignored)) {
      return {.available = false,
              .reason = fmt::format("dir = '{}' is not a directory", directory),
              .remedy = "create it or name another one"};
    }
    if (options.integer("disk_bytes") > 0) {
      if (!directory.empty()) {
        return {.available = false,
                .reason = "dir= with disk_bytes=: the disk is in the trial's own directory",
                .remedy = "leave one of them out"};
      }
      if (const Probe disk = file::probe_own_disk(); !disk.available) return disk;
    }
    return chosen_mode(options).probe(options);
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<FileSession>(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return chosen_mode(context.options).open(context, file_path(context));
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    const file::Mode& mode = chosen_mode(context.options);
    const auto open = [encoding = context.encoding, &mode](const std::filesystem::path& path) {
      return std::make_unique<EventStreamConsumer>(path, encoding, mode.growth);
    };
    const std::filesystem::path path = file_path(context);
    if (mode.one_file) return open(path);
    return std::make_unique<FileSequence>(RotatingLog::files_of(path), open);
  }
};

OptionTable FileSink::options() const {
  constexpr double kMaxCapacityBytes = 1e12;
  const OptionType integer = OptionType::integer;
  std::vector<std::string> names;
  for (const file::Mode& mode : file::modes()) names.emplace_back(mode.name);
  return {
      {"mode", OptionType::choice, names.front(), "how emit() writes events into the file", 0, 0,
       names},
      {"dir", OptionType::text, "", "directory of the file (empty: the trial's own)"},
      {"buffer_bytes", integer, "4096", "stdio: size of the buffer", 128, 1 << 30},
      {"flush_every", integer, "0", "stdio: events from one fflush to the next (0: only at close)",
       0},
      {"batch_events", integer, "32", "writev: events of one thread per call", 1, 1024},
      {"sync_every", integer, "1",
       "fdatasync, preallocated, flush_buffers: events from one sync to the next (0: none)", 0},
      {"capacity_bytes", integer, "0",
       "preallocated: size of the file (0: a quarter more than the trial expects)", 0,
       kMaxCapacityBytes},
      {"max_bytes", integer, "64Mi", "rotate, launch, capped: all files together", 4096,
       kMaxCapacityBytes},
      {"files_count", integer, "4", "rotate, launch: files that share max_bytes", 2, 1000},
      {"launch_every", integer, "0",
       "launch: events after which the log begins anew, as in a program that is started again (0: "
       "never)",
       0},
      choice_option("launch_names", "times",
                    "launch: a file's name has the time to the nanosecond, or to the second, so "
                    "that launches of one second overwrite each other",
                    {"times", "seconds"}),
      {"disk_bytes", integer, "0",
       "put the file into a tmpfs of this size (0: into the trial's directory)", 0,
       kMaxCapacityBytes},
      {"ring_events", integer, "256", "io_uring: events in flight per thread", 1, 4096},
      {"sqpoll", OptionType::boolean, "false",
       "io_uring: a kernel thread polls the queue, so emit() makes no system call"},
  };
}

}  // namespace

std::unique_ptr<const SinkType> make_file_sink(const SinkCatalog&) {
  return std::make_unique<FileSink>();
}

}  // namespace tailgate
