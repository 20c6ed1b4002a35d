// One tracing session for a trial's provider: started, enabled, asked what it was granted, ended.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "providers/etw/properties_windows.h"
#include "providers/sink.h"

namespace tailgate::etw {

// What to do about an error of StartTraceW or ControlTraceW.
std::string session_remedy(ULONG error);

class TraceControl {
 public:
  TraceControl(const TrialContext& context, std::string name);
  ~TraceControl();  // ends a session that still runs
  TraceControl(const TraceControl&) = delete;
  TraceControl& operator=(const TraceControl&) = delete;

  // By way of the option controller. A stale session of the same name is stopped first. Throws
  // Error; no session is left then.
  void start();

  // Ends it, with all of its events in the file or with the consumer. A second call does nothing.
  // Throws Error when events are missing that nobody has counted.
  void stop();

  const std::string& name() const { return text_; }

  // What Windows has made of the options; after start().
  std::vector<std::pair<std::string, std::string>> granted() const;

  // Events for which there was no buffer; after stop().
  std::vector<Loss> losses() const;

 private:
  void start_by_api();
  void enable();
  void query();
  Properties stop_by_api();
  Properties stop_by_logman();
  void logman(const std::vector<std::string>& arguments) const;
  void check(const char* call, ULONG error) const;

  TrialContext context_;
  std::string text_;  // the session's name
  std::wstring name_;
  bool by_logman_;
  bool running_ = false;
  TRACEHANDLE handle_ = 0;  // 0: the session is called by its name
  Properties given_;
  std::uint64_t events_lost_ = 0;
};

}  // namespace tailgate::etw
