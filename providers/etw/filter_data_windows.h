// The data that a session hands to its provider's callback with an enable: the command's number,
// behind the header that Microsoft defines for filters of a provider's own (EVENT_FILTER_HEADER).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "harness/etw/api_windows.h"

namespace tailgate::etw {

inline constexpr std::size_t kFilterDataBytes = sizeof(EVENT_FILTER_HEADER) + sizeof(std::uint32_t);

using FilterData = std::array<std::uint8_t, kFilterDataBytes>;

inline FilterData filter_data(std::uint32_t number) {
  EVENT_FILTER_HEADER header = {};
  header.Id = 1;
  header.Size = static_cast<ULONG>(kFilterDataBytes);
  FilterData data;
  std::memcpy(data.data(), &header, sizeof header);
  std::memcpy(data.data() + sizeof header, &number, sizeof number);
  return data;
}

// The number in such data; 0 if it is other data, or none.
inline std::uint32_t number_in(const EVENT_FILTER_DESCRIPTOR* filter) noexcept {
  if (filter == nullptr || filter->Type != EVENT_FILTER_TYPE_SCHEMATIZED) return 0;
  if (filter->Ptr == 0 || filter->Size < kFilterDataBytes) return 0;
  std::uint32_t number = 0;
  std::memcpy(&number,
              reinterpret_cast<const std::uint8_t*>(filter->Ptr) + sizeof(EVENT_FILTER_HEADER),
              sizeof number);
  return number;
}

}  // namespace tailgate::etw
