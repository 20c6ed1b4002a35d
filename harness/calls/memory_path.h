// The path under which a program that tailgate starts finds shared memory.
#pragma once

#include <string>

#include "harness/os/shared_memory.h"

namespace tailgate {

// Valid as long as this process holds the memory, for programs of the same user. Unlike an
// inherited descriptor it survives a program that closes all of them before it starts another.
// (memory_path_linux.cpp; memory_path_windows.cpp throws Error, since marks do nothing there)
std::string memory_path(const SharedMemory& memory);

}  // namespace tailgate
