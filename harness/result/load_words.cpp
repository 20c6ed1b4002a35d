#include "harness/result/load_words.h"

#include <fmt/format.h>

namespace tailgate {

std::string writer_words(unsigned threads, std::optional<unsigned> processes,
                         std::optional<unsigned> sessions, bool own) {
  const unsigned several = processes.value_or(1);
  std::string text;
  if (threads > several) text += fmt::format(", {} threads", threads);
  if (several > 1) text += fmt::format("{}{} processes", text.empty() ? ", " : " in ", several);
  if (own) return text + ", a session each";
  if (sessions.value_or(1) > 1) text += fmt::format(", {} sessions", *sessions);
  return text;
}

std::string writer_words(const Load& load) {
  return writer_words(load.threads, load.processes, load.sessions,
                      load.own_sessions.value_or(false));
}

}  // namespace tailgate
