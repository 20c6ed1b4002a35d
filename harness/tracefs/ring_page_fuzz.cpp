// Iterates over any bytes as a page, searches each record for an event, and parses any bytes as a
// format file: none of it may read outside of the input.
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/tracefs/event_format.h"
#include "harness/tracefs/ring_page.h"
#include "harness/tracefs/test_pages.h"

namespace {

using namespace tailgate;
using namespace tailgate::tracefs;

bool lies_within(std::span<const std::byte> inner, std::span<const std::byte> outer) {
  return inner.empty() || (inner.data() >= outer.data() &&
                           inner.data() + inner.size() <= outer.data() + outer.size());
}

void walk(std::span<const std::byte> bytes, const PageLayout& layout) {
  static const RecordFormat formats[] = {
      record_format(raw_data_format(), "id", Carriage::raw),
      record_format(print_format(), "buf", Carriage::text),
      record_format(user_event_format(), "event", Carriage::located),
  };
  RingPage page(layout, bytes);
  std::size_t read_bytes = 0;
  for (RingRecord record; page.next(record);) {
    read_bytes += record.data.size() + 4;
    if (!lies_within(record.data, bytes)) std::abort();
    for (RecordFormat format : formats) {
      std::uint16_t id = 0;
      if (record.data.size() >= sizeof id) std::memcpy(&id, record.data.data(), sizeof id);
      format.id = id;
      std::span<const std::byte> event;
      if (find_event(format, record.data, event) == Found::event &&
          !lies_within(event, record.data)) {
        std::abort();
      }
    }
  }
  if (read_bytes + page.damaged_bytes() > bytes.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  walk(bytes, {});
  walk(bytes, {.commit_at = 8, .commit_bytes = 4, .data_at = 12, .page_bytes = 4096});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    parse_page_layout(text, kHeaderEvent);
    parse_event_format(text);
  } catch (const Error&) {
  }
  return 0;
}
