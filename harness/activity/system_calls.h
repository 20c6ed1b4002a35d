// The system calls of this machine's kernel that a logging path may spend its time in.
#pragma once

#include <vector>

#include "harness/activity/records.h"

namespace tailgate::activity {

std::vector<SystemCallFact> system_call_facts();

}  // namespace tailgate::activity
