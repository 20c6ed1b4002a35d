// How a session is made to listen to its provider, or not, while it runs.
#pragma once

#include "harness/base/enum_text.h"

namespace tailgate {

enum class SwitchWay {
  session,  // it enables or disables the provider's events as a whole
  level,    // its level takes the events in or leaves them out
  keyword,  // its keywords do
};
template <>
inline constexpr auto kEnumTexts<SwitchWay> =
    enum_texts<SwitchWay>({{SwitchWay::session, "session"},
                           {SwitchWay::level, "level"},
                           {SwitchWay::keyword, "keyword"}});

}  // namespace tailgate
