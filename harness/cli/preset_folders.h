// Where the presets and suites of this installation lie.
#pragma once

#include <filesystem>
#include <vector>

namespace tailgate {

std::vector<std::filesystem::path> preset_folders();

}  // namespace tailgate
