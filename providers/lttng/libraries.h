// The sink's two small shared libraries: the tracepoint and the clock.
#pragma once

#include <filesystem>

namespace tailgate::lttng_detail {

// Finds a library by its file name: beside the installed program (bin/../lib/tailgate/lttng), or,
// for a program that runs where it was built, in the build folder. Empty when it is in neither.
std::filesystem::path find_library(const char* file_name);

inline constexpr const char* kTracepointLibrary = "libtailgate_lttng_tracepoint.so";
inline constexpr const char* kClockLibrary = "libtailgate_lttng_clock.so";

}  // namespace tailgate::lttng_detail
