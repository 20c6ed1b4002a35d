// Runs a private rsyslogd: starts it in a private view of the file system, watches and ends it.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "harness/sink/sink.h"
#include "providers/shared/daemon/private_daemon.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate::syslog {

inline constexpr const char* kSocket = "/dev/log";
// Marks the private view: the file contains the path of the trial's directory.
inline constexpr const char* kMark = "/dev/tailgate-session";

// The file that rsyslogd writes, one event a line, as seen in the view.
std::filesystem::path event_file(const TrialContext& context);

// The name of the file that the n-th rotation, from 1, has put aside.
std::filesystem::path rotated_file(const std::filesystem::path& event_file, std::size_t rotation);

class SyslogSession : public Session {
 public:
  explicit SyslogSession(const TrialContext& context) : context_(context) {}

  void start() override;
  std::vector<std::pair<std::string, std::string>> granted() const override;
  std::vector<DaemonProcess> daemons() const override;
  int namespace_pid() const override { return view_ ? view_->pid() : 0; }
  void rotate() override;
  std::optional<std::filesystem::path> own_disk() const override;
  // Waits until rsyslogd's statistics say that it has handled every event, then ends it. Throws
  // Error when it ended before, or when the private view's holder did.
  void stop() override;
  std::vector<std::uint64_t> daemons_cpu_in_stop_ns() const override { return {stop_cpu_ns_}; }
  std::vector<Loss> losses() const override { return losses_; }

 private:
  // Why the session no longer waits for rsyslogd.
  enum class Settled : std::uint8_t {
    all_written,
    idle,  // nothing more will come
    disk_full,
    daemon_ended,
    too_slow,
    interrupted,
  };

  void start_daemon();
  void begin_file();
  Settled wait_until_settled();
  std::uint64_t written_events();
  bool has_full_disk() const;
  static std::string why_not_written(Settled settled);
  void count_losses(Settled settled);

  const TrialContext context_;
  std::unique_ptr<PrivateNamespace> view_;
  std::unique_ptr<PrivateDaemon> daemon_;
  std::vector<std::ifstream> events_;  // the current file, after those that were rotated
  bool stopped_ = false;
  bool reported_after_load_ = false;  // rsyslogd's statistics are complete
  std::uint64_t stop_cpu_ns_ = 0;
  std::vector<Loss> losses_;
};

// The configuration file for a trial; see rsyslog.conf(5).
std::string configuration(const TrialContext& context);

}  // namespace tailgate::syslog
