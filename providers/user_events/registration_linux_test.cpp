// Tests what the user_events sink writes to the kernel, and that the reader finds the event in the
// record that the kernel makes of it, by the kernel's documented rules. Few machines have a kernel
// with user_events, so the kernel is replaced.
#include "providers/user_events/registration_linux.h"

#include <catch2/catch.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "harness/sink/testing/test_events.h"
#include "harness/tracefs/event_format.h"
#include "harness/tracefs/instance.h"
#include "harness/tracefs/ring_page.h"
#include "harness/tracefs/test_pages.h"
#include "providers/testing/sinks.h"

namespace tailgate::user_events {
namespace {

constexpr std::uint32_t kWriteIndex = 3;
constexpr std::size_t kMaxBytes = 4060;

// Stands in for user_events_data: keeps what is written to it, one write after another.
class Kernel {
 public:
  Kernel() : file_(memfd_create("user_events_data", 0)) {}
  int file() const { return file_.native(); }

  std::string written() {
    std::string bytes(static_cast<std::size_t>(lseek(file_.native(), 0, SEEK_CUR)), '\0');
    REQUIRE(pread(file_.native(), bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()));
    return bytes;
  }

 private:
  tracefs::Handle file_;
};

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST_CASE("the registration has the layout of the kernel's user_reg") {
  CHECK(offsetof(Registration, enable_bit) == 4);
  CHECK(offsetof(Registration, enable_size) == 5);
  CHECK(offsetof(Registration, flags) == 6);
  CHECK(offsetof(Registration, enable_addr) == 8);
  CHECK(offsetof(Registration, name_args) == 16);
  CHECK(offsetof(Registration, write_index) == 24);
  if constexpr (sizeof(void*) == 8) {
    CHECK(kRegister == 0xC0082A00);
    CHECK(kDelete == 0x40082A01);
  }
}

TEST_CASE("an event's name contains the pid of its process") {
  const std::string name = event_name(tracefs::instance_name());
  CHECK(name.find('-') == std::string::npos);
  CHECK(tracefs::owner_pid(name, '_') == getpid());
}

TEST_CASE("an event is written as index, location and bytes and read from the kernel's record") {
  const std::size_t size = GENERATE(32u, 33u, 64u, 1000u, kMaxBytes);
  Kernel kernel;
  const std::atomic<std::uint32_t> enabled = 1;
  const EventWriter writer(kernel.file(), kWriteIndex, enabled, kMaxBytes);
  const std::string event = event_text(5, size);
  REQUIRE(writer.write(bytes_of(event)) == kAccepted);
  const std::string written = kernel.written();
  REQUIRE(written.size() == 8 + size);
  std::uint32_t index;
  std::memcpy(&index, written.data(), sizeof index);
  CHECK(index == kWriteIndex);

  // The kernel replaces the index by its common fields.
  const std::string record = std::string{'\x45', '\x06', 0, 0, 1, 2, 3, 4} + written.substr(4);
  const tracefs::RecordFormat format =
      tracefs::record_format(tracefs::user_event_format(), kField, tracefs::Carriage::located);
  tracefs::PageWriter page(1);
  page.header(0, 0);
  page.word(static_cast<std::uint32_t>((record.size() + 3) / 4 * 4 + 4));
  page.data(record + std::string((4 - record.size() % 4) % 4, '\0'));
  const std::vector<std::byte> bytes = page.page();
  tracefs::RingPage ring({}, bytes);
  tracefs::RingRecord found;
  REQUIRE(ring.next(found));
  std::span<const std::byte> back;
  REQUIRE(find_event(format, found.data, back) == tracefs::Found::event);
  CHECK(tracefs::text_of(back) == event);
  CHECK_FALSE(ring.next(found));
  CHECK(ring.damaged_bytes() == 0);
}

TEST_CASE("a disabled event or one that the kernel would drop silently is not written") {
  Kernel kernel;
  std::atomic<std::uint32_t> enabled = 0;
  const EventWriter writer(kernel.file(), kWriteIndex, enabled, kMaxBytes);
  CHECK(writer.write(bytes_of(event_text(0, 64))) == EventWriter::kNotEnabled);
  enabled = 1;
  CHECK(writer.write(bytes_of(event_text(0, kMaxBytes + 1))) == EventWriter::kTooLong);
  CHECK(kernel.written().empty());
  const EventWriter closed(-1, kWriteIndex, enabled, kMaxBytes);
  CHECK(closed.write(bytes_of(event_text(0, 64))) == EventWriter::kNotTaken);
}

TEST_CASE("the error for a kernel without user_events names what is missing") {
  const SinkChoice sink = sink_choice("user_events");
  const Probe probe = sink.type->probe(sink.options);
  if (probe.available) return;
  CHECK_FALSE(probe.reason.empty());
  if (!tracefs::probe_tracefs().available) return;
  CHECK_THAT(probe.reason, Catch::Contains("user_events_data"));
  CHECK_THAT(probe.remedy, Catch::Contains("CONFIG_USER_EVENTS"));
}

}  // namespace
}  // namespace tailgate::user_events
