#include "providers/shared/daemon/accepted_counts.h"

#include <fstream>

#include "harness/base/error.h"
#include "harness/os/mapped_file.h"

namespace tailgate {
namespace {

constexpr const char* kFileName = "accepted.counts";

}  // namespace

AcceptedCounts::AcceptedCounts(const std::filesystem::path& directory, unsigned threads)
    : file_(std::make_unique<MappedFile>(directory / kFileName, threads * sizeof(Line))) {
  file_->extend(threads * sizeof(Line));
  lines_ = reinterpret_cast<Line*>(file_->data());
}

AcceptedCounts::~AcceptedCounts() = default;

std::uint64_t AcceptedCounts::total(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / kFileName;
  if (!std::filesystem::exists(path)) return 0;
  std::ifstream input(path, std::ios::binary);
  std::uint64_t sum = 0;
  std::uint64_t line[sizeof(Line) / sizeof(std::uint64_t)];
  while (input.read(reinterpret_cast<char*>(line), sizeof line)) sum += line[0];
  if (!input.eof()) {
    throw Error("'" + path.string() + "' cannot be read", "see what removed it during the trial");
  }
  return sum;
}

}  // namespace tailgate
