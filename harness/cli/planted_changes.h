// The changes with known answers that `tailgate selftest` plants: providers/planted/ says what each
// option does, ci/CALIBRATION.md what came of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tailgate {

// Whether a gate is right when it fails.
enum class MustDetect {
  no,      // the sides do not differ: a fail is a false alarm
  either,  // the difference is at a margin, or it depends on the sink whether it is beyond one
  yes,     // a pass has missed it
};

// What a side without a change has, so that both have the wrapper.
inline constexpr const char* kNothingPlanted = "plant_slower_percent=0";
// Its options follow from what the sink uses.
inline constexpr const char* kDaemonChange = "daemon-10";

struct PlantedChange {
  const char* name;
  const char* options;  // of side B
  MustDetect must_detect;
  const char* help;
  const char* setting = "";  // of the scenario, for both sides; "": as for other changes
};

// All of them, nothing planted first.
std::span<const PlantedChange> planted_changes();

// Throws Error, which names all, when there is none of that name.
const PlantedChange& find_planted_change(std::string_view name);

// One line for each: name, whether it must be detected, help.
std::string planted_changes_help();

}  // namespace tailgate
