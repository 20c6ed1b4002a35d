// How many threads and processes write into one session, for scenarios that try several.
#pragma once

#include <string>
#include <vector>

#include "harness/base/options.h"
#include "harness/result/result.h"
#include "harness/run/scenario.h"

namespace tailgate {

struct Writers {
  unsigned threads = 1;  // of each process
  unsigned processes = 1;

  unsigned all() const { return threads * processes; }
  bool operator==(const Writers&) const = default;
};

// Returns the table with lists in place of the numbers `threads` and `processes`.
OptionTable with_writer_lists(OptionTable table, const std::string& threads,
                              const std::string& processes);

// The numbers of threads of one process, then those of processes of one thread from 2 on. Throws
// Error for a list that is not ascending.
std::vector<Writers> writers_from(const Options& options);

// Those of a load, planned or recorded.
Writers writers_of(const LoadPlan& load);
Writers writers_of(const Load& load);

void set_writers(const Writers& writers, LoadPlan& load);

// "one thread", "4 threads", "4 processes".
std::string words_of(const Writers& writers);

// For the name of a figure: "threads_4", "processes_4".
std::string key_of(const Writers& writers);

// Returns what of this the sink cannot take, as it was recorded: "take events from several
// processes".
std::vector<std::string> not_taken(const std::vector<Writers>& wanted, const SinkUsed& sink);

}  // namespace tailgate
