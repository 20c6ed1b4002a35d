// What every store of the history must do: each case gets the place of a new, empty store.
#pragma once

#include <span>
#include <string>

namespace tailgate::history {

struct StoreCase {
  const char* name;
  void (*check)(const std::string& place);
};

std::span<const StoreCase> store_cases();

// The same for charts and findings.
std::span<const StoreCase> chart_cases();

// The same for times by cause, and for machines beside each other.
std::span<const StoreCase> part_cases();

}  // namespace tailgate::history
