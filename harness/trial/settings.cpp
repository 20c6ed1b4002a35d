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

}  // namespace tailgate
