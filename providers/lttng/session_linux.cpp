#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <optional>
#include <thread>

#include "harness/base/error.h"
#include "harness/os/process.h"
#include "providers/lttng/consumer.h"
#include "providers/lttng/control.h"
#include "providers/lttng/libraries.h"
#include "providers/lttng/options.h"
#include "providers/lttng/relay_ports.h"
#include "providers/lttng/tracer.h"
#include "providers/shared/daemon/descendants.h"
#include "providers/shared/daemon/private_daemon.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate::lttng_detail {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kReadyWithin{10'000};
constexpr milliseconds kStopWithin{10'000};
constexpr milliseconds kDaemonGrace{3'000};

constexpr const char* kBuild = "install tailgate again (cmake --install)";

// What a sub-buffer contains beside the largest event: the packet's header, the event's header and
// its length. An upper bound is enough: sub-buffer sizes are powers of 2.
constexpr std::size_t kOverheadBytes = 256;

bool uses_tsc(const TrialContext& context) {
  return context.clock.parameters().kind == ClockKind::tsc;
}

TracePlan plan_of(const TrialContext& context) {
  const Options& options = context.options;
  return {.buffers = options.text("buffers"),
          .loss = loss_mode(options),
          .output = options.text("output"),
          .subbuf_bytes = static_cast<std::uint64_t>(options.integer("subbuf_bytes")),
          .subbuf_count = static_cast<std::uint64_t>(options.integer("subbuf_count")),
          .switch_timer_us = static_cast<std::uint32_t>(options.integer("switch_timer_us")),
          .read_timer_us = static_cast<std::uint32_t>(options.integer("read_timer_us")),
          .file_bytes = static_cast<std::uint64_t>(options.integer("file_bytes")),
          .files_count = static_cast<std::uint64_t>(options.integer("files_count")),
          .of_one_process = context.own_sessions,
          .folder = trace_folder(context, 0)};
}

// Of a further session of the same daemon. It gets the same events, and nobody reads it; or it is
// the own one of a provider process.
TracePlan further_plan(const TrialContext& context, unsigned session) {
  TracePlan plan = plan_of(context);
  plan.session += fmt::format("-{}", session);
  plan.folder = trace_folder(context, session);
  return plan;
}

void check_files(const TracePlan& plan) {
  if (plan.output != "file" && plan.file_bytes + plan.files_count > 0) {
    throw Error("lttng: file_bytes and files_count with output=" + plan.output,
                "limit files with output=file");
  }
  if (plan.files_count > 0 && plan.file_bytes == 0) {
    throw Error("lttng: files_count without file_bytes", "give the size of a file, too");
  }
  // LTTng would take the sub-buffer's size instead, and exceed the cap.
  if (plan.file_bytes > 0 && plan.file_bytes < plan.subbuf_bytes) {
    throw Error(fmt::format("lttng: file_bytes = {} is less than subbuf_bytes = {}",
                            plan.file_bytes, plan.subbuf_bytes),
                "give larger files, or smaller sub-buffers");
  }
}

// What all of the trace may have: of the files, or of the buffers that a snapshot is taken of. One
// for each processor that the load may use. 0: no limit.
std::uint64_t cap_bytes(const TracePlan& plan, unsigned cpus) {
  if (plan.output == "snapshot") return cpus * plan.subbuf_bytes * plan.subbuf_count;
  return cpus * plan.file_bytes * plan.files_count;
}

void check_plan(const TracePlan& plan, const TrialContext& context) {
  if (!std::has_single_bit(plan.subbuf_bytes) || !std::has_single_bit(plan.subbuf_count)) {
    throw Error(fmt::format("lttng: subbuf_bytes = {} and subbuf_count = {} are not both powers "
                            "of 2",
                            plan.subbuf_bytes, plan.subbuf_count),
                fmt::format("use {} and {}", std::bit_ceil(plan.subbuf_bytes),
                            std::bit_ceil(plan.subbuf_count)));
  }
  const std::uint64_t needed = context.max_event_bytes + kOverheadBytes;
  if (plan.subbuf_bytes < needed) {
    throw Error(fmt::format("lttng: subbuf_bytes = {} cannot hold an event of {} bytes",
                            plan.subbuf_bytes, context.max_event_bytes),
                fmt::format("use at least {}", std::bit_ceil(needed)));
  }
  check_files(plan);
  if (plan.output == "live" && plan.switch_timer_us == 0) {
    throw Error("lttng: a live session with switch_timer_us = 0", "give the live timer's period");
  }
}

// Shadows the daemons' fixed paths: /run/lttng (which they call /var/run/lttng) and /dev/shm, where
// they leave files.
MountPlan private_view(int inside_pid) {
  MountPlan plan(inside_pid);
  plan.shadow("/run", {"lttng"}).directory("/run/lttng").shadow("/dev/shm");
  return plan;
}

class LttngSession : public Session {
 public:
  explicit LttngSession(const TrialContext& context)
      : directory_(context.directory),
        plan_(plan_of(context)),
        rival_plan_(further_plan(context, 1)),
        cpus_(context.cpus),
        inside_pid_(context.inside_pid),
        tsc_(uses_tsc(context)) {
    check_plan(plan_, context);
    for (unsigned i = 1; i < context.sessions; ++i) plans_.push_back(further_plan(context, i));
    if (tsc_) {
      clock_hz_ = fmt::format("{:.0f}", context.clock.parameters().frequency_hz);
      clock_library_ = find_library(kClockLibrary);
      if (clock_library_.empty()) {
        throw Error(fmt::format("'{}' is missing", kClockLibrary), kBuild);
      }
    }
  }
  ~LttngSession() override { end_daemons(); }

  void start() override {
    std::error_code failed;
    std::filesystem::create_directories(plan_.folder, failed);
    if (failed) {
      throw system_error("mkdir", plan_.folder.string(), failed.value(),
                         "choose a trial directory that can be written to");
    }
    try {
      // A network namespace, because the session daemon opens a TCP port for applications in other
      // languages.
      namespace_.emplace(private_view(inside_pid_), NetworkView::own);
      if (plan_.output == "live") start_relay();
      start_session_daemon();
      // By the daemon's namespaces: they are there as long as it answers.
      control_.emplace(session_daemon_->pid(), plan_);
      session_daemon_->wait_until([this] { return control_->daemon_alive(); }, kReadyWithin);
      control_->start();
      for (const TracePlan& plan : plans_) {
        further_.emplace_back(session_daemon_->pid(), plan).start();
      }
      started_by_daemon_ = descendants(session_daemon_->pid());
    } catch (...) {
      end_daemons();
      throw;
    }
  }

  std::vector<std::pair<std::string, std::string>> granted() const override {
    std::vector<std::pair<std::string, std::string>> granted = {
        {"control library", "liblttng-ctl " + control_library_version()},
        {"clock", tsc_ ? "time-stamp counter" : "CLOCK_MONOTONIC"},
        {"loss", plan_.loss}};
    if (const std::uint64_t cap = cap_bytes(plan_, cpus_); cap > 0) {
      granted.emplace_back("cap_bytes", std::to_string(cap));
    }
    return granted;
  }

  std::vector<DaemonProcess> daemons() const override {
    std::vector<DaemonProcess> all;
    if (session_daemon_) all.push_back({"lttng-sessiond", session_daemon_->pid()});
    for (const HeldProcess& process : started_by_daemon_) {
      all.push_back({process.name(), process.pid()});
    }
    if (relay_daemon_) all.push_back({"lttng-relayd", relay_daemon_->pid()});
    return all;
  }

  std::vector<std::pair<std::string, std::string>> environment() const override {
    // Without LTTNG_HOME the tracer would also register with the user's own session daemon.
    std::vector<std::pair<std::string, std::string>> variables = {
        {"LTTNG_HOME", directory_.string()}};
    if (plan_.loss == "block") variables.emplace_back("LTTNG_UST_ALLOW_BLOCKING", "1");
    add_clock(variables);
    return variables;
  }

  // As `lttng disable-event` and `enable-event` do it. To LTTng, an event at another level is
  // another rule, which is enabled beside the first.
  void listen(bool on, SwitchWay way) override {
    check_way(way);
    control_->listen(on);
    if (!plan_.of_one_process) return;
    for (const TraceControl& control : further_) control.listen(on);
  }

  // As another controller of the same session daemon does it.
  void listen_as_rival(bool on, SwitchWay way) override {
    if (further_.empty()) return Session::listen_as_rival(on, way);
    check_way(way);
    further_.front().listen(on);
  }

  // As another controller of the same session daemon does it.
  void start_rival() override {
    if (plan_.output != "file") return Session::start_rival();
    TraceControl rival(session_daemon_->pid(), rival_plan_);
    rival.start();
    further_.push_back(std::move(rival));
  }
  void end_rival() override {
    if (!plans_.empty() || further_.empty()) return;
    further_.front().stop(kStopWithin);
    further_.clear();
  }

  // Before the process has registered with the daemon, or soon after: it waits for its events.
  void provider_started(unsigned process, int pid) override {
    if (!plan_.of_one_process) return;
    (process == 0 ? *control_ : further_.at(process - 1)).track(pid);
  }

  void rotate() override {
    if (plan_.output != "file")
      throw Error("a session with output=" + plan_.output + " has no files to rotate",
                  "use output=file");
    if (plan_.files_count > 0) {
      throw Error("files that overwrite the oldest one are not rotated", "leave files_count out");
    }
    control_->rotate();
  }

  int namespace_pid() const override { return namespace_ ? namespace_->pid() : 0; }

  // Checks first whether daemons died: LTTng stops a session without an error when its consumer
  // daemon was killed, and its trace is cut short. Stopped daemons are resumed, so that they write
  // and count what is still in the buffers.
  void stop() override {
    if (!control_) return;
    std::vector<std::string> wrong = deaths();
    const std::optional<Error> holder_failure = namespace_->holder_failure();
    if (session_daemon_->alive()) session_daemon_->resume();
    for (const HeldProcess& process : started_by_daemon_) process.resume();
    const std::vector<std::uint64_t> cpu_before_ns = daemons_cpu_ns();
    try {
      counts_ = control_->stop(kStopWithin);
      if (plan_.of_one_process) stop_further();
      end_rival();
    } catch (const Error& error) {
      wrong.push_back(error.what_failed());
    }
    stop_cpu_ns_ = daemons_cpu_ns();
    for (std::size_t i = 0; i < stop_cpu_ns_.size(); ++i) {
      stop_cpu_ns_[i] -= std::min(stop_cpu_ns_[i], cpu_before_ns[i]);
    }
    control_.reset();
    further_.clear();
    end_daemons();
    if (disk_is_full()) wrong.push_back("the consumer daemon found no space left for the trace");
    if (wrong.empty()) {
      const std::ofstream mark{completion_mark(directory_)};
      if (holder_failure) throw *holder_failure;
      return;
    }
    throw Error(fmt::format("lttng: {}", fmt::join(wrong, "; ")),
                "the tracer does not count events lost that way; see "
                "lttng-sessiond.log in the trial's folder (keep it with --keep)");
  }

  std::vector<std::uint64_t> daemons_cpu_in_stop_ns() const override { return stop_cpu_ns_; }

  // With loss=overwrite the consumer reports these too: it must tell them from overwritten ones.
  std::vector<Loss> losses() const override {
    if (plan_.loss == "overwrite" || counts_.discarded_events == 0) return {};
    return {{"discarded", counts_.discarded_events}};
  }

 private:
  static void check_way(SwitchWay way) {
    if (way == SwitchWay::session) return;
    throw Error(fmt::format("a session of LTTng does not change an event's {}", enum_text(way)),
                "disable and enable the event");
  }

  // Those of the other provider processes, which are read back, too.
  void stop_further() {
    for (const TraceControl& control : further_) {
      const TraceCounts counts = control.stop(kStopWithin);
      counts_.discarded_events += counts.discarded_events;
      counts_.lost_packets += counts.lost_packets;
    }
  }

  void add_clock(std::vector<std::pair<std::string, std::string>>& variables) const {
    if (!tsc_) return;
    variables.emplace_back("LTTNG_UST_CLOCK_PLUGIN", clock_library_.string());
    variables.emplace_back("TAILGATE_LTTNG_CLOCK_HZ", clock_hz_);
  }

  DaemonCommand command(const std::string& name, std::vector<std::string> arguments) const {
    const std::filesystem::path program = find_daemon(name);
    if (program.empty()) throw Error(name + " is not installed", "install lttng-tools");
    arguments.insert(arguments.begin(), program.string());
    DaemonCommand command{
        .name = name,
        .arguments = std::move(arguments),
        .environment = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}, {"HOME", directory_.string()}},
        .log = directory_ / (name + ".log"),
        .namespace_pid = namespace_->pid()};
    add_clock(command.environment);
    return command;
  }

  // Processor time so far; 0 for the session daemon, which handles no events.
  std::vector<std::uint64_t> daemons_cpu_ns() const {
    std::vector<std::uint64_t> used_ns;
    for (const DaemonProcess& daemon : daemons()) {
      const bool no_events = daemon.pid == session_daemon_->pid();
      used_ns.push_back(no_events ? 0 : process_cpu_ns(daemon.pid).value_or(0));
    }
    return used_ns;
  }

  // --group=root: both daemons would give their folders to the group "tracing", which a user
  // namespace does not have.
  void start_session_daemon() {
    session_daemon_.emplace(command("lttng-sessiond", {"--no-kernel", "--group=root"}));
  }

  void start_relay() {
    const auto url = [](std::uint16_t port) { return fmt::format("tcp://127.0.0.1:{}", port); };
    relay_daemon_.emplace(command(
        "lttng-relayd", {"--group=root", "--control-port=" + url(kRelayControlPort),
                         "--data-port=" + url(kRelayDataPort), "--live-port=" + url(kRelayLivePort),
                         "--output=" + plan_.folder.string()}));
    relay_daemon_->wait_until([this] { return is_listening(relay_daemon_->pid(), kRelayLivePort); },
                              kReadyWithin);
  }

  std::vector<std::string> deaths() {
    std::vector<std::string> dead;
    const auto add_if_dead = [&dead](std::optional<PrivateDaemon>& daemon) {
      if (!daemon || daemon->alive()) return;
      dead.push_back(fmt::format("{} (process {}) had ended by {} before the session was stopped",
                                 daemon->name(), daemon->pid(), daemon->end()->text()));
    };
    add_if_dead(session_daemon_);
    add_if_dead(relay_daemon_);
    for (const HeldProcess& process : started_by_daemon_) {
      if (process.alive()) continue;
      dead.push_back(fmt::format("{} (process {}) had ended before the session was stopped",
                                 process.name(), process.pid()));
    }
    return dead;
  }

  // Kills the daemons; a clean shutdown gains nothing. All buffers are written, the files are in
  // namespaces that end with the daemons, and a session daemon told to stop waits half a second for
  // a rotation that nobody made.
  void end_daemons() {
    // A start that failed has not listed the descendants yet.
    if (session_daemon_ && started_by_daemon_.empty()) {
      started_by_daemon_ = descendants(session_daemon_->pid());
    }
    if (session_daemon_) session_daemon_->stop(milliseconds{0});
    for (const HeldProcess& process : started_by_daemon_) process.kill();
    for (const HeldProcess& process : started_by_daemon_) process.wait_until_ended(kDaemonGrace);
    started_by_daemon_.clear();
    session_daemon_.reset();
    if (relay_daemon_) relay_daemon_->stop(kDaemonGrace);
    relay_daemon_.reset();
    namespace_.reset();
  }

  // The daemons only log a full disk, and their log may be on the same disk.
  bool disk_is_full() const {
    std::error_code failed;
    const std::filesystem::space_info disk = std::filesystem::space(plan_.folder, failed);
    if (!failed && disk.available < plan_.subbuf_bytes) return true;
    for (const char* name : {"lttng-sessiond.log", "lttng-relayd.log"}) {
      std::ifstream log(directory_ / name);
      for (std::string line; std::getline(log, line);) {
        if (line.find("No space left on device") != std::string::npos) return true;
      }
    }
    return false;
  }

  std::filesystem::path directory_;
  TracePlan plan_;
  TracePlan rival_plan_;
  unsigned cpus_;
  int inside_pid_;
  std::vector<TracePlan> plans_;  // of the further sessions
  bool tsc_;
  std::string clock_hz_;
  std::filesystem::path clock_library_;
  TraceCounts counts_;
  std::vector<std::uint64_t> stop_cpu_ns_;
  std::optional<PrivateNamespace> namespace_;
  std::optional<PrivateDaemon> relay_daemon_;
  std::optional<PrivateDaemon> session_daemon_;
  std::optional<TraceControl> control_;
  std::vector<TraceControl> further_;
  std::vector<HeldProcess> started_by_daemon_;
};

Probe unavailable(std::string reason, std::string remedy) {
  return {.available = false, .reason = std::move(reason), .remedy = std::move(remedy)};
}

}  // namespace

Probe probe_tracer() {
  for (const char* name : {"lttng-sessiond", "lttng-relayd"}) {
    if (find_daemon(name).empty()) {
      return unavailable(fmt::format("{} is not installed", name), "install lttng-tools");
    }
  }
  for (const char* library : {kTracepointLibrary, kClockLibrary}) {
    if (find_library(library).empty()) {
      return unavailable(fmt::format("{} is missing", library), kBuild);
    }
  }
  return probe_private_namespace(NetworkView::own);
}

std::unique_ptr<Session> make_session(const TrialContext& context) {
  return std::make_unique<LttngSession>(context);
}

}  // namespace tailgate::lttng_detail
