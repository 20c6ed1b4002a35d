// Counts the events that reached a file, by its lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/result/result.h"

namespace tailgate {

class Arrivals {
 public:
  // Counts from the file's present end; it need not be there yet. An empty path: counts nothing.
  explicit Arrivals(std::filesystem::path file);

  // Counts the lines since then, and balances the ledger with them if the program's calls are known
  // (trial.ledger.emitted).
  void count(Trial& trial, bool calls_known) const;

 private:
  std::filesystem::path file_;
  std::uint64_t begin_bytes_ = 0;
};

}  // namespace tailgate
