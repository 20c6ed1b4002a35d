#include "providers/journald/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <system_error>
#include <thread>

#include "harness/base/error.h"
#include "providers/journald/journal_reader.h"
#include "providers/journald/options.h"
#include "providers/journald/places.h"
#include "providers/shared/daemon/accepted_counts.h"
#include "providers/shared/daemon/full_disk.h"
#include "providers/shared/daemon/local_datagrams.h"

namespace tailgate::journald {
namespace {

constexpr std::chrono::seconds kReadyLimit{20};
constexpr std::chrono::seconds kStopGrace{20};
constexpr std::chrono::seconds kRotateLimit{2};
constexpr std::chrono::milliseconds kRotatePoll{1};
// The entry in which journald reports how much room it has; the last one that it writes at its
// start.
constexpr const char* kUsageMessageId = "ec387f577b844b8fa948f33cad9a75e6";

void add_limit(std::string& text, const char* prefix, const char* name, std::int64_t bytes) {
  if (bytes > 0) text += fmt::format("{}{}={}\n", prefix, name, bytes);
}

}  // namespace

std::string configuration(const Options& options) {
  const bool persistent = options.text("storage") == "persistent";
  const char* prefix = persistent ? "System" : "Runtime";
  const std::int64_t compress_bytes = options.integer("compress_above_bytes");
  std::string text = fmt::format("[Journal]\nStorage={}\nCompress={}\nSyncIntervalSec={}s\n",
                                 options.text("storage"),
                                 compress_bytes > 0 ? std::to_string(compress_bytes) : "no",
                                 options.integer("sync_interval_s"));
  // No rate limit, and nothing is forwarded. An instance with a retention time does not exit when
  // idle.
  text +=
      "RateLimitIntervalSec=0\nRateLimitBurst=0\nMaxRetentionSec=1month\nForwardToSyslog=no\n"
      "ForwardToKMsg=no\nForwardToConsole=no\nForwardToWall=no\nReadKMsg=no\nAudit=no\n";
  text += fmt::format("MaxLevelStore={}\n", options.text("max_level_store"));
  add_limit(text, prefix, "MaxUse", options.integer("max_use_bytes"));
  add_limit(text, prefix, "KeepFree", options.integer("keep_free_bytes"));
  add_limit(text, prefix, "MaxFileSize", options.integer("max_file_bytes"));
  return text;
}

MountPlan JournaldSession::mount_plan() const {
  const auto disk_bytes = static_cast<std::uint64_t>(context_.options.integer("disk_bytes"));
  const bool persistent = context_.options.text("storage") == "persistent";
  MountPlan plan(context_.inside_pid);
  plan.shadow("/run", {"systemd", "log"})
      .directory("/run/systemd")
      .directory("/run/systemd/journal")
      .link(kSocket, "/run/systemd/journal/socket")
      .directory("/run/systemd/journald@tailgate.conf.d")
      .file("/run/systemd/journald@tailgate.conf.d/tailgate.conf", configuration(context_.options))
      .directory("/run/log")
      .directory("/run/log/journal")
      .file(kMark, context_.directory.string() + "\n");
  if (persistent) {
    plan.shadow("/var/log", {"journal"}).directory("/var/log/journal");
    if (disk_bytes == 0) plan.bind(context_.directory / "journal", "/var/log/journal");
  }
  if (disk_bytes > 0) plan.tmpfs(persistent ? "/var/log/journal" : "/run/log/journal", disk_bytes);
  return plan;
}

void JournaldSession::start() {
  std::error_code failed;
  const std::filesystem::path kept = context_.directory / "journal";
  std::filesystem::create_directory(kept, failed);
  if (failed) {
    throw system_error("mkdir", kept.string(), failed.value(), "choose another --scratch folder");
  }
  view_ = std::make_unique<PrivateNamespace>(mount_plan());
  try {
    start_daemon();
    save_base_sequence(context_, base_);
  } catch (const Error&) {
    daemon_.reset();
    view_.reset();
    throw;
  }
}

void JournaldSession::start_daemon() {
  daemon_ = std::make_unique<PrivateDaemon>(
      DaemonCommand{.name = "journald",
                    .arguments = {find_daemon("systemd-journald").string(), kInstance},
                    // journald's own messages go to the session's log file, not to the kernel's
                    // log.
                    .environment = {{"SYSTEMD_LOG_TARGET", "console"},
                                    {"SYSTEMD_LOG_LEVEL", "info"},
                                    {"SYSTEMD_LOG_COLOR", "0"}},
                    .log = context_.directory / "journald.log",
                    .namespace_pid = view_->pid()});
  daemon_->wait_until([this] { return learn_base(); }, kReadyLimit);
}

// True once journald has written all entries about its start; remembers the number of the last.
bool JournaldSession::learn_base() {
  const std::filesystem::path directory = view_->outside(journal_directory(context_.options));
  std::error_code ignored;
  if (!std::filesystem::exists(directory / "system.journal", ignored)) return false;
  JournalReader reader(directory);
  while (reader.next()) {
    if (reader.text("MESSAGE_ID") != kUsageMessageId) continue;
    base_ = reader.sequence();
    granted_ = {{"path", reader.text("JOURNAL_PATH")},
                {"max_use_bytes", reader.text("MAX_USE")},
                {"keep_free_bytes", reader.text("DISK_KEEP_FREE")},
                {"limit_bytes", reader.text("LIMIT")},
                granted_queue_length()};
    const std::int64_t cap_bytes = context_.options.integer("max_use_bytes");
    if (cap_bytes > 0) granted_.emplace_back("cap_bytes", std::to_string(cap_bytes));
    return true;
  }
  return false;
}

std::optional<std::filesystem::path> JournaldSession::own_disk() const {
  if (!view_ || context_.options.integer("disk_bytes") == 0) return std::nullopt;
  return view_->outside(journal_directory(context_.options).parent_path());
}

// As `journalctl --rotate` does it. journald says nothing when it has: the file that it renames is
// the sign.
void JournaldSession::rotate() {
  const std::filesystem::path directory = view_->outside(journal_directory(context_.options));
  const auto archived = [&] {
    std::size_t files = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
      if (entry.path().filename().string().find('@') != std::string::npos) ++files;
    }
    return files;
  };
  const std::size_t before = archived();
  daemon_->signal(SIGUSR2);
  rotated_ = true;
  const auto deadline = std::chrono::steady_clock::now() + kRotateLimit;
  while (archived() <= before) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error(fmt::format("journald has rotated nothing within {} s", kRotateLimit.count()),
                  "see journald.log in the trial's folder (keep it with --keep)");
    }
    std::this_thread::sleep_for(kRotatePoll);
  }
}

