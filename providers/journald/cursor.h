// The journal's cursor text. libsystemd 252 gives an entry's sequence number only in there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tailgate::journald {

// The number in the field i= (hexadecimal) of "s=…;i=1f;b=…;m=…;t=…;x=…", or nothing when that
// field is missing. Format: systemd's journal-api, sd_journal_get_cursor(3). Safe for any bytes.
std::optional<std::uint64_t> cursor_sequence(std::string_view cursor);

}  // namespace tailgate::journald
