#include "providers/lttng/control.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <lttng/lttng.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>

#include "harness/base/error.h"
#include "harness/os/namespaces_linux.h"
#include "providers/lttng/relay_ports.h"

namespace tailgate::lttng_detail {
namespace {

constexpr const char* kChannel = "events";
constexpr const char* kEvent = "tailgate:event";
constexpr std::chrono::milliseconds kStartLimit{10'000};
constexpr std::chrono::milliseconds kRotateLimit{5'000};
constexpr std::chrono::milliseconds kPollInterval{2};

constexpr const char* kRemedy =
    "see lttng-sessiond.log in the trial's folder (keep it with --keep)";

// The child's answer to the parent, in one write that is smaller than a pipe's atomic limit.
struct Answer {
  bool failed = false;
  TraceCounts counts;
  char what[1024] = {};
};

[[noreturn]] void answer_in_child(int namespace_pid, int to,
                                  const std::function<TraceCounts()>& call) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Answer answer;
  try {
    if (!OtherNamespaces(namespace_pid).enter()) {
      throw system_error("setns", std::to_string(namespace_pid), errno, kRemedy);
    }
    answer.counts = call();
  } catch (const Error& error) {
    answer.failed = true;
    error.what_failed().copy(answer.what, sizeof answer.what - 1);
  } catch (const std::exception& error) {
    answer.failed = true;
    std::strncpy(answer.what, error.what(), sizeof answer.what - 1);
  }
  _exit(write(to, &answer, sizeof answer) == sizeof answer ? 0 : 1);
}

// Waits for the child's answer; kills the child when the limit passes. Returns false without an
// answer.
bool read_answer(int from, pid_t child, std::chrono::milliseconds limit, Answer& answer) {
  pollfd wait = {from, POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&wait, 1, static_cast<int>(limit.count()));
  } while (ready < 0 && errno == EINTR);
  const bool answered = ready > 0 && read(from, &answer, sizeof answer) == sizeof answer;
  if (!answered) kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return answered;
}

// Runs the call in a child process inside the namespaces. Throws the Error that the child reports.
TraceCounts call_inside(int namespace_pid, std::chrono::milliseconds limit,
                        const std::function<TraceCounts()>& call) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw system_error("pipe2", "lttng", errno, "raise the limit of open files");
  }
  const pid_t child = fork();
  if (child == 0) answer_in_child(namespace_pid, ends[1], call);
  const int failed = errno;
  close(ends[1]);
  Answer answer;
  const bool answered = child > 0 && read_answer(ends[0], child, limit, answer);
  close(ends[0]);
  if (child < 0) throw system_error("fork", "lttng", failed, "raise the process limit");
  if (!answered) {
    throw Error(fmt::format("lttng-sessiond gave no answer within {} ms", limit.count()), kRemedy);
  }
  if (answer.failed) throw Error(answer.what, kRemedy);
  return answer.counts;
}

void check(int result, const std::string& doing) {
  if (result < 0) throw Error(fmt::format("LTTng: {}: {}", doing, lttng_strerror(result)), kRemedy);
}

lttng_domain user_space(const std::string& buffers) {
  lttng_domain domain = {};
  domain.type = LTTNG_DOMAIN_UST;
  domain.buf_type = buffers == "pid" ? LTTNG_BUFFER_PER_PID : LTTNG_BUFFER_PER_UID;
  return domain;
}

using Handle = std::unique_ptr<lttng_handle, decltype(&lttng_destroy_handle)>;

Handle open_handle(const TracePlan& plan) {
  lttng_domain domain = user_space(plan.buffers);
  Handle handle(lttng_create_handle(plan.session.c_str(), &domain), lttng_destroy_handle);
  if (handle == nullptr) throw Error("LTTng: no memory for a handle", "free memory");
  return handle;
}

void create_session(const TracePlan& plan) {
  using Descriptor =
      std::unique_ptr<lttng_session_descriptor, decltype(&lttng_session_descriptor_destroy)>;
  const std::string folder = plan.folder.string();
  lttng_session_descriptor* made = nullptr;
  if (plan.output == "file") {
    made = lttng_session_descriptor_local_create(plan.session.c_str(), folder.c_str());
  } else if (plan.output == "snapshot") {
    made = lttng_session_descriptor_snapshot_local_create(plan.session.c_str(), folder.c_str());
  } else {
    const std::string control = fmt::format("tcp4://127.0.0.1:{}", kRelayControlPort);
    const std::string data = fmt::format("tcp4://127.0.0.1:{}", kRelayDataPort);
    made = lttng_session_descriptor_live_network_create(plan.session.c_str(), control.c_str(),
                                                        data.c_str(), plan.switch_timer_us);
  }
  const Descriptor descriptor(made, lttng_session_descriptor_destroy);
  if (descriptor == nullptr) {
    throw Error(fmt::format("LTTng: no session with output '{}' to '{}'", plan.output, folder),
                kRemedy);
  }
  const lttng_error_code code = lttng_create_session_ext(descriptor.get());
  if (code != LTTNG_OK) check(-code, "creating the session");
}

