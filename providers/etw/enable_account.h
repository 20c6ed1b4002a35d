// Compares the commands that a session sends to its provider with those that the provider's
// callback receives, arguments included.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/sink/sink.h"
#include "providers/etw/enable_state.h"

namespace tailgate::etw {

// One command: as the session passed it to EnableTraceEx2, or as the provider's callback received
// it.
struct EnableCommand {
  EnableCode code = EnableCode::disable;
  std::uint8_t level = 0;
  std::uint64_t any = 0;     // an event must have one of these keywords …
  std::uint64_t all = 0;     // … and all of these
  std::uint32_t number = 0;  // the command's number in its filter data; 0: without filter data
  // Of a sent command: when EnableTraceEx2 returned, on the run clock. Of a received one: 0.
  std::uint64_t sent_ns = 0;
};

// What one provider process received.
struct Told {
  std::vector<EnableCommand> commands;
  std::uint64_t closed_ns = 0;  // when the provider began to close; it receives nothing later
};

// Counts which sent commands were received, and with which arguments. Both lists are in order of
// time; commands that were sent after the provider had closed do not count. Only valid while one
// session enables the provider: with several, Windows passes the callback the combination of all
// sessions' levels and keywords.
CommandsTold account_of(const std::vector<EnableCommand>& sent, const Told& told);

// The provider process writes the commands that it received into a file, which the session's
// process reads. read_told returns nothing if the file does not exist.
void write_told(const std::filesystem::path& path, const Told& told);
std::optional<Told> read_told(const std::filesystem::path& path);

}  // namespace tailgate::etw
