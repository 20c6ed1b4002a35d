#include <optional>

#include "harness/etw/access_windows.h"
#include "providers/etw/options.h"
#include "providers/etw/roles.h"
#include "providers/etw/trace_control_windows.h"

namespace tailgate::etw {
namespace {

// In mode private the provider starts the session.
class EtwSession : public Session {
 public:
  explicit EtwSession(const TrialContext& context) {
    note_launch(context);
    const std::string& mode = context.options.text("mode");
    if (mode != "unlistened" && mode != "private") control_.emplace(context, session_name(context));
  }

  void start() override {
    if (control_) control_->start();
  }
  void listen(bool on, SwitchWay way) override {
    if (!control_) return Session::listen(on, way);
    control_->listen(on, way);
  }
  void stop() override {
    if (control_) control_->stop();
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

 private:
  std::optional<TraceControl> control_;
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
