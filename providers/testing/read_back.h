// Helpers for tests of wrapped sinks: emit events, change the stored files, read all events back.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "harness/base/file_text.h"
#include "providers/testing/test_trial.h"

namespace tailgate {

// Calls change(text) with the text of each of the trial's files, and stores what it changed. change
// returns whether it changed the text. Returns whether any file was changed.
template <class Change>
bool change_files(const TestTrial& trial, const Change& change) {
  bool changed = false;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(trial.context().directory)) {
    if (!entry.is_regular_file()) continue;
    std::string text = file_text(entry.path());
    if (!change(text)) continue;
    std::ofstream(entry.path(), std::ios::binary) << text;
    changed = true;
  }
  return changed;
}

// Emits some events in each thread, ends provider and session, and reads all events.
inline Record emit_and_read_back(TestTrial& trial, int events_each, unsigned threads) {
  trial.open();
  for (unsigned thread = 0; thread < threads; ++thread) trial.provider().warm_up(thread);
  for (int i = 0; i < events_each; ++i) {
    for (unsigned thread = 0; thread < threads; ++thread) CHECK(trial.emit(thread).empty());
  }
  trial.provider().close();
  trial.session().stop();
  return trial.read_back();
}

// What the provider says of an event that it refuses.
inline std::string cause_of_refusal(TestTrial& trial, std::span<const std::byte> event) {
  const EmitStatus status = trial.provider().emit(0, event);
  REQUIRE(status != kAccepted);
  return trial.provider().refusal_causes().at(status - 1u);
}

}  // namespace tailgate
