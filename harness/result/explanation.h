// The part of the schema that says why slow calls were slow. harness/result/result.h says how these
// structs become files, and harness/explain/README.md how each cause is recognised.
//
// Times are on the run clock unless the documentation says duration. `pid` is the system's id of a
// thread; a process's first thread has the id of the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/kernel_functions.h"
#include "harness/result/profile.h"

namespace tailgate {

// A stretch of a slow call's time that has one cause.
struct CallSlice {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::string cause;
  std::string name;
  std::uint32_t pid = 0;
  std::string detail;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("start_ns", &CallSlice::start_ns, "when it began");
    v("end_ns", &CallSlice::end_ns, "when it ended");
    v("cause", &CallSlice::cause,
      "running (on a processor, in the program's own code), syscall (on a processor, in a system "
      "call), page_fault, interrupt, softirq, waiting (ready, but another thread had the "
      "processor), blocked_io (storage), blocked_lock, blocked_socket, blocked_sleep, "
      "blocked_other, stopped (by a signal; on Windows, suspended), queued (before the call's "
      "start: the load thread was busy with earlier events), machine (in the program's own code, "
      "more than 10 us beyond the usual time without any trace record), unknown (the same in the "
      "kernel: kernel or hypervisor), untraced (the trace does not cover that time); what the "
      "kernel did in a system call or page fault, by the tracepoints that the thread passed: "
      "page_refill (the processor's list of free pages), new_page, reclaim (of memory, or "
      "compaction), page_cache (a new page), fs_allocation, fs_dirty (a page or inode becomes "
      "dirty), fs_journal, fs_writeback, block_layer, socket (its queue or buffer is full), lock "
      "(contended), wake_up (of another thread), io_uring, kernel_gap (more than 10 us beyond the "
      "usual time without any trace record where nearly all such steps are short: what machine is "
      "in own code); of a delivery, after the call: program_buffer and session_buffer (nobody "
      "carried the event on until the program, or a timer or another thread, woke who did), daemon "
      "and reader (on a processor, with this event or earlier ones), daemon_waiting and "
      "reader_waiting (ready, but another thread had the processor), daemon_storage and "
      "reader_storage (blocked on storage), daemon_blocked (otherwise), reader_asleep (the event "
      "was there, but the reader slept)");
    v("name", &CallSlice::name,
      "the thread that had the processor (waiting), ended the wait (blocked) or was woken "
      "(wake_up), the tracepoint, the system call, or the interrupt; empty if unknown");
    v("pid", &CallSlice::pid, "id of the thread that the name names; 0 if it names no thread");
    v("detail", &CallSlice::detail,
      "further facts: the system call that blocked or in which a tracepoint was, the storage "
      "request");
  }
};

// One of the slowest calls, cut into slices from its intended start to its return.
struct ExplainedCall {
  unsigned thread = 0;
  std::uint32_t pid = 0;
  std::uint64_t sequence = 0;
  std::uint64_t intended_ns = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  int cpu = -1;
  bool slow_service = false;
  bool slow_response = false;
  std::vector<CallSlice> slices;
  std::uint64_t slices_left_out = 0;
  std::uint64_t left_out_ns = 0;
  std::optional<CallFunctions> functions = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    v("thread", &ExplainedCall::thread, "load thread");
    v("pid", &ExplainedCall::pid, "the system's id of that thread");
    v("sequence", &ExplainedCall::sequence, "the event's number in that thread");
    v("intended_ns", &ExplainedCall::intended_ns, "when the schedule wanted the call to start");
    v("start_ns", &ExplainedCall::start_ns, "when it started");
    v("end_ns", &ExplainedCall::end_ns, "when it returned");
    v("cpu", &ExplainedCall::cpu, "processor on which it returned; -1 where that cannot be told");
    v("slow_service", &ExplainedCall::slow_service,
      "its service time is at or above the tail's threshold");
    v("slow_response", &ExplainedCall::slow_response,
      "its response time is at or above the tail's threshold");
    v("slices", &ExplainedCall::slices,
      "its time from intended_ns to end_ns, in order, without gap or overlap except for slices "
      "left out; the durations and left_out_ns add up to that time exactly");
    v("slices_left_out", &ExplainedCall::slices_left_out,
      "number of the shortest slices, which are not listed if there are more than 64");
    v("left_out_ns", &ExplainedCall::left_out_ns, "time of the slices left out (duration)");
    v("functions", &ExplainedCall::functions,
      "the kernel's functions in which it was, from start_ns on; absent where none were recorded");
  }
};

