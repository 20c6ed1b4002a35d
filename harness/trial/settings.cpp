#include "harness/trial/settings.h"

#include <fmt/format.h>

#include "harness/base/enum_text.h"
#include "harness/base/error.h"
#include "harness/base/options.h"

namespace tailgate {

std::vector<std::string> consumer_choices() {
  std::vector<std::string> choices = enum_choices<ConsumerMode>();
  choices.insert(choices.begin(), "auto");
  return choices;
}

WantedConsumer parse_consumer(std::string_view text) {
  if (text == "auto") return {};
  const std::optional<ConsumerMode> mode = enum_value<ConsumerMode>(text);
  if (!mode) {
    throw Error(fmt::format("consume '{}' is not known", text),
                choice_remedy(text, consumer_choices()));
  }
  return mode;
}

TrialSettings settings_for(const SinkChoice& sink, TrialSettings settings) {
  const bool other_language = !sink.type->capabilities(sink.options).driver_language.empty();
  if (other_language && settings.clock.kind != ClockKind::monotonic) {
    settings.clock = measure_monotonic_clock();
  }
  return settings;
}

ConsumerMode consumer_mode(const SinkChoice& sink, WantedConsumer wanted) {
  const Capabilities can = sink.type->capabilities(sink.options);
  if (wanted == ConsumerMode::live && !can.live_read) {
    throw Error(fmt::format("sink '{}' cannot be read while the load runs", sink.text),
                can.read_back ? "use --consume after" : "use --consume none");
  }
  if (wanted == ConsumerMode::after && !can.read_back) {
    throw Error(fmt::format("sink '{}' cannot be read back", sink.text), "use --consume none");
  }
  if (wanted) return *wanted;
  return can.live_read   ? ConsumerMode::live
         : can.read_back ? ConsumerMode::after
                         : ConsumerMode::none;
}

namespace {

std::optional<Error> why_not_own(const SinkChoice& sink, const Capabilities& can,
                                 const LoadPlan& load) {
  if (can.own_sessions || load.sessions == 1) return std::nullopt;
  return Error(fmt::format("the provider processes of sink '{}' cannot have a session each, "
                           "sessions = {}",
                           sink.text, load.sessions),
               "choose a sink that can: see 'tailgate sinks'");
}

}  // namespace

std::optional<Error> why_not_shared(const SinkChoice& sink, const LoadPlan& load) {
  const Capabilities can = sink.type->capabilities(sink.options);
  if (threads_each(load) > 1 && !can.multi_threaded) {
    return Error(fmt::format("sink '{}' takes events from one thread only, threads = {}", sink.text,
                             threads_each(load)),
                 "set threads=1");
  }
  if (load.own_sessions != 0) return why_not_own(sink, can, load);
  if (load.processes > 1 && !can.multi_process) {
    return Error(fmt::format("sink '{}' takes events from one process only, processes = {}",
                             sink.text, load.processes),
                 "set processes=1, or choose another sink or mode: 'tailgate sinks' lists those "
                 "that several processes can share");
  }
  if (load.sessions > 1 && !can.multi_session) {
    return Error(
        fmt::format("sink '{}' has one session only, sessions = {}", sink.text, load.sessions),
        "choose a sink whose provider can be in several: see 'tailgate sinks'");
  }
  if (can.most_sessions > 0 && load.sessions > can.most_sessions) {
    return Error(fmt::format("a provider of sink '{}' is in {} sessions at most, sessions = {}",
                             sink.text, can.most_sessions, load.sessions),
                 fmt::format("set sessions={} or less", can.most_sessions));
  }
  return std::nullopt;
}

void check_sink_load(const SinkChoice& sink, const LoadPlan& load) {
  if (const std::optional<Error> why_not = why_not_shared(sink, load)) throw *why_not;
  const Capabilities can = sink.type->capabilities(sink.options);
  if (load.payload.law == PayloadLaw::lines && !can.driver_language.empty()) {
    throw Error(fmt::format("sink '{}' is driven by a program in {}, which writes no log lines",
                            sink.text, can.driver_language),
                "set payload to a size");
  }
  const bool drawn_around_median =
      load.payload.law == PayloadLaw::lognormal || load.payload.law == PayloadLaw::lines;
  const auto largest = static_cast<double>(can.largest_event_bytes);
  if (largest > 0 && !drawn_around_median && load.payload.first > largest) {
    throw Error(fmt::format("sink '{}' takes events of at most {} bytes, payload = {}", sink.text,
                            can.largest_event_bytes, payload_text(load.payload)),
                fmt::format("set payload={} or less", can.largest_event_bytes));
  }
}

}  // namespace tailgate
