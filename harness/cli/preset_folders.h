// The folders of this installation's presets and suites.
#pragma once

#include <filesystem>
#include <vector>

namespace tailgate {

std::vector<std::filesystem::path> preset_folders();

}  // namespace tailgate
