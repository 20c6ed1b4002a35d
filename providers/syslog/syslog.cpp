// The syslog sink: events go to a private rsyslogd over its local socket.
#include "providers/syslog/options.h"

#include "providers/shared/daemon/private_daemon.h"
#include "providers/shared/daemon/private_namespace.h"
#include "providers/syslog/provider.h"
#include "providers/syslog/rotated_lines.h"
#include "providers/syslog/session.h"

namespace tailgate {
namespace {

class SyslogSink : public SinkType {
 public:
  std::string name() const override { return "syslog"; }
  std::string description() const override {
    return "rsyslogd of our own, into a file: datagrams or syslog(3)";
  }

  OptionTable options() const override { return syslog_options(); }

  Capabilities capabilities(const Options& options) const override {
    return {.read_back = true,
            .live_read = true,
            .accounts_losses = true,
            .survives = Survives::kill,
            .deferred_work = true,
            .may_refuse = options.text("mode") == "datagram",
            .multi_process = true,
            .multi_consumer = true,
            .text_events = true};
  }

  Probe probe(const Options& options) const override {
    if (options.text("mode") != "datagram" && !options.boolean("blocking")) {
      return {.available = false,
              .reason = "blocking=false with mode=syslog3: the C library's socket waits",
              .remedy = "use mode=datagram"};
    }
    if (find_daemon("rsyslogd").empty()) {
      return {.available = false,
              .reason = "the program rsyslogd is not installed",
              .remedy = "install the package rsyslog; its service need not run"};
    }
    return probe_private_namespace();
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<syslog::SyslogSession>(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return context.options.text("mode") == "datagram" ? syslog::open_datagrams(context)
                                                      : syslog::open_syslog3(context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    require_private_view(syslog::kMark, context);
    return std::make_unique<syslog::RotatedLines>(syslog::event_file(context));
  }
};

}  // namespace

std::unique_ptr<const SinkType> make_syslog_sink(const SinkCatalog&) {
  return std::make_unique<SyslogSink>();
}

}  // namespace tailgate
