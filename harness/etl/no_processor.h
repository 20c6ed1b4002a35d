// The processor of records that no processor wrote.
#pragma once

#include <cstdint>

namespace tailgate::etl {

// The highest number that a buffer's header can name. Traces that event_log.h makes have it.
inline constexpr std::uint16_t kNoProcessor = 0x7FF;

}  // namespace tailgate::etl