using Channel = std::unique_ptr<lttng_channel, decltype(&lttng_channel_destroy)>;

Channel make_channel(const TracePlan& plan, const char* name) {
  lttng_domain domain = user_space(plan.buffers);
  Channel channel(lttng_channel_create(&domain), lttng_channel_destroy);
  if (channel == nullptr) throw Error("LTTng: no memory for a channel", "free memory");
  std::strncpy(channel->name, name, sizeof channel->name - 1);
  channel->enabled = 1;
  channel->attr.output = LTTNG_EVENT_MMAP;
  return channel;
}

// The metadata channel contains the declarations, without which no packet can be read. LTTng writes
// them when the session stops, unless a timer makes it write them earlier. The sizes are LTTng's
// defaults.
void enable_early_metadata(const TracePlan& plan, lttng_handle* handle) {
  const Channel channel = make_channel(plan, "metadata");
  channel->attr.subbuf_size = 4096;
  channel->attr.num_subbuf = 2;
  channel->attr.switch_timer_interval = plan.switch_timer_us;
  check(lttng_enable_channel(handle, channel.get()), "a timer for the metadata");
}

void enable_channel(const TracePlan& plan, lttng_handle* handle) {
  const Channel channel = make_channel(plan, kChannel);
  channel->attr.overwrite = plan.loss == "overwrite" ? 1 : 0;
  channel->attr.subbuf_size = plan.subbuf_bytes;
  channel->attr.num_subbuf = plan.subbuf_count;
  // A live session has its live timer. In a snapshot session each tick of the switch timer would
  // close a sub-buffer, even an almost empty one; the snapshot would then hold the last few ticks
  // only.
  channel->attr.switch_timer_interval = plan.output == "file" ? plan.switch_timer_us : 0;
  channel->attr.read_timer_interval = plan.read_timer_us;
  channel->attr.tracefile_size = plan.file_bytes;
  channel->attr.tracefile_count = plan.files_count;
  // -1: waits without limit.
  const int blocking = plan.loss == "block" ? -1 : 0;
  check(lttng_channel_set_blocking_timeout(channel.get(), blocking),
        "setting the blocking time-out");
  check(lttng_enable_channel(handle, channel.get()),
        fmt::format("a channel of {} sub-buffers of {} bytes per CPU", plan.subbuf_count,
                    plan.subbuf_bytes));
}

void enable_event(lttng_handle* handle) {
  using Event = std::unique_ptr<lttng_event, decltype(&lttng_event_destroy)>;
  const Event event(lttng_event_create(), lttng_event_destroy);
  if (event == nullptr) throw Error("LTTng: no memory for an event", "free memory");
  event->type = LTTNG_EVENT_TRACEPOINT;
  event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
  std::strncpy(event->name, kEvent, sizeof event->name - 1);
  check(lttng_enable_event(handle, event.get(), kChannel), "enabling the event");
}

using Tracker = std::unique_ptr<lttng_process_attr_tracker_handle,
                                decltype(&lttng_process_attr_tracker_handle_destroy)>;

Tracker open_tracker(const TracePlan& plan) {
  lttng_process_attr_tracker_handle* made = nullptr;
  const lttng_error_code code = lttng_session_get_tracker_handle(
      plan.session.c_str(), LTTNG_DOMAIN_UST, LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID, &made);
  if (code != LTTNG_OK) check(-code, "opening the tracker of processes");
  return Tracker(made, lttng_process_attr_tracker_handle_destroy);
}

void check_tracker(lttng_process_attr_tracker_handle_status status, const std::string& doing) {
  if (status == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK) return;
  throw Error(fmt::format("LTTng: {}: status {}", doing, static_cast<int>(status)), kRemedy);
}

// Of no process yet.
void track_only_given(const TracePlan& plan) {
  check_tracker(lttng_process_attr_tracker_handle_set_tracking_policy(
                    open_tracker(plan).get(), LTTNG_TRACKING_POLICY_INCLUDE_SET),
                "restricting the session to one process");
}

