// Functions' names as people write them: "ns::f(int)" for "_ZN2ns1fEi" and "?f@ns@@YAXH@Z".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate::etl {

inline constexpr std::size_t kMaxDemangledBytes = 1 << 20;

// A name that GCC, Clang and other compilers of the Itanium C++ ABI mangled; any other stays as it
// is, and so does one that has more than 4,096 bytes, or that may become more than 1 MB: names
// refer to their own parts, so a hostile one of 200 bytes could fill memory.
std::string demangled(std::string_view name);

// Replaces names that Microsoft's compiler decorated, by the program llvm-undname (Debian: llvm).
// All stay as they are where PATH does not have it, or when it fails, and so do those beyond 16 MB
// of what it says.
void undecorate(const std::vector<std::string*>& names);

}  // namespace tailgate::etl
