#include "harness/etl/heap_blocks.h"

namespace tailgate::etl {

const HeapBlocks::Block* HeapBlocks::find(std::uint64_t heap, std::uint64_t address) const {
  const auto blocks = heaps_.find(heap);
  if (blocks == heaps_.end()) return nullptr;
  const auto block = blocks->second.find(address);
  return block == blocks->second.end() ? nullptr : &block->second;
}

void HeapBlocks::set(std::uint64_t heap, std::uint64_t address, Block block) {
  if (heaps_[heap].insert_or_assign(address, block).second) ++count_;
}

std::optional<HeapBlocks::Block> HeapBlocks::remove(std::uint64_t heap, std::uint64_t address) {
  const Block* found = find(heap, address);
  if (found == nullptr) return std::nullopt;
  const Block block = *found;
  const auto blocks = heaps_.find(heap);
  blocks->second.erase(address);
  if (blocks->second.empty()) heaps_.erase(blocks);
  --count_;
  return block;
}

HeapBlocks::Freed HeapBlocks::remove_heap(std::uint64_t heap) {
  Freed freed;
  const auto blocks = heaps_.find(heap);
  if (blocks == heaps_.end()) return freed;
  for (const auto& [address, block] : blocks->second) {
    ++freed.blocks;
    freed.bytes += block.bytes;
  }
  count_ -= blocks->second.size();
  heaps_.erase(blocks);
  return freed;
}

std::map<std::uint32_t, std::uint64_t> HeapBlocks::by_owner() const {
  std::map<std::uint32_t, std::uint64_t> bytes;
  for (const auto& [heap, blocks] : heaps_) {
    for (const auto& [address, block] : blocks) bytes[block.owner] += block.bytes;
  }
  return bytes;
}

void HeapBlocks::collect_owners(std::unordered_set<std::uint32_t>& owners) const {
  for (const auto& [heap, blocks] : heaps_) {
    for (const auto& [address, block] : blocks) owners.insert(block.owner);
  }
}

}  // namespace tailgate::etl
