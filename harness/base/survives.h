// What the events survive that a sink has accepted.
#pragma once

#include "harness/base/enum_text.h"

namespace tailgate {

// Each includes those before it.
enum class Survives {
  nothing,  // events may still be in the program, or are not kept
  kill,     // the program's death at any moment (SIGKILL)
  crash,    // the system's crash or a power failure, too
};
template <>
inline constexpr auto kEnumTexts<Survives> = enum_texts<Survives>({{Survives::nothing, "nothing"},
                                                                   {Survives::kill, "kill"},
                                                                   {Survives::crash, "crash"}});

}  // namespace tailgate
