// All sinks, for tests.
#pragma once

#include <string_view>

#include "providers/all.h"

namespace tailgate {

// Made once a test program.
inline const SinkCatalog& test_sinks() {
  static const struct AllSinks : SinkCatalog {
    AllSinks() { add_all_sinks(*this); }
  } sinks;
  return sinks;
}

inline SinkChoice sink_choice(std::string_view text) {
  return test_sinks().choice(text);
}

}  // namespace tailgate
