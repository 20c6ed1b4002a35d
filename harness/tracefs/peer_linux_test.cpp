// Checks that RingPage reads the same records as libtraceevent, from captured pages and, as root,
// from pages that the running kernel writes.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "harness/base/testing/test_directory.h"
#include "harness/sink/testing/test_events.h"
#include "harness/tracefs/event_format.h"
#include "harness/tracefs/instance.h"
#include "harness/tracefs/peer_reader.h"
#include "harness/tracefs/ring_page.h"
#include "harness/tracefs/test_pages.h"

namespace tailgate::tracefs {
namespace {

using Pages = std::vector<std::vector<std::byte>>;

// What a reader finds in one page.
struct Reading {
  std::vector<std::uint64_t> ticks;
  std::vector<std::ptrdiff_t> offsets;
  std::vector<std::size_t> sizes;
  long long missed = 0;  // -1: some, number unknown
  friend bool operator==(const Reading&, const Reading&) = default;
};

Reading ours(const PageLayout& layout, const std::vector<std::byte>& bytes) {
  RingPage page(layout, bytes);
  Reading reading;
  for (RingRecord record; page.next(record);) {
    reading.ticks.push_back(record.ticks);
    reading.offsets.push_back(record.data.data() - bytes.data());
    reading.sizes.push_back(record.data.size());
  }
  if (page.missed()) {
    reading.missed = page.missed_events() ? static_cast<long long>(*page.missed_events()) : -1;
  }
  CHECK(page.damaged_bytes() == 0);
  return reading;
}

Reading theirs(std::vector<std::byte> bytes) {
  const PeerPages pages = peer_pages();
  REQUIRE(kbuffer_load_subbuffer(pages.get(), bytes.data()) == 0);
  Reading reading;
  reading.missed = kbuffer_missed_events(pages.get());
  unsigned long long ticks = 0;
  for (void* data = kbuffer_read_event(pages.get(), &ticks); data != nullptr;
       data = kbuffer_next_event(pages.get(), &ticks)) {
    reading.ticks.push_back(ticks);
    reading.offsets.push_back(static_cast<const std::byte*>(data) - bytes.data());
    reading.sizes.push_back(static_cast<std::size_t>(kbuffer_event_size(pages.get())));
  }
  return reading;
}

// Checks that both readers agree on every page; returns the number of records.
std::size_t compare(const PageLayout& layout, const Pages& pages) {
  std::size_t records = 0;
  for (const std::vector<std::byte>& page : pages) {
    const Reading reading = ours(layout, page);
    CHECK(reading == theirs(page));
    records += reading.ticks.size();
  }
  return records;
}

// Binds this thread to one processor, so that all events go into one buffer.
void stay_here() {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
  sched_setaffinity(0, sizeof here, &here);
}

Pages read_pages(const TraceFolder& instance, std::size_t page_bytes) {
  Pages pages;
  for (const std::string& cpu : instance.folders_in("per_cpu")) {
    const Handle file = instance.open("per_cpu/" + cpu + "/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
    std::vector<std::byte> page(page_bytes);
    while (read(file.native(), page.data(), page.size()) > 0) pages.push_back(page);
  }
  return pages;
}

void write_markers(const TraceFolder& instance, int count) {
  const Handle raw = instance.open("trace_marker_raw", O_WRONLY);
  const Handle text = instance.open("trace_marker", O_WRONLY);
  for (int i = 0; i < count; ++i) {
    const auto size = static_cast<std::size_t>(32 + i * 7 % 900);
    const std::string event = event_text(static_cast<std::uint64_t>(i), size);
    REQUIRE(write(raw.native(), event.data(), size) == static_cast<ssize_t>(size));
    REQUIRE(write(text.native(), event.data() + 32, size - 32) >= 0);
    // Longer than a delta of 27 bits can express at any clock faster than 1.4 GHz.
    if (i % 200 == 100) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

TEST_CASE("captured pages are read as libtraceevent reads them") {
  Pages pages;
  for (const char* name : {"raw-0", "text-0", "overrun-0", "overrun-1", "overrun-2"}) {
    pages.push_back(captured_page(name));
  }
  CHECK(compare({}, pages) == 16 + 9 + 104);
}

TEST_CASE("live pages are read as libtraceevent reads them, and read and missed events add up") {
  const Probe probe = probe_tracefs();
  if (!probe.available) {
    WARN("skipped: " << probe.reason << "; " << probe.remedy);
    return;
  }
  constexpr int kMarkers = 600;
  const bool small = GENERATE(false, true);
  const ClockKind clock = GENERATE(ClockKind::tsc, ClockKind::os_monotonic);
#if !defined(__x86_64__)
  if (clock == ClockKind::tsc) return;
#endif
  const TestDirectory directory;
  std::thread([&] {
    stay_here();
    const Instance instance(
        directory.path(),
        {.buffer_bytes = small ? 16384u : 4u << 20, .overwrite = true, .clock = clock});
    const TraceFolder folder = open_instance(directory.path());
    const PageLayout layout =
        parse_page_layout(folder.read("events/header_page"), folder.read("events/header_event"));
    write_markers(folder, kMarkers);
    const Pages pages = read_pages(folder, layout.page_bytes);
    const std::size_t records = compare(layout, pages);
    const BufferCounts counts = buffer_counts(instance.folder());
    const std::uint64_t overrun = counts.overrun_events;
    CHECK((overrun > 0) == small);
    CHECK(records + overrun == 2 * kMarkers);
    CHECK(counts.kept_events == 0);
    std::uint64_t missed = 0;
    bool all_told = true;
    for (const std::vector<std::byte>& bytes : pages) {
      const RingPage page(layout, bytes);
      missed += page.missed_events().value_or(0);
      all_told = all_told && (!page.missed() || page.missed_events());
    }
    if (all_told) CHECK(missed == overrun);
  }).join();
}

TEST_CASE("the running kernel's formats are read as libtraceevent reads them") {
  const Probe probe = probe_tracefs();
  if (!probe.available) {
    WARN("skipped: " << probe.reason << "; " << probe.remedy);
    return;
  }
  const TraceFolder root = TraceFolder::root();
  const std::unique_ptr<tep_handle, void (*)(tep_handle*)> tep(tep_alloc(), tep_free);
  for (const char* name : {"raw_data", "print"}) {
    const std::string text = root.read(std::string("events/ftrace/") + name + "/format");
    const EventFormat format = parse_event_format(text);
    REQUIRE(tep_parse_event(tep.get(), text.data(), text.size(), "ftrace") == TEP_ERRNO__SUCCESS);
    tep_event* const event = tep_find_event_by_name(tep.get(), "ftrace", name);
    REQUIRE(event != nullptr);
    CHECK(format.name == event->name);
    CHECK(format.id == event->id);
    for (const FormatField& field : format.fields) {
      INFO(name << "." << field.name);
      const tep_format_field* const theirs = tep_find_any_field(event, field.name.c_str());
      REQUIRE(theirs != nullptr);
      CHECK(field.offset_bytes == static_cast<std::size_t>(theirs->offset));
      CHECK(field.size_bytes == static_cast<std::size_t>(theirs->size));
    }
  }
}

}  // namespace
}  // namespace tailgate::tracefs
