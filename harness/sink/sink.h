// The one seam between the harness and the logging paths that it measures.
//
// A sink is a named kind of logging path and has up to three roles, each used by a different
// process: the controller starts a Session, the provider process opens a Provider and emits, the
// consumer process opens a Consumer and reads back. What a sink can do stands in its Capabilities;
// the harness never asks for a sink by name. `providers/README.md` shows how to add one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/event.h"
#include "harness/base/options.h"
#include "harness/base/probe.h"
#include "harness/base/survives.h"
#include "harness/base/switch_way.h"
#include "harness/os/clock.h"

namespace tailgate {

struct Capabilities {
  // The consumer can see events after the trial …
  bool read_back = false;
  // … and while it runs, so that delivery latency can be measured.
  bool live_read = false;
  // Whatever the sink discards is counted exactly, by its own account: emitted = delivered + lost
  // must hold to the event. Without it, missing events are unaccounted.
  bool accounts_losses = false;
  // emit() may return before the event has left the provider process or reached the session.
  bool asynchronous = false;
  // What every event survives that emit() has accepted, by how the path works: `kill` when nothing
  // of it is left in the program, `crash` when the call has also waited for the storage (fsync,
  // O_DSYNC). Of a path that does so only now and then, what holds for every event. `kill` can be
  // tested by killing a provider (providers/crash_linux_test.cpp), `crash` follows from what the
  // operating system promises of these calls.
  Survives survives = Survives::nothing;
  // The session's processes, or threads of the provider, go on working for an event after emit()
  // has returned, at the expense of whatever else runs then.
  bool deferred_work = false;
  // emit() may refuse an event (full buffer, EAGAIN) instead of waiting.
  bool may_refuse = false;
  // Several threads may emit at once.
  bool multi_threaded = true;
  // Several provider processes may emit into one session at once, and each event stays whole …
  bool multi_process = false;
  // … and several sessions may get the events of one provider, …
  bool multi_session = false;
  // … at most so many; 0: as many as there can be.
  unsigned most_sessions = 0;
  // Each provider process may have a session of its own (TrialContext::own_sessions).
  bool own_sessions = false;
  // With these options the path takes calls and is meant to record none of their events: what was
  // not read back is switched off, neither lost nor unaccounted.
  bool switched_off = false;
  // Several consumers may read at once, each of them everything.
  bool multi_consumer = false;
  // The path frames or transports text: events come in the text encoding, without line feeds
  // unless the load is log lines (harness/base/log_lines.h), which have what paths do not expect.
  bool text_events = false;
  // Why the path cannot record the stack of an event's caller, where that was tried. A path that
  // can has an option `stack`.
  std::string no_stacks = {};
  // Larger events are refused by the system, whatever the options; 0: none is too large.
  std::size_t largest_event_bytes = 0;
  // The calls are made by a program in that language (SinkType::driver) and not by the harness's
  // load threads. All processes of the trial then use CLOCK_MONOTONIC, which every language reads.
  std::string driver_language = {};
};

// A program that makes the calls of a trial in place of the load threads.
struct DriverProgram {
  std::vector<std::string> command;         // looked up in PATH; not empty
  std::filesystem::path directory;          // in which it starts
  std::filesystem::path log_path;           // told to the program as the file to write
  std::vector<std::string> refusal_causes;  // as Provider::refusal_causes()
  std::vector<std::pair<std::string, std::string>> settings;  // every option with its value
};

// Events that the sink itself says it lost, under the sink's own name for the cause.
struct Loss {
  std::string cause;
  std::uint64_t events = 0;
};

// How many commands a session sent to its provider, and how many of these the provider's process
// received.
struct CommandsTold {
  std::uint64_t sent = 0;  // enables and disables
  std::uint64_t arrived = 0;
  std::uint64_t with_arguments = 0;  // of these: with the level and the keywords that were sent
  std::uint64_t filters_sent = 0;    // data for the provider, with an enable
  std::uint64_t filters_arrived = 0;
  std::uint64_t captures_sent = 0;  // requests for the provider's state
  std::uint64_t captures_arrived = 0;
};

// A process that works for the session, watched for its cost and its death.
struct DaemonProcess {
  std::string name;
  int pid = 0;
};

// What all three roles know of a trial.
struct TrialContext {
  Options options;                       // of this sink, resolved
  std::filesystem::path directory = {};  // private to the trial; exists; removed after it
  std::uint32_t run = 0;                 // stamped into every event of this trial
  unsigned threads = 1;                  // load threads of all provider processes, numbered from 0
  unsigned processes = 1;  // provider processes; each has an equal share of the threads
  unsigned process = 0;    // the number of this one, from 0; in the other roles 0
  // A process whose user and mount namespaces those of this session lie in, 0: none. So several
  // sessions of one trial share a view.
  int inside_pid = 0;
  unsigned sessions = 1;  // that get the events; the first is the one that is read back
  unsigned cpus = 1;      // processors that the load threads may run on
  // Each provider process writes into the session that has its number, and into no other. All of
  // them are read back; there are as many sessions as processes.
  bool own_sessions = false;
  unsigned consumer = 0;  // the number of this one; 0: the trial's own, or another role
  // A rival's controller may start a second session during the load. The consumer that reads that
  // one has session = 1.
  bool rival_may_start = false;
  unsigned session = 0;
  std::size_t max_event_bytes = 0;   // the largest event that will be emitted
  std::uint64_t expected_bytes = 0;  // about how many will be emitted, all threads; for sizing
  Clock clock = {};
  EventEncoding encoding = EventEncoding::binary;
};

// Lives in the controller.
class Session {
 public:
  virtual ~Session() = default;

