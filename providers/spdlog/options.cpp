#include "providers/spdlog/options.h"

namespace tailgate::spdlog_detail {

OptionTable options() {
  return {
      {"mode",
       OptionType::choice,
       "sync",
       "who writes: the caller, or a worker with a queue that blocks or overruns when full",
       0,
       0,
       {"sync", "async_block", "async_overrun"}},
      {"queue_events", OptionType::integer, "8192", "async: capacity of the queue, in messages", 1,
       16 << 20},
      {"pattern",
       OptionType::choice,
       "message",
       "what a line holds: the message alone, or the library's default of time, logger, level "
       "and message",
       0,
       0,
       {"message", "default"}},
      {"format",
       OptionType::choice,
       "none",
       "who makes the text: it is ready; lazy: the library, from arguments, if its level lets the "
       "message in; eager: the program, before each call, whatever the level",
       0,
       0,
       {"none", "lazy", "eager"}},
      {"flush_each", OptionType::boolean, "false",
       "flush the C library's buffer after every message, not only when it is full"},
      {"level",
       OptionType::choice,
       "info",
       "the logger's level; the provider writes info, so with off each call finds that nobody "
       "listens and returns",
       0,
       0,
       {"info", "off"}},
      {"max_bytes", OptionType::integer, "0",
       "rotating files that have so many bytes together (0: one file that grows)", 0, 1e12},
      {"files_count", OptionType::integer, "4", "with max_bytes: how many files", 2, 1000},
  };
}

}  // namespace tailgate::spdlog_detail
