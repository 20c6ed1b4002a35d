// The journal's cursor text, which is how libsystemd 252 tells an entry's sequence number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tailgate::journald {

// The number in the field i= (hexadecimal) of "s=…;i=1f;b=…;m=…;t=…;x=…"; nothing when there is
// none. Format: systemd's journal-api, sd_journal_get_cursor(3). Any bytes are safe.
std::optional<std::uint64_t> cursor_sequence(std::string_view cursor);

}  // namespace tailgate::journald