std::vector<DaemonProcess> JournaldSession::daemons() const {
  if (!daemon_) return {};
  return {{"journald", daemon_->pid()}};
}

void JournaldSession::stop() {
  if (!daemon_ || stopped_) return;
  stopped_ = true;
  const bool died = !daemon_->alive();
  const bool full = disk_is_full(view_->outside(journal_directory(context_.options)));
  // On SIGTERM journald reads all that is in its socket before it exits.
  const ChildEnd end = daemon_->stop(kStopGrace);
  // What a journald that the user did not let finish has not stored is unknown.
  const bool cut_short = !died && end.killed() && InterruptFlag::raised();
  if (!cut_short) count_losses(full || said_disk_full());
  if (died) {
    throw Error(fmt::format("journald ended by {} during the trial; it said: {}", end.text(),
                            daemon_->last_words()),
                "see what ended it; what it had not stored is counted as lost");
  }
  if (!end.exited || end.code != 0) {
    throw Error(fmt::format("journald ended by {} when it was told to stop", end.text()),
                "see journald.log in the trial's folder (keep it with --keep)");
  }
  if (const std::optional<Error> failure = view_->holder_failure()) throw *failure;
}

// journald reserves a new file's whole room at once, so it may stop before the last page is used.
bool JournaldSession::said_disk_full() const {
  std::ifstream log(context_.directory / "journald.log");
  for (std::string line; std::getline(log, line);) {
    if (line.find("No space left on device") != std::string::npos) return true;
  }
  return false;
}

// Entries up to that number, since the start, that journald wrote about itself: one at each
// rotation.
std::uint64_t JournaldSession::own_entries(std::uint64_t last) const {
  JournalReader reader(view_->outside(journal_directory(context_.options)));
  std::uint64_t entries = 0;
  while (reader.next()) {
    const std::uint64_t sequence = reader.sequence();
    if (sequence > base_ && sequence <= last && reader.written_by_journald()) ++entries;
  }
  return entries;
}

// journald numbers every entry that it stores. So the events that the socket accepted beyond that
// number never got into the journal, even if the call reported success.
void JournaldSession::count_losses(bool disk_full) {
  JournalReader reader(view_->outside(journal_directory(context_.options)));
  const std::uint64_t last = reader.last_client_sequence();
  std::uint64_t stored = last > base_ ? last - base_ : 0;
  if (rotated_) stored -= std::min(stored, own_entries(last));
  if (!journald_stores_events(context_.options)) return;  // what was accepted is left out
  const std::uint64_t accepted = AcceptedCounts::total(context_.directory);
  if (accepted <= stored) return;
  losses_.push_back({disk_full ? "never stored by journald: disk full" : "never stored by journald",
                     accepted - stored});
}

}  // namespace tailgate::journald
