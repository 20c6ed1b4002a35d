// The main functions of the processes that the controller starts. Users never start them.
#pragma once

#include <optional>
#include <string>

#include "harness/sink/catalog.h"

namespace tailgate {

// The command-line words that select a role; the shared memory's handle follows.
inline constexpr const char* kProviderCommand = "provider-process";
inline constexpr const char* kConsumerCommand = "consumer-process";
inline constexpr const char* kVictimCommand = "victim-process";

// process: its number among the trial's provider processes, which follows the handle where it is
// not the first, 0. Opens the sink, waits for the start, runs the load threads, and closes the
// sink. Returns exit code 0, or 1 if an error prevented the load; the error's text is then in the
// shared memory.
int run_provider_process(const SinkCatalog& sinks, const std::string& shared_memory_handle,
                         unsigned process);

// Reads the events back and keeps the ledger, until the session is over and nothing is left to
// read. number: 0 for the trial's own, else of one that a scenario started.
int run_consumer_process(const SinkCatalog& sinks, const std::string& shared_memory_handle,
                         unsigned number);

// Repeats a fixed piece of work and counts the rounds until it is killed.
int run_victim_process(const std::string& shared_memory_handle);

// Call it first in main(). If the arguments name a role, runs it and returns its exit code. Also
// remembers the processors that this process may use.
std::optional<int> run_role(const SinkCatalog& sinks, int argc, char** argv);

}  // namespace tailgate