TraceCounts read_counts(lttng_handle* handle) {
  lttng_channel* channels = nullptr;
  const int count = lttng_list_channels(handle, &channels);
  check(count, "listing the channel");
  TraceCounts counts;
  for (int i = 0; i < count; ++i) {
    std::uint64_t discarded = 0;
    std::uint64_t lost = 0;
    check(lttng_channel_get_discarded_event_count(&channels[i], &discarded),
          "counting discarded events");
    check(lttng_channel_get_lost_packet_count(&channels[i], &lost), "counting lost packets");
    counts.discarded_events += without_false_wraps(discarded);
    counts.lost_packets += lost;
  }
  std::free(channels);
  return counts;
}

// As `lttng rotate` does it, which waits until the archive is complete.
void rotate_and_wait(const char* session) {
  lttng_rotation_handle* made = nullptr;
  check(lttng_rotate_session(session, nullptr, &made), "rotating the session");
  const std::unique_ptr<lttng_rotation_handle, decltype(&lttng_rotation_handle_destroy)> rotation(
      made, lttng_rotation_handle_destroy);
  lttng_rotation_state state = LTTNG_ROTATION_STATE_ONGOING;
  while (state == LTTNG_ROTATION_STATE_ONGOING) {
    std::this_thread::sleep_for(kPollInterval);
    if (lttng_rotation_handle_get_state(rotation.get(), &state) != LTTNG_ROTATION_STATUS_OK) {
      throw Error("LTTng: the state of a rotation is not known", kRemedy);
    }
  }
  if (state != LTTNG_ROTATION_STATE_COMPLETED && state != LTTNG_ROTATION_STATE_EXPIRED) {
    throw Error("LTTng: the rotation of the session failed", kRemedy);
  }
}

// Not lttng_stop_tracing: it checks only every 200 ms whether the data is written.
void stop_and_wait_for_data(const char* session) {
  check(lttng_stop_tracing_no_wait(session), "stopping the session");
  int pending = 0;
  while ((pending = lttng_data_pending(session)) == 1) std::this_thread::sleep_for(kPollInterval);
  check(pending, "waiting for the session's data");
}

}  // namespace

bool TraceControl::daemon_alive() const {
  try {
    call_inside(namespace_pid_, kStartLimit, [] {
      if (lttng_session_daemon_alive() != 1) throw Error("lttng-sessiond does not answer", kRemedy);
      return TraceCounts{};
    });
    return true;
  } catch (const Error&) {
    return false;
  }
}

void TraceControl::start() const {
  call_inside(namespace_pid_, kStartLimit, [this] {
    create_session(plan_);
    const Handle handle = open_handle(plan_);
    if (plan_.output == "file" && plan_.switch_timer_us > 0) {
      enable_early_metadata(plan_, handle.get());
    }
    enable_channel(plan_, handle.get());
    if (plan_.of_one_process) track_only_given(plan_);
    enable_event(handle.get());
    check(lttng_start_tracing(plan_.session.c_str()), "starting the session");
    return TraceCounts{};
  });
}

void TraceControl::track(int pid) const {
  call_inside(namespace_pid_, kStartLimit, [this, pid] {
    check_tracker(lttng_process_attr_virtual_process_id_tracker_handle_add_pid(
                      open_tracker(plan_).get(), pid),
                  "tracking the provider's process");
    return TraceCounts{};
  });
}

void TraceControl::listen(bool on) const {
  call_inside(namespace_pid_, kStartLimit, [this, on] {
    const Handle handle = open_handle(plan_);
    if (on) {
      enable_event(handle.get());
    } else {
      check(lttng_disable_event(handle.get(), kEvent, kChannel), "disabling the event");
    }
    return TraceCounts{};
  });
}

void TraceControl::rotate() const {
  call_inside(namespace_pid_, kRotateLimit, [this] {
    rotate_and_wait(plan_.session.c_str());
    return TraceCounts{};
  });
}

TraceCounts TraceControl::stop(std::chrono::milliseconds limit) const {
  return call_inside(namespace_pid_, limit, [this] {
    stop_and_wait_for_data(plan_.session.c_str());
    if (plan_.output == "snapshot") {
      check(lttng_snapshot_record(plan_.session.c_str(), nullptr, 0), "taking the snapshot");
    }
    return read_counts(open_handle(plan_).get());
  });
}

std::string control_library_version() {
  return TAILGATE_LTTNG_VERSION;
}

}  // namespace tailgate::lttng_detail
