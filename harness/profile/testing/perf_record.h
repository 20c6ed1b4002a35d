// Builds records of the kernel's perf rings, as perf_event_open(2) lays them out.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tailgate::profile {

class PerfRecord {
 public:
  explicit PerfRecord(std::uint32_t type, std::uint16_t misc = 0) {
    add(perf_event_header{.type = type, .misc = misc, .size = 0});
  }

  template <class Value>
  PerfRecord& add(const Value& value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }

  // Writes the record's size into its header.
  const std::vector<std::byte>& finish() {
    const auto size = static_cast<std::uint16_t>(bytes_.size());
    std::memcpy(bytes_.data() + offsetof(perf_event_header, size), &size, sizeof size);
    return bytes_;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace tailgate::profile
