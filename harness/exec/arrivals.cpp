#include "harness/exec/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

namespace tailgate {
namespace {

struct Lines {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

std::optional<Lines> lines_from(const std::filesystem::path& path, std::uint64_t begin_bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(static_cast<std::streamoff>(begin_bytes))) return std::nullopt;
  Lines lines;
  std::vector<char> block(std::size_t{1} << 20);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto end = block.begin() + file.gcount();
    lines.count += static_cast<std::uint64_t>(std::count(block.begin(), end, '\n'));
    lines.bytes += static_cast<std::uint64_t>(file.gcount());
  }
  return file.bad() ? std::nullopt : std::optional(lines);
}

std::uint64_t size_of(const std::filesystem::path& path) {
  std::error_code absent;
  const std::uintmax_t bytes = std::filesystem::file_size(path, absent);
  return absent ? 0 : bytes;
}

}  // namespace

Arrivals::Arrivals(std::filesystem::path file)
    : file_(std::move(file)), begin_bytes_(file_.empty() ? 0 : size_of(file_)) {}

void Arrivals::count(Trial& trial, bool calls_known) const {
  if (file_.empty()) return;
  LedgerAccount& ledger = trial.ledger;
  const bool shorter = size_of(file_) < begin_bytes_;
  const std::optional<Lines> lines = shorter ? std::nullopt : lines_from(file_, begin_bytes_);
  if (!lines) {
    ledger.unchecked_cause =
        fmt::format("'{}' {}", file_.string(), shorter ? "became shorter" : "could not be read");
    return;
  }
  trial.consumer.mode = ConsumerMode::after;
  trial.consumer.events = lines->count;
  trial.consumer.bytes = lines->bytes;
  if (!calls_known) return;
  const std::uint64_t taken = ledger.emitted - std::min(ledger.emitted, ledger.lost);
  if (lines->count > taken) {
    ledger.unchecked_cause = fmt::format(
        "'{}' has {} new lines, more than the {} calls that could "
        "have written them",
        file_.string(), lines->count, taken);
    return;
  }
  ledger.checked = true;
  ledger.delivered = lines->count;
  ledger.unaccounted = static_cast<std::int64_t>(taken - lines->count);
  if (ledger.unaccounted != 0) {
    ledger.unaccounted_cause =
        fmt::format("'{}' has fewer new lines than there were calls", file_.string());
  }
}

}  // namespace tailgate
