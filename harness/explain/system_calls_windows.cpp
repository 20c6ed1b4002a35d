#include "harness/explain/system_calls.h"

namespace tailgate::activity {

// System call numbers differ between versions of Windows, and no trace here records them.
std::vector<SystemCallFact> system_call_facts() {
  return {};
}

}  // namespace tailgate::activity
