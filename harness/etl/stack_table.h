// The distinct stacks of CPU samples, with how many samples each has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tailgate::etl {

// Finds entries that somebody else keeps by their hashes: open addressing, at most half full.
class HashSlots {
 public:
  // The slot of the entry that is_it(number) recognizes, or a free one, which is 0. A slot holds
  // an entry's number + 1.
  template <typename IsIt>
  std::uint32_t& find(std::uint64_t hash, IsIt is_it) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash ^ (hash >> 32)) & mask;
    while (slots_[at] != 0 && !is_it(slots_[at] - 1)) at = (at + 1) & mask;
    return slots_[at];
  }

  // Makes room for one more than `count` entries. hash_of: of an entry's number.
  template <typename HashOf>
  void make_room(std::size_t count, HashOf hash_of) {
    if (2 * count < slots_.size()) return;
    const std::size_t size = slots_.empty() ? 1024 : 2 * slots_.size();
    slots_ = {};  // before the new ones are allocated
    slots_.resize(size);
    for (std::uint32_t i = 0; i < count; ++i) {
      find(hash_of(i), [](std::uint32_t) { return false; }) = i + 1;
    }
  }

  void clear() { slots_.assign(slots_.size(), 0); }

 private:
  std::vector<std::uint32_t> slots_;  // a power of two
};

// Stacks of frames' numbers, innermost first, of processes. It takes 34 MB at most.
class StackTable {
 public:
  static constexpr std::size_t kMaxStacks = 1u << 18;
  static constexpr std::size_t kMaxFrames = 3u << 20;  // of all stacks
  // For the stacks {no_room}.
  static constexpr std::size_t kMaxExtraStacks = 1u << 16;

  // Adds samples with this stack. When that is new and has no room, adds them to the process's
  // stack {no_room}. Returns false when not even that has room.
  bool add(std::uint32_t process, std::span<const std::uint32_t> frames, std::uint64_t samples,
           std::uint32_t no_room);

  std::uint32_t size() const { return static_cast<std::uint32_t>(stacks_.size()); }
  std::uint32_t process(std::uint32_t stack) const { return stacks_[stack].process; }
  std::uint64_t samples(std::uint32_t stack) const { return stacks_[stack].samples; }
  std::span<const std::uint32_t> frames(std::uint32_t stack) const {
    return std::span(frames_).subspan(stacks_[stack].begin, stacks_[stack].count);
  }

  // Gives each frame the name names[frame]; stacks that are the same now become one.
  void rename_frames(const std::vector<std::uint32_t>& names);

 private:
  struct Stack {
    std::uint32_t process = 0;
    std::uint32_t begin = 0;  // in frames_
    std::uint32_t count = 0;
    std::uint32_t hash = 0;
    std::uint64_t samples = 0;
  };

  // The stack's entry in the slots.
  std::uint32_t& slot_of(std::uint32_t process, std::span<const std::uint32_t> frames,
                         std::uint32_t hash);
  bool add_within(std::uint32_t process, std::span<const std::uint32_t> frames,
                  std::uint64_t samples, std::size_t max_stacks, std::size_t max_frames);

  std::vector<Stack> stacks_;
  std::vector<std::uint32_t> frames_;
  HashSlots slots_;
};

// Numbers for places in modules, 0 for the first.
class FrameTable {
 public:
  struct Frame {
    std::uint64_t offset = 0;
    std::uint32_t module = 0;
    bool operator==(const Frame&) const = default;
  };

  // The frame's number. A new frame gets the next one, or nothing when there are max_count.
  std::optional<std::uint32_t> number_of(const Frame& frame, std::size_t max_count);

  const Frame& operator[](std::uint32_t number) const { return frames_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(frames_.size()); }

 private:
  std::vector<Frame> frames_;
  HashSlots slots_;
};

}  // namespace tailgate::etl
