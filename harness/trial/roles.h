// The main functions of the processes that the controller starts. Their arguments come from
// it; users never call them.
#pragma once

#include <optional>
#include <string>

namespace tailgate {

// Words that select the roles on the command line, followed by the shared memory's handle.
inline constexpr const char* kProviderCommand = "provider-process";
inline constexpr const char* kConsumerCommand = "consumer-process";
inline constexpr const char* kVictimCommand = "victim-process";

// Opens the sink, waits for the start, runs the load threads, closes. Exit code 0 unless an error
// kept it from loading; the error's text is then in the shared memory.
int run_provider_process(const std::string& shared_memory_handle);

// Reads the events back, keeps the ledger, until the session is over and nothing is left to read.
int run_consumer_process(const std::string& shared_memory_handle);

// Does a fixed piece of work again and again and counts the rounds, until it is ended.
int run_victim_process(const std::string& shared_memory_handle);

// What a program's main function asks first: runs the role that the arguments name, if they name
// one, and returns its exit code. Remembers the processors that this process was given.
std::optional<int> run_role(int argc, char** argv);

}  // namespace tailgate
