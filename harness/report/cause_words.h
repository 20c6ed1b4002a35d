// The causes of a call's time (CallSlice in harness/result/explanation.h) in words.
#pragma once

#include <string>

namespace tailgate {

// At most 35 columns; a cause that has no words yet is returned as it is, cut.
std::string words_for_cause(const std::string& cause);

}  // namespace tailgate
