// A DLT trace may hold any bytes, which come in any pieces; none may count twice.
#include "dlt_trace.hpp"

#include <cstdlib>

namespace {

struct Taken {
  std::size_t event_bytes = 0;
  std::size_t damaged_bytes = 0;
  std::int64_t messages = 0;
  std::size_t rest_bytes = 0;
  bool operator==(const Taken&) const = default;
};

Taken take(std::string_view bytes, std::size_t piece_bytes) {
  Taken taken;
  loggers::DltMessages messages("TLGAEVNT");
  for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
    taken.messages += messages.take(
        bytes.substr(at, piece_bytes),
        [&](std::string_view text) { taken.event_bytes += text.size(); },
        [&](std::size_t size_bytes) { taken.damaged_bytes += size_bytes; });
  }
  taken.rest_bytes = messages.rest_bytes();
  return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::size_t piece_bytes : {std::size_t{1}, std::size_t{7}, size + 1}) {
    const Taken taken = take(bytes, piece_bytes);
    const std::size_t headers = static_cast<std::size_t>(taken.messages) * 20;
    if (taken.event_bytes + taken.damaged_bytes + taken.rest_bytes + headers > size) std::abort();
  }
  return 0;
}
