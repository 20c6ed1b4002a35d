// Tells the code of the system's libraries from that of the program and its own libraries.
#pragma once

#include <string_view>

namespace tailgate {

// Whether the module is the C or C++ library, their loader, or the kernel's code in a process.
bool is_of_system(std::string_view module);

// Whether the function is a container or another template of the C++ library, which is compiled
// into the program.
bool is_of_container(std::string_view function);

}  // namespace tailgate