// The time of one cause in a tail.
struct CauseTime {
  std::string cause;
  std::uint64_t time_ns = 0;
  std::uint64_t excess_ns = 0;
  std::uint64_t calls = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("cause", &CauseTime::cause, "as in CallSlice");
    v("time_ns", &CauseTime::time_ns, "time with that cause in all slow calls together (duration)");
    v("excess_ns", &CauseTime::excess_ns,
      "part of that time above the usual time of a call (duration)");
    v("calls", &CauseTime::calls, "slow calls with any time of that cause");
  }
};

// A thread, interrupt, tracepoint or system call that took time of slow calls.
struct Culprit {
  std::string cause;
  std::string name;
  std::uint32_t pid = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t calls = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("cause", &Culprit::cause, "as in CallSlice");
    v("name", &Culprit::name, "as in CallSlice");
    v("pid", &Culprit::pid,
      "as in CallSlice; threads with the same name and cause are one culprit, with the pid of the "
      "thread that took most");
    v("time_ns", &Culprit::time_ns, "time of the slow calls that it took (duration)");
    v("calls", &Culprit::calls, "slow calls from which it took any time");
  }
};

// The tail of one distribution and its causes.
struct ExplainedTail {
  std::string measure;
  double quantile = 0;
  std::uint64_t threshold_ns = 0;
  std::uint64_t usual_ns = 0;
  std::uint64_t calls = 0;
  std::uint64_t calls_missing = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t excess_ns = 0;
  std::vector<CauseTime> causes;
  std::vector<Culprit> culprits;
  std::optional<TailFunctions> functions = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    v("measure", &ExplainedTail::measure,
      "service (from a call's start to its return), response (from its intended start), or "
      "delivery (from its start until the live reader saw the event)");
    v("quantile", &ExplainedTail::quantile, "quantile at which the tail begins: 0.999");
    v("threshold_ns", &ExplainedTail::threshold_ns,
      "the traced trial's time at that quantile: calls that took as long or longer are slow");
    v("usual_ns", &ExplainedTail::usual_ns,
      "the traced trial's median: the usual time of a call. It is subtracted from each slow call's "
      "time to get the excess: from running, syscall and queued first, in that order, then from "
      "the other causes in proportion to their time");
    v("calls", &ExplainedTail::calls, "number of slow calls that were explained");
    v("calls_missing", &ExplainedTail::calls_missing,
      "slow calls that the histogram counts but that are not explained: there was no space to keep "
      "them or, of deliveries, the trace had ended when the event was seen");
    v("time_ns", &ExplainedTail::time_ns,
      "time of the explained calls: the sum over causes (duration)");
    v("excess_ns", &ExplainedTail::excess_ns,
      "part of it above the usual time: the sum over causes (duration)");
    v("causes", &ExplainedTail::causes, "the causes, largest excess first");
    v("culprits", &ExplainedTail::culprits, "the culprits, longest time first, at most 20");
    v("functions", &ExplainedTail::functions,
      "the kernel's functions in which the slow calls were; absent where none were recorded, and "
      "of deliveries");
  }
};

// A period in which one thread had a processor.
struct ActivityRun {
  int cpu = -1;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t pid = 0;
  std::string name;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("cpu", &ActivityRun::cpu, "processor");
    v("start_ns", &ActivityRun::start_ns, "when it got the processor, or the window's start");
    v("end_ns", &ActivityRun::end_ns, "when it gave it up, or the window's end");
    v("pid", &ActivityRun::pid, "id of the thread; 0: the processor was idle");
    v("name", &ActivityRun::name, "its name");
  }
};

// A period of activity of a processor or a thread.
struct ActivitySpan {
  std::string kind;
  std::string name;
  int cpu = -1;
  std::uint32_t pid = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("kind", &ActivitySpan::kind,
      "interrupt or softirq (of a processor), syscall or page_fault (of a load thread), block_io "
      "(a request to storage, from issue to completion)");
    v("name", &ActivitySpan::name,
      "its name, such as 'timer', 'NET_RX', 'write' or '254:0 WS by jbd2'");
    v("cpu", &ActivitySpan::cpu, "processor; -1 if it belongs to none");
    v("pid", &ActivitySpan::pid, "thread; 0 if it belongs to none");
    v("start_ns", &ActivitySpan::start_ns, "when it began, or the window's start");
    v("end_ns", &ActivitySpan::end_ns, "when it ended, or the window's end");
  }
};

// A thread became ready to run.
struct ActivityWake {
  std::uint64_t time_ns = 0;
  int cpu = -1;
  std::uint32_t pid = 0;
  std::uint32_t waker_pid = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("time_ns", &ActivityWake::time_ns, "when");
    v("cpu", &ActivityWake::cpu, "the processor on which the waker ran");
    v("pid", &ActivityWake::pid, "the thread that became ready");
    v("waker_pid", &ActivityWake::waker_pid,
      "the thread that ran there; it woke the other, or an interrupt on top of it did");
  }
};

