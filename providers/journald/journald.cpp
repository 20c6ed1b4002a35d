// The journald sink: events go to a private systemd-journald over the journal's native protocol.
#include "providers/journald/options.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "providers/journald/consumer.h"
#include "providers/journald/places.h"
#include "providers/journald/provider.h"
#include "providers/journald/session.h"
#include "providers/shared/daemon/private_daemon.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate {
namespace {

class JournaldSink : public SinkType {
 public:
  std::string name() const override { return "journald"; }
  std::string description() const override {
    return "systemd-journald of our own: datagrams or sd_journal_send";
  }

  OptionTable options() const override { return journald_options(); }

  Capabilities capabilities(const Options& options) const override {
    return {.read_back = true,
            .live_read = journald_stores_events(options),
            .accounts_losses = true,
            .survives = Survives::kill,
            .deferred_work = true,
            .may_refuse = true,
            .multi_process = true,
            .switched_off = !journald_stores_events(options),
            .multi_consumer = true,
            .text_events = options.text("encoding") == "text"};
  }

  Probe probe(const Options& options) const override;

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<journald::JournaldSession>(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return context.options.text("mode") == "native" ? journald::open_native(context)
                                                    : journald::open_library(context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return std::make_unique<journald::JournaldConsumer>(context);
  }
};

Probe JournaldSink::probe(const Options& options) const {
  if (options.text("mode") != "native" && !options.boolean("blocking")) {
    return {.available = false,
            .reason = "blocking=false with mode=sd_journal_send: libsystemd's socket waits",
            .remedy = "use mode=native"};
  }
  if (find_daemon("systemd-journald").empty()) {
    return {.available = false,
            .reason = "the program systemd-journald is not installed",
            .remedy = "install the package systemd; it need not run"};
  }
  if (journald::machine_id().empty()) {
    return {.available = false,
            .reason = "'/etc/machine-id' holds no id",
            .remedy = "run systemd-machine-id-setup as root"};
  }
  return probe_private_namespace();
}

}  // namespace

std::unique_ptr<const SinkType> make_journald_sink(const SinkCatalog&) {
  return std::make_unique<JournaldSink>();
}

}  // namespace tailgate
