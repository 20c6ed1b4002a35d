// Real traces, which are not in the repository: in the folder that TAILGATE_ETL_SAMPLES names, else
// in one that the caller knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tailgate::etl {

inline constexpr int kExitSkipped = 77;

struct Sample {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

// By name; empty where there is no such folder. folder: may be null.
std::vector<Sample> read_samples(const char* folder);

}  // namespace tailgate::etl
