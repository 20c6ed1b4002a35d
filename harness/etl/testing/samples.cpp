#include "harness/etl/testing/samples.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tailgate::etl {

std::vector<Sample> read_samples(const char* folder) {
  std::vector<Sample> samples;
  const char* named = std::getenv("TAILGATE_ETL_SAMPLES");
  if (named != nullptr) folder = named;
  if (folder == nullptr || !std::filesystem::is_directory(folder)) return samples;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".etl") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    samples.push_back({entry.path().filename().string(),
                       {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
  }
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.name < b.name; });
  return samples;
}

}  // namespace tailgate::etl
