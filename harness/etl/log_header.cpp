#include "harness/etl/log_header.h"

#include <limits>

#include "harness/etl/kernel_hooks.h"
#include "harness/etl/text.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kNamesAt = 0x38;
constexpr std::size_t kClockBytes = 0x20;  // BootTime .. BuffersLost
// A rate outside these bounds is damage: one tick per second, and one per 10 ps.
constexpr std::int64_t kMaxClockHz = 100'000'000'000;

std::int64_t usable_hz(std::int64_t hz) {
  return hz >= 1 && hz <= kMaxClockHz ? hz : kFiletimeTicksPerSecond;
}

std::int64_t clamp_to_int64(double value) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  if (value >= 9.2e18) return kMax;
  if (value <= -9.2e18) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

// Computes ticks * units_per_second / ticks_per_second in integers. Whole seconds and the rest are
// converted separately, so that the product fits 64 bits for every rate that usable_hz() accepts.
std::int64_t rescale(std::int64_t ticks, std::int64_t ticks_per_second,
                     std::int64_t units_per_second) {
  std::int64_t seconds = ticks / ticks_per_second;
  std::int64_t rest = ticks % ticks_per_second;
  if (seconds > 9'000'000'000 || seconds < -9'000'000'000) {
    return clamp_to_int64(static_cast<double>(seconds) * static_cast<double>(units_per_second));
  }
  double exact_enough = static_cast<double>(rest) * static_cast<double>(units_per_second);
  std::int64_t fraction =
      exact_enough < 9e18 && exact_enough > -9e18
          ? rest * units_per_second / ticks_per_second
          : clamp_to_int64(exact_enough / static_cast<double>(ticks_per_second));
  return seconds * units_per_second + fraction;
}

std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

void parse_fixed_part(const std::uint8_t* at, LogFileHeader& header) {
  header.buffer_bytes = load<std::uint32_t>(at);
  header.os_major = at[4];
  header.os_minor = at[5];
  header.format_major = at[6];
  header.format_minor = at[7];
  header.os_build = load<std::uint32_t>(at + 0x08);
  header.processors = load<std::uint32_t>(at + 0x0C);
  header.end_filetime = load<std::int64_t>(at + 0x10);
  header.timer_resolution_100ns = load<std::uint32_t>(at + 0x18);
  header.max_file_mb = load<std::uint32_t>(at + 0x1C);
  header.mode = load<std::uint32_t>(at + 0x20);
  header.buffers_written = load<std::uint32_t>(at + 0x24);
  header.start_buffers = load<std::uint32_t>(at + 0x28);
  header.pointer_bytes = load<std::uint32_t>(at + 0x2C);
  header.events_lost = load<std::uint32_t>(at + 0x30);
  header.cpu_mhz = load<std::uint32_t>(at + 0x34);
}

void parse_clock_part(const std::uint8_t* at, LogFileHeader& header) {
  header.boot_filetime = load<std::int64_t>(at);
  header.clock_hz = load<std::int64_t>(at + 0x08);
  header.start_filetime = load<std::int64_t>(at + 0x10);
  auto clock = load<std::uint32_t>(at + 0x18);
  header.clock_type =
      clock == 2 || clock == 3 ? static_cast<ClockType>(clock) : ClockType::performance_counter;
  header.buffers_lost = load<std::uint32_t>(at + 0x1C);
}

}  // namespace

std::optional<LogFileHeader> parse_log_header(const Record& record, std::uint32_t header_state) {
  if (record.kind != RecordKind::system || hook_id(record) != kHookLogFileHeader) {
    return std::nullopt;
  }
  RecordHeader record_header = decode_header(record);
  Bytes payload = record_header.payload;
  std::size_t time_zone_at = kNamesAt + 2u * record.pointer_bytes;
  std::size_t clock_at = align8(time_zone_at + TimeZone::kBytes);
  if (payload.size() < clock_at + kClockBytes) return std::nullopt;
  LogFileHeader header;
  parse_fixed_part(payload.data(), header);
  header.time_zone = TimeZone::load_from(payload.data() + time_zone_at);
  parse_clock_part(payload.data() + clock_at, header);
  header.start_raw = record.time;
  ByteCursor names(payload.subspan(clock_at + kClockBytes));
  header.session_name = utf8_of_utf16(names.take_string16());
  header.log_file_name = utf8_of_utf16(names.take_string16());
  if (header.mode & kModeCompressed) {
    auto format = static_cast<std::uint16_t>(header_state & 0xFFFF);
    header.compression = static_cast<CompressionFormat>(format);
  }
  return header;
}

SessionClock::SessionClock(const LogFileHeader& header)
    : start_raw_(header.start_raw), start_filetime_(header.start_filetime) {
  switch (header.clock_type) {
    case ClockType::performance_counter:
      ticks_per_second_ = usable_hz(header.clock_hz);
      break;
    case ClockType::system_time:
      // The raw clock counts FILETIME, so the start needs no other anchor.
      start_filetime_ = header.start_raw;
      break;
    case ClockType::cpu_cycles:
      ticks_per_second_ = usable_hz(std::int64_t{header.cpu_mhz} * 1'000'000);
      break;
  }
}

std::int64_t SessionClock::filetime(std::int64_t raw) const {
  std::int64_t elapsed =
      rescale(difference(raw, start_raw_), ticks_per_second_, kFiletimeTicksPerSecond);
  double sum = static_cast<double>(elapsed) + static_cast<double>(start_filetime_);
  if (sum > 9.2e18 || sum < -9.2e18) return clamp_to_int64(sum);
  return elapsed + start_filetime_;
}

std::int64_t SessionClock::elapsed_ns(std::int64_t raw) const {
  return rescale(difference(raw, start_raw_), ticks_per_second_, 1'000'000'000);
}

}  // namespace tailgate::etl
