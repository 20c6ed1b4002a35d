#include "providers/syslog/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "providers/shared/daemon/accepted_counts.h"
#include "providers/shared/daemon/full_disk.h"
#include "providers/shared/daemon/local_datagrams.h"
#include "providers/syslog/impstats.h"

namespace tailgate::syslog {
namespace {

constexpr std::chrono::seconds kReadyLimit{20};
constexpr std::chrono::seconds kStopGrace{20};
constexpr std::chrono::seconds kSettleLimit{30};
constexpr std::chrono::milliseconds kPollInterval{10};
// rsyslogd reports every second. It is silent for so long if it cannot write reports, either.
constexpr std::chrono::seconds kSilenceLimit{5};
constexpr std::chrono::seconds kFullDiskLimit{1};

std::filesystem::path folder(const TrialContext& context) {
  return context.directory / "syslog";
}

// A parameter's value in rsyslogd's configuration, with its quotes. rsyslogd's grammar
// (grammar/lexer.l, state INOBJ) has these escapes there, and no '\\$': '$' and '%' stand for
// themselves in a parameter (https://www.rsyslog.com/doc/rainerscript/constant_strings.html speaks
// of expressions too). It reads the file by lines, so that control characters are in octal.
std::string parameter(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::filesystem::path statistics_file(const TrialContext& context) {
  return context.directory / "rsyslogd.statistics";
}

}  // namespace

std::filesystem::path event_file(const TrialContext& context) {
  return folder(context) / "events.log";
}

std::filesystem::path rotated_file(const std::filesystem::path& event_file, std::size_t rotation) {
  std::filesystem::path path = event_file;
  return path += fmt::format(".{}", rotation);
}

std::string configuration(const TrialContext& context) {
  const Options& options = context.options;
  return fmt::format(
      "global(workDirectory={0} maxMessageSize=\"128k\" processInternalMessages=\"on\")\n"
      "module(load=\"imuxsock\" SysSock.Use=\"off\")\n"
      "module(load=\"impstats\" interval=\"1\" format=\"json\" log.syslog=\"off\" "
      "log.file={1})\n"
      "template(name=\"event\" type=\"string\" string=\"%msg%\\n\")\n"
      // The events have a queue of their own. rsyslogd's messages about itself go through another
      // queue, to nowhere.
      "ruleset(name=\"events\" queue.type=\"FixedArray\" queue.size=\"{2}\" "
      "queue.timeoutEnqueue=\"{3}\" queue.dequeueBatchSize=\"{4}\") {{\n"
      "  action(name=\"file\" type=\"omfile\" file={5} template=\"event\")\n"
      "}}\n"
      "input(type=\"imuxsock\" Socket=\"{6}\" RateLimit.Interval=\"0\" ruleset=\"events\")\n",
      parameter(context.directory.string()), parameter(statistics_file(context).string()),
      options.integer("queue_events"), options.integer("timeout_enqueue_ms"),
      std::min<std::int64_t>(options.integer("queue_events"), 1024),
      parameter(event_file(context).string()), kSocket);
}

void SyslogSession::start() {
  std::error_code failed;
  std::filesystem::create_directory(folder(context_), failed);
  if (failed) {
    throw system_error("mkdir", folder(context_).string(), failed.value(),
                       "choose another --scratch folder");
  }
  MountPlan plan(context_.inside_pid);
  plan.shadow("/dev", {"log"}).file(kMark, context_.directory.string() + "\n");
  const auto disk_bytes = static_cast<std::uint64_t>(context_.options.integer("disk_bytes"));
  if (disk_bytes > 0) plan.tmpfs(folder(context_), disk_bytes);
  view_ = std::make_unique<PrivateNamespace>(plan);
  try {
    start_daemon();
  } catch (const Error&) {
    daemon_.reset();
    view_.reset();
    throw;
  }
}

// The consumer may open the file before the first event. Held open, it can be read to the end
// whatever becomes of its name and of the namespace.
void SyslogSession::begin_file() {
  const std::filesystem::path file = view_->outside(event_file(context_));
  std::ofstream(file).flush();
  events_.emplace_back(file, std::ios::binary);
}

// As logrotate does it: the file gets another name, and SIGHUP makes rsyslogd close it. What it has
// read by then is still written there.
void SyslogSession::rotate() {
  const std::filesystem::path file = view_->outside(event_file(context_));
  std::error_code failed;
  std::filesystem::rename(file, rotated_file(file, events_.size()), failed);
  if (failed) throw system_error("rename", file.string(), failed.value(), "see who removed it");
  begin_file();
  daemon_->signal(SIGHUP);
}

std::optional<std::filesystem::path> SyslogSession::own_disk() const {
  if (!view_ || context_.options.integer("disk_bytes") == 0) return std::nullopt;
  return view_->outside(folder(context_));
}

void SyslogSession::start_daemon() {
  const std::filesystem::path settings = context_.directory / "rsyslogd.conf";
  std::ofstream output(settings);
  output << configuration(context_);
  if (!output.flush()) {
    throw Error("'" + settings.string() + "' cannot be written", "choose another --scratch folder");
  }
  begin_file();
  daemon_ = std::make_unique<PrivateDaemon>(
      DaemonCommand{.name = "rsyslogd",
                    .arguments = {find_daemon("rsyslogd").string(), "-n", "-f", settings.string(),
                                  "-i", (context_.directory / "rsyslogd.pid").string()},
                    .log = context_.directory / "rsyslogd.log",
                    .namespace_pid = view_->pid()});
  const std::filesystem::path socket = view_->outside(kSocket);
  daemon_->wait_until(
      [&] {
        std::error_code ignored;
        return std::filesystem::is_socket(socket, ignored);
      },
      kReadyLimit);
}

std::vector<std::pair<std::string, std::string>> SyslogSession::granted() const {
  return {{"path", event_file(context_).string()}, granted_queue_length()};
}

std::vector<DaemonProcess> SyslogSession::daemons() const {
  if (!daemon_) return {};
  return {{"rsyslogd", daemon_->pid()}};
}

// Counts the complete lines in the files.
std::uint64_t SyslogSession::written_events() {
  std::vector<char> window(1 << 18);
  std::uint64_t lines = 0;
  for (std::ifstream& file : events_) {
    file.clear();
    file.seekg(0);
    do {
      file.read(window.data(), static_cast<std::streamsize>(window.size()));
      lines += static_cast<std::uint64_t>(
          std::count(window.begin(), window.begin() + file.gcount(), '\n'));
    } while (file);
  }
  return lines;
}

bool SyslogSession::has_full_disk() const {
  return disk_is_full(view_->outside(folder(context_)));
}

// Returns when every event is in the file, or when nothing changes any more: two successive
// reports, both from after the load, agree, and the file did not grow; or neither reports nor the
// file grow for a time.
SyslogSession::Settled SyslogSession::wait_until_settled() {
  using std::chrono::steady_clock;
  const std::uint64_t accepted = AcceptedCounts::total(context_.directory);
  PatientDeadline deadline(kSettleLimit);
  steady_clock::time_point last_growth = steady_clock::now();
  steady_clock::time_point last_change = last_growth;
  // rsyslogd may have begun the next report before now, so it does not count.
  const std::uint64_t from = read_statistics(statistics_file(context_)).accounts + 2;
  QueueAccount before;
  std::uint64_t written_before = 0;  // when rsyslogd made that report
  std::uint64_t last_written = 0;
  std::uint64_t last_number = 0;
  while (!deadline.passed()) {
    const std::uint64_t written = written_events();
    if (written >= accepted) return Settled::all_written;
    if (!daemon_->alive()) return Settled::daemon_ended;
    QueueAccount account = read_statistics(statistics_file(context_));
    const std::uint64_t number = std::exchange(account.accounts, 0);
    reported_after_load_ = number >= from;
    const steady_clock::time_point now = steady_clock::now();
    if (written != std::exchange(last_written, written)) last_change = last_growth = now;
    if (number != std::exchange(last_number, number)) last_change = now;
    // rsyslogd tries again only after half a minute, and the disk stays full.
    if (now - last_growth > kFullDiskLimit && has_full_disk()) return Settled::disk_full;
    if (now - last_change > kSilenceLimit) return Settled::idle;
    if (number >= from && number > before.accounts) {
      const std::uint64_t number_before = std::exchange(before.accounts, 0);
      if (number_before > 0 && account == before && written == written_before) return Settled::idle;
      before = account;
      before.accounts = number;
      written_before = written;
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  return InterruptFlag::raised() ? Settled::interrupted : Settled::too_slow;
}

// What it means that rsyslogd has not written an event that it received.
std::string SyslogSession::why_not_written(Settled settled) {
  switch (settled) {
    case Settled::daemon_ended:
      return "rsyslogd ended";
    case Settled::disk_full:
      return "not written by rsyslogd: disk full";
    case Settled::too_slow:
      return fmt::format("not written by rsyslogd within {} s", kSettleLimit.count());
    default:
      return "not written by rsyslogd";
  }
}

void SyslogSession::stop() {
  if (!daemon_ || stopped_) return;
  stopped_ = true;
  const bool died = !daemon_->alive();
  const std::uint64_t cpu_before_ns = daemon_->cpu_ns();
  daemon_->resume();
  const Settled settled = wait_until_settled();
  stop_cpu_ns_ = daemon_->cpu_ns() - cpu_before_ns;
  const ChildEnd end = daemon_->stop(kStopGrace);
  count_losses(settled);
  if (died) {
    throw Error(fmt::format("rsyslogd ended by {} during the trial; it said: {}", end.text(),
                            daemon_->last_words()),
                "see what ended it; what it had not written is counted as lost");
  }
  if (!end.exited || end.code != 0) {
    throw Error(fmt::format("rsyslogd ended by {} when it was told to stop", end.text()),
                "see rsyslogd.log in the trial's folder (keep it with --keep)");
  }
  if (const std::optional<Error> failure = view_->holder_failure()) throw *failure;
}

// An event that the socket accepted and that is not in the file is lost. rsyslogd's statistics give
// the cause of some of these losses. Of the others nothing is known when the user did not let
// rsyslogd finish.
void SyslogSession::count_losses(Settled settled) {
  const std::uint64_t accepted = AcceptedCounts::total(context_.directory);
  const std::uint64_t written = written_events();
  std::uint64_t missing = accepted > written ? accepted - written : 0;
  const QueueAccount account = read_statistics(statistics_file(context_));
  const auto take = [&](const std::string& cause, std::uint64_t events) {
    const std::uint64_t counted = std::min(events, missing);
    if (counted > 0) losses_.push_back({cause, counted});
    missing -= counted;
  };
  take("discarded.full", account.discarded_full);
  take("discarded.nf", account.discarded_near_full);
  if (settled == Settled::interrupted) return;
  if (reported_after_load_ && accepted > account.submitted) {
    take("never received by rsyslogd", accepted - account.submitted);
  }
  take(why_not_written(settled), missing);
}

}  // namespace tailgate::syslog
