// The shared memory of a trial, described by name for a program in another language: where each
// field is, what the load is, and what a field may contain. So the program mirrors no struct, and a
// changed layout breaks none. providers/plugin/drivers/README.md says what each name means.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/trial/processes/trial_sink.h"
#include "harness/trial/trial_memory.h"
#include "harness/trial/written_schedule.h"

namespace tailgate {

// The version of the names and of their meaning; a driver refuses another one.
inline constexpr unsigned kDescriptionVersion = 1;

// Names and values.
using DescriptionLines = std::vector<std::pair<std::string, std::string>>;

// Where the fields are, in bytes from the memory's begin, and the values that they may contain.
DescriptionLines describe_memory(const TrialMemory& memory);

// The plan of the load and the schedule's parts.
DescriptionLines describe_load_for_driver(const TrialPlan& plan, const WrittenSchedule& schedule);

// The sink's options and files, and the clock.
DescriptionLines describe_sink_for_driver(const TrialSink& sink, const DriverProgram& program);

// One line each: the name, a space, the value. Throws Error if a value has a line feed.
std::string description_text(const DescriptionLines& lines);

}  // namespace tailgate
