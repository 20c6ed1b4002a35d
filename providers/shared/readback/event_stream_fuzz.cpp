// The readers must reach the end of any file, and count every byte as an event's or as damage.
#include <cstdlib>

#include "harness/sink/testing/test_events.h"
#include "providers/shared/readback/event_stream.h"
#include "providers/shared/readback/line_events.h"

namespace {

using namespace tailgate;

Record read_whole(Consumer& consumer, EventEncoding encoding) {
  Record record(encoding);
  while (consumer.poll(record) > 0) {
  }
  consumer.finish(record);
  return record;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TestDirectory directory;
  const std::filesystem::path path = directory.path() / "events";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  for (const EventEncoding encoding : {EventEncoding::binary, EventEncoding::text}) {
    EventStreamConsumer appended(path, encoding, FileGrowth::append);
    const Record record = read_whole(appended, encoding);
    if (record.event_bytes + record.damaged_bytes != size) std::abort();
    EventStreamConsumer in_place(path, encoding, FileGrowth::in_place);
    const Record found = read_whole(in_place, encoding);
    if (found.event_bytes + found.damaged_bytes > size) std::abort();
    if (found.sequences != record.sequences) std::abort();
  }
  LineEventsConsumer lines(path);
  const Record record = read_whole(lines, EventEncoding::text);
  if (record.event_bytes + record.damaged_bytes > size) std::abort();
  return 0;
}
