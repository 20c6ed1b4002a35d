#include "harness/etl/thread_slices.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/etl/wait_reasons.h"

namespace tailgate::etl {
namespace {

constexpr std::uint8_t kTerminated = 4;         // of OldThreadState
constexpr std::uint32_t kMaxProcessors = 4096;  // a damaged trace may name any

}  // namespace

Track run_track(std::uint32_t processor) {
  return {kProcessorsTrack, 2 * processor + 1};
}

Track interrupt_track(std::uint32_t processor) {
  return {kProcessorsTrack, 2 * processor + 2};
}

void ThreadSlices::write(const Track& track, std::int64_t begin_ns, std::int64_t end_ns,
                         const TraceLabel& label) {
  if (end_ns < begin_ns) return;
  file_.slice(track, begin_ns, end_ns, label);
  ++slices_;
}

void ThreadSlices::write_run(std::uint32_t processor, const Running& running, std::int64_t end_ns) {
  if (running.thread == 0) return;  // idle
  const std::uint32_t process = process_of_(running.thread);
  const std::string arguments = fmt::format("{{\"pid\":{},\"tid\":{}}}", process, running.thread);
  write(run_track(processor), running.since_ns, end_ns,
        {title_of_(running.thread), "running", arguments});
  write({process, running.thread}, running.since_ns, end_ns,
        {fmt::format("on processor {}", processor), "running", "{}"});
}

void ThreadSlices::write_off(std::uint32_t thread, const Off& off, std::int64_t end_ns) {
  const Track track{process_of_(thread), thread};
  const std::int64_t ready_ns = off.ready ? std::min(off.ready_ns, end_ns) : end_ns;
  const std::string_view reason = wait_reason_name(off.reason);
  if (ready_ns > off.since_ns) {
    write(track, off.since_ns, ready_ns, {fmt::format("waits: {}", reason), "waiting", "{}"});
  }
  if (!off.ready) return;
  write(track, ready_ns, end_ns,
        {"ready", "ready", off.ready_ns == off.since_ns ? "{\"preempted\":true}" : "{}"});
}

void ThreadSlices::add_switch(std::uint32_t processor, Bytes payload, std::int64_t time_ns) {
  if (payload.size() < 16 || processor >= kMaxProcessors) return;
  const auto new_thread = load<std::uint32_t>(payload.data());
  const auto old_thread = load<std::uint32_t>(payload.data() + 4);
  if (processor >= running_.size()) running_.resize(processor + 1);
  Running& running = running_[processor];
  if (running.known && running.thread == old_thread) {
    write_run(processor, running, time_ns);
  } else if (running.known && running.thread != 0) {
    ++broken_;
  }
  running = {new_thread, time_ns, true};
  if (const auto at = off_.find(new_thread); at != off_.end()) {
    write_off(new_thread, at->second, time_ns);
    off_.erase(at);
  }
  if (old_thread == 0) return;
  if (payload[14] == kTerminated) {
    off_.erase(old_thread);
    return;
  }
  if (off_.size() >= kMaxThreads && !off_.contains(old_thread)) {
    ++over_limit_;
    return;
  }
  // A thread that did not wait, but lost its processor, has been ready since.
  const std::uint8_t reason = payload[12];
  off_[old_thread] = {time_ns, time_ns, wait_reason(reason).ready, reason};
}

void ThreadSlices::add_ready(Bytes payload, std::int64_t time_ns) {
  if (payload.size() < 4) return;
  const auto at = off_.find(load<std::uint32_t>(payload.data()));
  // Only the first event after the switch out ends a wait.
  if (at == off_.end() || at->second.ready) return;
  at->second.ready = true;
  at->second.ready_ns = time_ns;
}

void ThreadSlices::end(std::int64_t time_ns) {
  for (std::uint32_t processor = 0; processor < running_.size(); ++processor) {
    if (running_[processor].known) write_run(processor, running_[processor], time_ns);
  }
  for (const auto& [thread, off] : off_) write_off(thread, off, time_ns);
  running_.clear();
  off_.clear();
}

}  // namespace tailgate::etl
