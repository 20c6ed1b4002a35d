#include "harness/trial/ledger.h"

#include <algorithm>
#include <utility>

namespace tailgate {

Ledger::Ledger(std::uint32_t run, unsigned threads, EventEncoding encoding,
               std::function<std::uint64_t(unsigned)> begun)
    : run_(run), encoding_(encoding), begun_(std::move(begun)), threads_(threads) {}

bool Ledger::was_emitted(Thread& thread, unsigned number, std::uint64_t sequence) {
  if (sequence < thread.begun) return true;
  thread.begun = begun_(number);
  return sequence < thread.begun;
}

bool Ledger::add(std::span<const std::byte> bytes, EventStamp& stamp) {
  const EventCheck check = check_event(bytes, encoding_, stamp);
  if (check == EventCheck::not_an_event || check == EventCheck::too_short) {
    ++counts_.foreign;
    return false;
  }
  if (check == EventCheck::bad_checksum) {
    ++counts_.corrupted;
    return false;
  }
  if (stamp.run != run_ || stamp.thread >= threads_.size() ||
      !was_emitted(threads_[stamp.thread], stamp.thread, stamp.sequence)) {
    ++counts_.foreign;
    return false;
  }
  if (check != EventCheck::intact) {
    ++counts_.corrupted;
    return false;
  }
  Thread& thread = threads_[stamp.thread];
  const std::size_t word = stamp.sequence / 64;
  const std::uint64_t bit = std::uint64_t{1} << (stamp.sequence % 64);
  if (word >= thread.seen.size()) thread.seen.resize(std::max(word + 1, 2 * thread.seen.size()));
  if ((thread.seen[word] & bit) != 0) {
    ++counts_.duplicates;
    return false;
  }
  thread.seen[word] |= bit;
  ++counts_.delivered;
  if (stamp.sequence + 1 < thread.next) {
    ++counts_.reordered;
  } else {
    thread.next = stamp.sequence + 1;
  }
  return true;
}

bool Ledger::has(unsigned thread, std::uint64_t sequence) const {
  const std::vector<std::uint64_t>& seen = threads_.at(thread).seen;
  const std::size_t word = sequence / 64;
  return word < seen.size() && (seen[word] >> (sequence % 64) & 1) != 0;
}

}  // namespace tailgate
