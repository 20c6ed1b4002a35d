// The parser of /proc/stat (proc_stat(5)), so that tests can provide its text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tailgate {

// The ticks of the processor's column "steal"; nothing if the text does not have it.
std::optional<std::uint64_t> stolen_ticks(std::string_view proc_stat, int cpu);

}  // namespace tailgate
