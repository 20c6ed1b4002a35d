// The blocks of a process's heaps (HeapAlloc, malloc, new) while a trace is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace tailgate::etl {

class HeapBlocks {
 public:
  struct Block {
    std::uint64_t bytes = 0;
    std::uint32_t owner = 0;  // the allocation, as in allocation_stacks.h
  };
  struct Freed {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
  };

  // Null when the heap has no block there.
  const Block* find(std::uint64_t heap, std::uint64_t address) const;
  // Replaces a block that is there.
  void set(std::uint64_t heap, std::uint64_t address, Block block);
  // Takes the block out; nothing when there is none.
  std::optional<Block> remove(std::uint64_t heap, std::uint64_t address);
  // Takes all blocks of a heap out.
  Freed remove_heap(std::uint64_t heap);

  std::map<std::uint32_t, std::uint64_t> by_owner() const;  // bytes
  void collect_owners(std::unordered_set<std::uint32_t>& owners) const;
  std::size_t count() const { return count_; }

 private:
  using Blocks = std::unordered_map<std::uint64_t, Block>;  // by address
  std::unordered_map<std::uint64_t, Blocks> heaps_;         // none is empty
  std::size_t count_ = 0;
};

}  // namespace tailgate::etl