  // Starts the path; throws Error. Nothing is left behind when it throws.
  virtual void start() = 0;

  // The settings that the path really runs with, asked of it after start(); may differ from what
  // the options asked for.
  virtual std::vector<std::pair<std::string, std::string>> granted() const { return {}; }

  virtual std::vector<DaemonProcess> daemons() const { return {}; }

  // Environment variables that the provider and consumer processes need: name, value.
  virtual std::vector<std::pair<std::string, std::string>> environment() const { return {}; }

  // A process whose user and mount namespaces the provider and the consumer enter, for paths that
  // exist only there; 0: none.
  virtual int namespace_pid() const { return 0; }

  // Makes the running session listen to its provider (on), or no more, while load threads emit. It
  // listens after start(). A call that begins after listen() has returned should be recorded, or
  // not, accordingly; how far that holds is measured. A call while the session does not listen is
  // accepted or refused, as the path does it. Throws Error with the reason where the path cannot be
  // switched in that way; then nothing has changed.
  virtual void listen(bool on, SwitchWay way) {
    static_cast<void>(on);
    static_cast<void>(way);
    throw Error("the sink cannot be switched while it runs", "");
  }

  // Makes the running session begin new files, and keep those it has, while load threads emit. No
  // event may be lost by that. Throws Error with the reason where the path has no files to rotate,
  // or did not do it in time.
  virtual void rotate() { throw Error("the sink rotates no files while it runs", ""); }

  // The folder of its files, as the controller sees it, if they are on a file system that the
  // session itself has mounted with a size: that one may be filled.
  virtual std::optional<std::filesystem::path> own_disk() const { return std::nullopt; }

  // The same for the second session that gets the events, as a controller would do it that knows
  // nothing of the first one. The first session should record on; whether it does is measured.
  virtual void listen_as_rival(bool on, SwitchWay way) {
    static_cast<void>(on);
    static_cast<void>(way);
    throw Error("no other session of the sink can be switched while it runs", "");
  }

  // Starts a second session that gets the events of this one's providers from then on, by a
  // controller that knows nothing of the first one; ends it again, so that all of its events can be
  // read. At most one in a trial. stop() ends it, too. Throws Error.
  virtual void start_rival() { throw Error("the sink's provider has no second session", ""); }
  virtual void end_rival() {}

  // After stop(); nothing where the path sends none, or where it is unknown what arrived.
  virtual std::optional<CommandsTold> commands() const { return std::nullopt; }

  // A provider process has been started, and has not opened the path yet. Throws Error.
  virtual void provider_started(unsigned process, int pid) {
    static_cast<void>(process);
    static_cast<void>(pid);
  }

  // Flushes what is buffered in the session and ends it. Called after the provider process has
  // ended, whichever way it did. A second call does nothing. Throws Error when something may have
  // been left behind.
  virtual void stop() = 0;

  // Processor time, in nanoseconds, that each daemon used within stop() for events of the trial
  // that were still on their way, in the order in which daemons() listed them; after stop().
  virtual std::vector<std::uint64_t> daemons_cpu_in_stop_ns() const { return {}; }

  // What the session lost; complete after stop().
  virtual std::vector<Loss> losses() const { return {}; }
};

// Index into Provider::refusal_causes() + 1; zero: the sink took the event.
using EmitStatus = std::uint8_t;
inline constexpr EmitStatus kAccepted = 0;

// Lives in the provider process. Construction opens the path; throws Error.
class Provider {
 public:
  virtual ~Provider() = default;

