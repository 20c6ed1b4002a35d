// Keeps the stack of each memory allocation, and sums the bytes that were never freed by process
// and stack.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/etl/stack_join.h"

namespace tailgate::etl {

// The bytes that one stack of a process allocated and that were never freed.
struct Leak {
  std::uint32_t process = 0;
  std::span<const std::uint64_t> frames;  // empty: the stack is not known
  std::uint64_t bytes = 0;
};

using Owners = std::unordered_set<std::uint32_t>;

// Maps each allocation to its stack. An allocation is identified by a number, its owner.
class AllocationStacks {
 public:
  // living: inserts the owners of what is not freed, of which there are at most max_living; the
  // stacks of others may be forgotten. keys: kept by reference.
  AllocationStacks(const StackKeys& keys, std::size_t max_living,
                   std::function<void(Owners&)> living);

  // True for a part of a stack, which is joined to its allocation.
  bool add_part(const Record& record, const RecordHeader& header) {
    return joiner_.add_part(record, header);
  }
  // The owner of what this record allocated, whose stack may be in the record or behind it.
  std::uint32_t begin(const Record& record, const RecordHeader& header, std::int64_t time_ns,
                      std::uint32_t process);
  // Call it once, after the last record.
  void finish() { joiner_.finish_all(); }

  // Of no room: stacks of allocations, and stacks that keys stand for.
  std::uint64_t stacks_over_limit() const { return stacks_over_limit_; }
  std::uint64_t keys_over_limit() const { return keys_over_limit_; }

  // Adds up bytes by process and stack.
  class Leaks {
   public:
    explicit Leaks(const AllocationStacks& stacks) : stacks_(stacks) {}
    void add(std::uint32_t process, const std::map<std::uint32_t, std::uint64_t>& bytes_by_owner);
    // Those with the most bytes first.
    std::vector<Leak> sorted() const;

   private:
    const AllocationStacks& stacks_;
    std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> numbers_;  // process, stack
    std::vector<Leak> leaks_;
  };

 private:
  void keep(StackedEvent&& event);

  StackJoiner joiner_;
  std::size_t max_owners_;
  std::function<void(Owners&)> living_;
  std::map<std::vector<std::uint64_t>, std::size_t> numbers_;
  std::vector<const std::vector<std::uint64_t>*> stacks_;
  std::unordered_map<std::uint32_t, std::size_t> stack_of_;  // by owner
  std::size_t frames_ = 0;                                   // of all stacks
  std::uint32_t owners_ = 0;                                 // so far
  std::uint64_t stacks_over_limit_ = 0;
  std::uint64_t keys_over_limit_;
};

}  // namespace tailgate::etl
