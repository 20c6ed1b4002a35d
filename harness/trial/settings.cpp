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

void check_sink_load(const SinkChoice& sink, const LoadPlan& load) {
  const Capabilities can = sink.type->capabilities(sink.options);
  if (load.threads > 1 && !can.multi_threaded) {
    throw Error(fmt::format("sink '{}' takes events from one thread only, threads = {}", sink.text,
                            load.threads),
                "set threads=1");
  }
  const bool drawn_around_median = load.payload.law == PayloadLaw::lognormal;
  const auto largest = static_cast<double>(can.largest_event_bytes);
  if (largest > 0 && !drawn_around_median && load.payload.first > largest) {
    throw Error(fmt::format("sink '{}' takes events of at most {} bytes, payload = {}", sink.text,
                            can.largest_event_bytes, payload_text(load.payload)),
                fmt::format("set payload={} or less", can.largest_event_bytes));
  }
}

}  // namespace tailgate
