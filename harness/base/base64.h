// Base64 as RFC 4648 section 4 defines it: the standard alphabet, padded, no line breaks.
#pragma once

#include <string>
#include <string_view>

namespace tailgate {

std::string to_base64(std::string_view bytes);

// Throws Error that names the first invalid character, and for a length that is not a multiple of
// four or for bits set beyond the last byte.
std::string from_base64(std::string_view text);

}  // namespace tailgate
