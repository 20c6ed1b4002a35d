#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "harness/etw/access_windows.h"
#include "providers/etw/enable_account.h"
#include "providers/etw/options.h"
#include "providers/etw/roles.h"
#include "providers/etw/trace_control_windows.h"
#include "providers/shared/sessions/own_sessions.h"

namespace tailgate::etw {
namespace {

// In mode private the provider starts the session. Further sessions get the events of the same
// provider; the first alone is read back, unless a scenario has started the other.
class EtwSession : public Session {
 public:
  explicit EtwSession(const TrialContext& context) : context_(context) {
    const std::string& mode = context.options.text("mode");
    if (mode != "unlistened" && mode != "private") control_.emplace(context, session_name(context));
  }

  void start() override {
    create_session_directories(context_);
    note_launch(context_);
    if (!control_) return;
    try {
      start_numbered(*control_, 0);
      for (unsigned i = 1; i < context_.sessions; ++i) start_numbered(add_further(i), i);
    } catch (const Error&) {
      further_.clear();
      control_.reset();
      throw;
    }
  }

  void listen(bool on, SwitchWay way) override {
    if (!control_) return Session::listen(on, way);
    control_->listen(on, way);
  }
  void listen_as_rival(bool on, SwitchWay way) override {
    if (further_.empty()) return Session::listen_as_rival(on, way);
    further_.front()->listen(on, way);
  }
  void start_rival() override {
    if (!can_have_further(context_.options)) return Session::start_rival();
    std::filesystem::create_directories(session_directory(context_, 1));
    rival_came_ = true;
    try {
      add_further(1).start();
    } catch (const Error&) {
      further_.clear();
      throw;
    }
  }
  void end_rival() override {
    if (!rival_came_ || further_.empty()) return;
    further_.front()->stop();
    further_.clear();
  }

  // Stops every one; throws the first error.
  void stop() override {
    std::optional<Error> first;
    const auto stop_one = [&first](TraceControl& control) {
      try {
        control.stop();
      } catch (const Error& error) {
        if (!first) first = error;
      }
    };
    if (control_) stop_one(*control_);
    for (const auto& control : further_) stop_one(*control);
    if (first) throw *first;
  }

  std::vector<std::pair<std::string, std::string>> granted() const override {
    if (!control_) return {};
    return control_->granted();
  }

  std::vector<std::pair<std::string, std::string>> environment() const override {
    if (!control_) return {};
    return {{kSessionVariable, control_->name()}};
  }

  std::vector<Loss> losses() const override {
    return control_ ? control_->losses() : std::vector<Loss>{};
  }

  // Of the first provider process.
  std::optional<CommandsTold> commands() const override {
    const bool alone = further_.empty() && !rival_came_;
    if (!control_ || !alone || control_->sent().empty()) return std::nullopt;
    const auto told = read_told(told_path(context_, 0));
    if (!told) return std::nullopt;
    return account_of(control_->sent(), *told);
  }

 private:
  TraceControl& add_further(unsigned number) {
    const TrialContext one = context_of_further(context_, number);
    note_launch(one);
    further_.push_back(std::make_unique<TraceControl>(one, session_name(one)));
    return *further_.back();
  }

  void start_numbered(TraceControl& control, unsigned number) const {
    try {
      control.start();
    } catch (const Error& error) {
      if (context_.sessions == 1) throw;
      throw Error(
          fmt::format("session {} of {}: {}", number + 1, context_.sessions, error.what_failed()),
          error.remedy());
    }
  }

  TrialContext context_;
  std::optional<TraceControl> control_;
  std::vector<std::unique_ptr<TraceControl>> further_;
  bool rival_came_ = false;  // a scenario has started a second session
};

}  // namespace

Probe probe(const Options& options) {
  if (const auto elsewhere = probe_elsewhere()) return *elsewhere;
  const bool needs_session =
      options.text("mode") != "unlistened" && options.text("mode") != "private";
  if (needs_session && !may_start_sessions()) {
    return {.available = false,
            .reason = "this user may not start tracing sessions",
            .remedy = kElevate};
  }
  return {.available = true,
          .reason = kTriedWhere,
          .remedy = "check that a result's ledger is balanced before you use its figures"};
}

// Sessions outlive the process that started them; this stops those of dead processes.
void sweep() {
  constexpr ULONG kMost = 64;
  std::vector<Properties> sessions(kMost);
  EVENT_TRACE_PROPERTIES* pointers[kMost];
  for (ULONG i = 0; i < kMost; ++i) pointers[i] = &sessions[i].properties();
  ULONG count = 0;
  if (api().query_all_traces(pointers, kMost, &count) != ERROR_SUCCESS) return;
  for (ULONG i = 0; i < count && i < kMost; ++i) {
    if (!is_of_dead_process(narrow(sessions[i].name()))) continue;
    Properties ended;
    api().control_trace(0, sessions[i].name(), &ended.properties(), EVENT_TRACE_CONTROL_STOP);
  }
}

std::unique_ptr<Session> make_session(const TrialContext& context) {
  return std::make_unique<EtwSession>(context);
}

}  // namespace tailgate::etw
