// Finds the program's own files, independent of the current folder.
#pragma once

#include <filesystem>
#include <string>

namespace tailgate {

// Returns the path of the running program. Throws Error if the system does not provide it.
std::filesystem::path executable_path();

// Returns the folder that contains scenarios/ (presets) and plots/ (scripts): TAILGATE_DATA_DIR if
// set, else the data folder of the program's installation (bin/../share/tailgate), else the source
// tree from which the program was built. Throws Error if none of them has a folder scenarios.
std::filesystem::path data_dir();

// Returns the Python interpreter for the plots: TAILGATE_PYTHON if set, else the one with
// matplotlib that the build found, else "python3".
std::string python_program();

// Makes the choice of data_dir() from given paths. environment: value of the variable, empty if
// unset.
std::filesystem::path choose_data_dir(const std::string& environment,
                                      const std::filesystem::path& executable,
                                      const std::filesystem::path& source);

}  // namespace tailgate
