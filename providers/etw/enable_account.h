// What of the commands that a session sends to its provider arrives in the provider's callback, and
// with which arguments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/sink/sink.h"
#include "providers/etw/enable_state.h"

namespace tailgate::etw {

// As sent by EnableTraceEx2, or as told by the callback.
struct EnableCommand {
  EnableCode code = EnableCode::disable;
  std::uint8_t level = 0;
  std::uint64_t any = 0;      // keywords, of which an event must have one
  std::uint64_t all = 0;      // … and which it must have all
  std::uint32_t number = 0;   // in the filter data; 0: it has none
  std::uint64_t sent_ns = 0;  // when EnableTraceEx2 had returned, on the run clock; else 0
};

struct Told {
  std::vector<EnableCommand> commands;
  std::uint64_t closed_ns = 0;  // when the provider began to close: it is told nothing more
};

// Compares them, each in order; without those sent when the provider had gone. Only where no other
// session has the provider: Windows tells what all sessions together want.
CommandsTold account_of(const std::vector<EnableCommand>& sent, const Told& told);

// The provider writes down what it was told, and the session reads that; nothing where there is no
// such file.
void write_told(const std::filesystem::path& path, const Told& told);
std::optional<Told> read_told(const std::filesystem::path& path);

}  // namespace tailgate::etw
