// The functions in which time was spent, as text for a terminal.
#pragma once

#include <string>

#include "harness/result/profile.h"

namespace tailgate {

// By role, and of slow calls; why there are none, if so.
std::string profile_text(const Profile& profile);

}  // namespace tailgate
