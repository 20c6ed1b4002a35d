// A damaged path may deliver any bytes: the checks must accept them and agree with each other.
#include <cstdlib>

#include "harness/base/log_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  for (const EventEncoding encoding : {EventEncoding::binary, EventEncoding::text}) {
    EventStamp stamp{};
    const EventCheck check = check_event(bytes, encoding, stamp);
    const std::size_t announced = announced_size_bytes(bytes, encoding);
    if (check == EventCheck::intact && announced != size) std::abort();
    static const LogLines lines[] = {LogLines(EventEncoding::binary, kLeastLongestBytes),
                                     LogLines(EventEncoding::text, kLeastLongestBytes)};
    const EventCheck as_line =
        check_event(bytes, encoding, lines[encoding == EventEncoding::text ? 1 : 0], stamp);
    // Only an empty line is both.
    const bool no_body = size == min_event_bytes(encoding);
    if (check == EventCheck::intact && as_line == EventCheck::intact && !no_body) std::abort();
    if (size < min_event_bytes(encoding) && check != EventCheck::too_short) std::abort();
  }
  return 0;
}
