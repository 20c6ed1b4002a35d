// What the loggers of this folder have in common: where they write, and what follows from it.
#pragma once

#include <tailgate/sink.hpp>

#include <cstdint>
#include <string>

namespace loggers {

using namespace tailgate::plugin;

// LOGGER_VERSION: the library's name and version, by CMakeLists.txt.
inline constexpr const char* kVersion = LOGGER_VERSION;

inline constexpr std::uint8_t kClosed = 1;

inline const char* const kDestinations[] = {"file", "null", nullptr};

// Every logger's first option. Loggers write to /dev/null in their own benchmarks.
inline constexpr tailgate_option kDestination = {
    "destination",
    TAILGATE_CHOICE,
    "file",
    "the trial's log, or /dev/null, from which nothing is read back",
    0,
    0,
    kDestinations};

// The file that the logger opens.
inline std::string destination(const Context& context) {
  return context.text("destination") == "null" ? "/dev/null" : context.log_path();
}

// A text logger that can do `more`, and writes lines whose last word is the event.
inline tailgate_abilities lines(const tailgate_context* context, std::uint32_t more) {
  if (Context(*context).text("destination") == "null") {
    return {(more | TAILGATE_TEXT_EVENTS) & ~std::uint32_t{TAILGATE_ACCOUNTS_LOSSES},
            TAILGATE_READ_NOTHING};
  }
  // What a call has written is the kernel's, whatever happens to the process.
  if ((more & TAILGATE_ASYNCHRONOUS) == 0) more |= TAILGATE_SURVIVES_KILL;
  return {more | TAILGATE_TEXT_EVENTS | TAILGATE_LIVE_READ, TAILGATE_READ_LINES};
}

// What a call can do whose event is written later, by a thread of the logger.
inline constexpr std::uint32_t kWorker = TAILGATE_ASYNCHRONOUS | TAILGATE_DEFERRED_WORK;

// Of a logger with the options mode, "sync" or one with a thread behind a queue, and flush_each.
template <std::uint32_t more>
tailgate_abilities lines_by_mode(const tailgate_context* context) {
  const Context given(*context);
  if (given.text("mode") != "sync") return lines(context, more | kWorker);
  return lines(context, given.boolean("flush_each") ? more : more | TAILGATE_ASYNCHRONOUS);
}

}  // namespace loggers
