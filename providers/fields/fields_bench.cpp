// Formatting of an event's fields next to the C library's, one call of it for each field.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "providers/fields/formatted_fields.h"

namespace tailgate {
namespace {

constexpr std::size_t kFields = 16;

std::vector<std::byte> stamped_event() {
  std::vector<std::byte> event =
      prepare_event(EventEncoding::text, kTextHeaderBytes + room_for_fields(kFields));
  stamp_event(event.data(), EventEncoding::text,
              {.run = 1,
               .thread = 0,
               .size_bytes = static_cast<std::uint16_t>(event.size()),
               .sequence = 7,
               .emit_ns = 1});
  return event;
}

void fields(benchmark::State& state, FieldKind kind) {
  std::vector<std::byte> event = stamped_event();
  for (auto _ : state) {
    benchmark::DoNotOptimize(format_fields(event, EventEncoding::text, kind, kFields));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kFields));
}
BENCHMARK_CAPTURE(fields, text, FieldKind::text);
BENCHMARK_CAPTURE(fields, integer, FieldKind::integer);
BENCHMARK_CAPTURE(fields, real, FieldKind::real);

template <class Value>
void with_snprintf(benchmark::State& state, const char* format, Value value) {
  std::vector<std::byte> event = stamped_event();
  char* const start = reinterpret_cast<char*>(event.data()) + kTextHeaderBytes;
  for (auto _ : state) {
    char* out = start;
    for (unsigned field = 0; field < kFields; ++field) {
      out += std::snprintf(out, kMaxFieldBytes + 1, format, field, value);
      benchmark::DoNotOptimize(value);
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kFields));
}
BENCHMARK_CAPTURE(with_snprintf, text, " f%02u=%s", "abcdefghij");
BENCHMARK_CAPTURE(with_snprintf, integer, " f%02u=%llu", 2'123'456'789ull);
BENCHMARK_CAPTURE(with_snprintf, real, " f%02u=%.10g", 2123456.789);

}  // namespace
}  // namespace tailgate
