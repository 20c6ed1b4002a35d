// The tracing session of a trial's provider: starts it, enables the provider, queries what Windows
// granted, stops it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/etl/guid.h"
#include "harness/etw/properties_windows.h"
#include "harness/sink/sink.h"
#include "providers/etw/enable_account.h"
#include "providers/etw/options.h"

namespace tailgate::etw {

// As Windows' calls take it.
GUID native_guid(const etl::Guid& guid);

// The name of a trial's session. It contains the pid of the process that starts it.
std::string session_name(const TrialContext& context);

// Whether a session has such a name, and the process has ended.
bool is_of_dead_process(const std::string& session);

class TraceControl {
 public:
  TraceControl(const TrialContext& context, std::string name);
  ~TraceControl();  // ends a session that still runs
  TraceControl(const TraceControl&) = delete;
  TraceControl& operator=(const TraceControl&) = delete;

  // Starts the session with the program that the option `controller` names. Stops a stale session
  // of the same name first. Throws Error, also when Windows granted something else than the options
  // ask for and that decides what is measured, and then leaves no session.
  void start();

  // Enables the provider's events in the running session, or leaves them out: altogether, or by the
  // session's level or keywords. Throws Error.
  void listen(bool on, SwitchWay way);

  // Stops the session; all of its events are then in the file or with the consumer. A second call
  // does nothing. Throws Error when events are missing that nobody counted.
  void stop();

  const std::string& name() const { return text_; }

  // The settings that Windows granted; valid after start().
  std::vector<std::pair<std::string, std::string>> granted() const;

  // Events that found no free buffer; valid after stop().
  std::vector<Loss> losses() const;

  // What it has sent the provider so far; nothing where logman does that.
  const std::vector<EnableCommand>& sent() const { return sent_; }

 private:
  void start_by_api();
  void enable(const Selection& selection);
  void disable();
  void request_state();
  void start_by_logman();
  void query();
  void check_granted() const;
  Properties stop_by_api();
  Properties stop_by_logman();
  void delete_dead_collectors() const;
  void try_logman(const std::vector<std::string>& arguments) const;
  std::string logman(const std::vector<std::string>& arguments) const;
  void check(const char* call, ULONG error) const;

  TrialContext context_;
  std::string text_;  // the session's name
  std::wstring name_;
  bool by_logman_;
  bool running_ = false;
  TRACEHANDLE handle_ = 0;  // 0: the session is addressed by its name
  Properties given_;
  std::uint64_t events_lost_ = 0;
  std::vector<EnableCommand> sent_;
  std::uint32_t next_number_ = 1;  // for filter data
};

}  // namespace tailgate::etw
