// Where this program finds what belongs to it, from whatever folder it is started.
#pragma once

#include <filesystem>
#include <string>

namespace tailgate {

// The running program's own file. Throws Error when the system does not tell.
std::filesystem::path executable_path();

// The folder that holds scenarios/ (presets) and plots/ (scripts): TAILGATE_DATA_DIR where that is
// set, else the data folder of the installation that the program is in (bin/../share/tailgate),
// else the source tree that the program was built from. Throws Error when none of them has a
// scenarios folder.
std::filesystem::path data_dir();

// The python3 that runs the plots: TAILGATE_PYTHON where that is set, else the one that the build
// found to have matplotlib, else "python3".
std::string python_program();

// What data_dir() decides, from given places; environment is empty when the variable is unset.
std::filesystem::path choose_data_dir(const std::string& environment,
                                      const std::filesystem::path& executable,
                                      const std::filesystem::path& source);

}  // namespace tailgate