// What all processors did around one of the slowest calls.
struct ActivityWindow {
  unsigned thread = 0;
  std::uint64_t sequence = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::vector<ActivityRun> runs;
  std::vector<ActivitySpan> spans;
  std::vector<ActivityWake> wakes;
  std::uint64_t left_out = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("thread", &ActivityWindow::thread, "load thread of the call");
    v("sequence", &ActivityWindow::sequence, "number of the call's event in that thread");
    v("start_ns", &ActivityWindow::start_ns, "the window's start, shortly before the call");
    v("end_ns", &ActivityWindow::end_ns, "its end, shortly after the call");
    v("runs", &ActivityWindow::runs, "who ran, by processor and time");
    v("spans", &ActivityWindow::spans,
      "interrupts, system calls, page faults and storage requests, by start");
    v("wakes", &ActivityWindow::wakes, "threads that became ready, by time");
    v("left_out", &ActivityWindow::left_out,
      "number of runs, spans and wakes of this window that are not listed because there were too "
      "many");
  }
};

// Records that the trace lost on one processor.
struct TraceLoss {
  int cpu = -1;
  std::uint64_t records = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("cpu", &TraceLoss::cpu, "processor");
    v("records", &TraceLoss::records, "records that were overwritten before they were read");
  }
};

// The trace of a traced trial.
struct TraceUsed {
  std::string method;
  std::string limits;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::vector<TraceLoss> losses;
  std::uint64_t damaged_bytes = 0;
  std::uint64_t mismatched_switches = 0;
  bool system_calls = false;
  bool complete = false;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("method", &TraceUsed::method,
      "kernel_trace (scheduling, interrupts, page faults, storage), context_switches (when the "
      "load's threads were switched out and in, but not who ran instead), none");
    v("limits", &TraceUsed::limits,
      "what that method cannot record here, why, and what would help; empty for nothing");
    v("start_ns", &TraceUsed::start_ns, "when the trace began");
    v("end_ns", &TraceUsed::end_ns, "when it ended");
    v("records", &TraceUsed::records, "records that were read");
    v("bytes", &TraceUsed::bytes, "size of the records in bytes");
    v("losses", &TraceUsed::losses, "records that the trace lost, by processor");
    v("damaged_bytes", &TraceUsed::damaged_bytes, "bytes that could not be parsed");
    v("mismatched_switches", &TraceUsed::mismatched_switches,
      "switches away from a thread that was not running according to the earlier records");
    v("system_calls", &TraceUsed::system_calls,
      "whether the load threads' system calls were traced, which separates time in the kernel from "
      "time in their own code");
    v("complete", &TraceUsed::complete,
      "whether the trace covers the whole load and lost nothing; otherwise parts of the "
      "explanation are 'untraced'");
  }
};

// Why the slow calls of one trial were slow.
struct Explanation {
  TraceUsed trace;
  std::vector<ExplainedTail> tails;
  std::vector<ExplainedCall> calls;
  std::uint64_t calls_left_out = 0;
  std::vector<ActivityWindow> windows;
  std::optional<Profile> profile = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    v("trace", &Explanation::trace, "the trace that was used");
    v("tails", &Explanation::tails, "the tails of service and response times by cause");
    v("calls", &Explanation::calls,
      "the slowest calls cut by cause, longest response time first: up to 24 by service time and "
      "up to 24 by response time, whether or not they lie in a tail");
    v("calls_left_out", &Explanation::calls_left_out,
      "explained calls of the tails that are not listed");
    v("windows", &Explanation::windows, "what all processors did around the slowest of them");
    v("profile", &Explanation::profile,
      "the functions in which the time was spent; absent if none were sampled, and in files of "
      "before they were");
  }
};

// One quantile with and without the trace.
struct QuantileShift {
  double quantile = 0;
  std::uint64_t untraced_ns = 0;
  std::uint64_t traced_ns = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("quantile", &QuantileShift::quantile, "0.5, 0.99 …");
    v("untraced_ns", &QuantileShift::untraced_ns, "its value over the trials without the trace");
    v("traced_ns", &QuantileShift::traced_ns, "its value over the traced trials paired with them");
  }
};

// How the trace itself changed the latencies of one step.
struct Disturbance {
  unsigned step = 0;
  std::string measure;
  unsigned untraced_trials = 0;
  unsigned traced_trials = 0;
  std::vector<QuantileShift> quantiles;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("step", &Disturbance::step, "the step");
    v("measure", &Disturbance::measure, "service or response");
    v("untraced_trials", &Disturbance::untraced_trials, "completed trials without the trace");
    v("traced_trials", &Disturbance::traced_trials, "completed trials with it");
    v("quantiles", &Disturbance::quantiles, "quantiles over all calls of these trials");
  }
};

}  // namespace tailgate
