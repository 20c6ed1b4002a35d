// The system calls of this machine's kernel in which a logging path may spend time.
#pragma once

#include <vector>

#include "harness/activity/records.h"

namespace tailgate::activity {

std::vector<SystemCallFact> system_call_facts();

}  // namespace tailgate::activity
