// The two small shared libraries that belong to the sink: the tracepoint and the clock.
#pragma once

#include <filesystem>

namespace tailgate::lttng_detail {

// Where the library of that file name is: beside the installed program (bin/../lib/tailgate), else
// where it was built; empty when it is in neither place.
std::filesystem::path find_library(const char* file_name);

inline constexpr const char* kTracepointLibrary = "libtailgate_lttng_tracepoint.so";
inline constexpr const char* kClockLibrary = "libtailgate_lttng_clock.so";

}  // namespace tailgate::lttng_detail
