// Finds the program's own files, independent of the current folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tailgate {

// Returns the path of the running program. Throws Error if the system does not provide it.
std::filesystem::path executable_path();

// Whether the program lies in the folder where it was built. Only then does it use what lies at
// paths that the build fixed: elsewhere somebody else may have put a library or a script there.
bool runs_from_build_folder();

// Returns the folder that contains scenarios/ (presets) and plots/ (scripts): TAILGATE_DATA_DIR if
// set, else the data folder of the program's installation (bin/../share/tailgate), else, for a
// program that runs where it was built, the source tree. Throws Error if none of them has a folder
// scenarios.
std::filesystem::path data_dir();

// Returns the first words of a command that runs this script of plots/: the Python interpreter, so
// that it writes no byte code beside the script, and the script. The interpreter is TAILGATE_PYTHON
// if set, else the one with matplotlib that the build found, else "python3"; an installed program
// uses the one of the build only if it is the system's. Throws Error as data_dir() does.
std::vector<std::string> plot_command(const std::string& script);

// Returns the path of a program or a library of this program's own that it hands to others: from
// its installation (bin/../lib/tailgate), or, for a program that runs where it was built, from the
// build folder. Throws Error if it is not there.
std::filesystem::path own_helper(const std::string& name);

// Makes the choice of data_dir() from given paths. environment: value of the variable, empty if
// unset. source: empty if the source tree may not be used.
std::filesystem::path choose_data_dir(const std::string& environment,
                                      const std::filesystem::path& executable,
                                      const std::filesystem::path& source);

// Makes the choice of plot_command(). environment: as above. found: by the build, may be gone.
std::string choose_python(const std::string& environment, const std::filesystem::path& found,
                          bool in_build_folder);

}  // namespace tailgate
