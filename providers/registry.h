// Every sink of this build, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/sink.h"

namespace tailgate {

// All sinks, in the order in which they are listed. The objects live for ever.
const std::vector<const SinkType*>& all_sinks();

// The sink that does nothing with its events: what the harness measures its own cost on.
const SinkType& floor_sink();

// Throws Error that lists the known names (the nearest first).
const SinkType& find_sink(std::string_view name);

// Has every sink sweep; what cannot be removed stays for the next run.
void sweep_dead_sessions();

// A sink with its options: "file:mode=mmap:sync_every=100". With an option that begins with
// "plant_" type is that sink with a change planted into it (providers/planted/planted.h).
struct SinkChoice {
  const SinkType* type;
  Options options;
  std::string text;  // as given, the label of plots and file names
};

// Throws Error on an unknown sink, a malformed pair or a bad option.
SinkChoice parse_sink_choice(std::string_view text);

// "null,file:mode=mmap" -> two choices. Throws Error on an empty list or a sink named twice alike.
std::vector<SinkChoice> parse_sink_list(std::string_view text);

}  // namespace tailgate