  // Called by each load thread before its first event, on the thread's processor. Throws Error.
  virtual void warm_up(unsigned thread) { static_cast<void>(thread); }

  // Hands one whole event to the path. thread is the load thread's number: calls with one number
  // never overlap, calls with different numbers may. After the warm-up it may do only what the
  // measured path itself does: no allocation, lock or formatting on the harness's behalf.
  // After close() it returns a refusal.
  virtual EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept = 0;

  // Names for what emit() may return, at most kMaxRefusalCauses: {"EAGAIN", "closed"}.
  virtual std::vector<std::string> refusal_causes() const = 0;
  static constexpr std::size_t kMaxRefusalCauses = 8;

  // Hands everything that is buffered in this process to the path and closes it. Called once all
  // load threads have emitted their last event, while the threads themselves may still be there; a
  // second call does nothing. Throws Error.
  virtual void close() = 0;

  // What the path lost inside this process after it accepted it; complete after close().
  virtual std::vector<Loss> losses() const { return {}; }
};

// What a consumer hands its events to.
class EventVisitor {
 public:
  virtual ~EventVisitor() = default;
  // One event's bytes as they came out of the path, unframed. Valid during the call only.
  virtual void event(std::span<const std::byte> bytes) = 0;
  // Bytes that should have held events but could not be taken apart into them.
  virtual void damage(std::size_t bytes) = 0;
  // One copy of an event, of a sink that makes several (SinkType::copies); number: which, from 0.
  // The event itself is handed over once all copies of it are read.
  virtual void copy(std::size_t number, std::span<const std::byte> bytes) {
    static_cast<void>(number);
    static_cast<void>(bytes);
  }
};

// Lives in the consumer process. Construction opens the path for reading; throws Error.
class Consumer {
 public:
  virtual ~Consumer() = default;

  // Hands over what has become readable since the last call, bounded to a few milliseconds of
  // work, and returns the number of events handed over. 0: nothing to read at this moment, which
  // after the session has stopped means the end. Throws Error.
  virtual std::size_t poll(EventVisitor& visitor) = 0;

  // Called once after the session has stopped and poll() has returned 0: reports what only the
  // end can tell, such as a cut-off last event.
  virtual void finish(EventVisitor& visitor) { static_cast<void>(visitor); }

  // Losses that only reading back reveals (counts in packet headers); disjoint from the session's
  // and the provider's. Complete after finish(). missing: how many events were accepted, but
  // neither delivered, not even damaged, nor counted as lost by the provider. A path that counts
  // lost packets instead of events needs it; it reports what its own counts can explain.
  virtual std::vector<Loss> losses(std::uint64_t missing) const {
    static_cast<void>(missing);
    return {};
  }
};

class SinkType {
 public:
  virtual ~SinkType() = default;

  virtual std::string name() const = 0;
  virtual std::string description() const = 0;  // one line, no full stop
  virtual OptionTable options() const = 0;
  // With these options: a mode may be able to do what another is not.
  virtual Capabilities capabilities(const Options& options) const = 0;
  virtual Probe probe(const Options& options) const = 0;

  // The names of the copies that it makes of each event, if it makes several, with these options.
  virtual std::vector<std::string> copies(const Options& options) const {
    static_cast<void>(options);
    return {};
  }

  // Removes what sessions of runs that are dead, by SIGKILL say, left outside of their directories;
  // knows it by a mark of its own and touches nothing else. Throws Error.
  virtual void sweep() const {}

  virtual std::unique_ptr<Session> make_session(const TrialContext& context) const = 0;
  virtual std::unique_ptr<Provider> open_provider(const TrialContext& context) const = 0;
  // The program that the provider process becomes once it has measured its surroundings. Called
  // instead of open_provider where the capabilities name a driver_language.
  virtual DriverProgram driver(const TrialContext& context) const {
    static_cast<void>(context);
    throw std::logic_error("sink '" + name() + "' is driven by no program");
  }
  // Only called where the capabilities say read_back or live_read.
  virtual std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const = 0;
};

class SinkCatalog;

// Every sink's .cpp file defines one of these, named make_NAME_sink; providers/all.cpp lists them.
// sinks: the catalog that the sink becomes part of, for a sink that uses others.
using SinkFactory = std::unique_ptr<const SinkType>(const SinkCatalog& sinks);

// A session for sinks that need none.
class NoSession : public Session {
 public:
  void start() override {}
  void stop() override {}
};

}  // namespace tailgate
