// A load's writers and sessions in words, for texts that name a load.
#pragma once

#include <optional>
#include <string>

#include "harness/result/load.h"

namespace tailgate {

// To append to a load's other words: "" for one thread, ", 4 threads", ", 4 processes",
// ", 8 threads in 4 processes", with ", 2 sessions" where there are several, or ", a session each"
// where each process has its own.
std::string writer_words(unsigned threads, std::optional<unsigned> processes,
                         std::optional<unsigned> sessions, bool own = false);
std::string writer_words(const Load& load);

}  // namespace tailgate
