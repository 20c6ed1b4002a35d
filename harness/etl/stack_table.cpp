#include "harness/etl/stack_table.h"

#include <algorithm>
#include <utility>

namespace tailgate::etl {
namespace {

constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15ull;

std::uint32_t hash_of(std::uint32_t process, std::span<const std::uint32_t> frames) {
  std::uint64_t hash = process * kOdd;
  for (std::uint32_t frame : frames) hash = (hash ^ frame ^ (hash >> 29)) * kOdd;
  return static_cast<std::uint32_t>(hash >> 32);
}

std::uint64_t hash_of(const FrameTable::Frame& frame) {
  return (frame.offset + frame.module * 0xC2B2'AE3D'27D4'EB4Full) * kOdd;
}

}  // namespace

std::uint32_t& StackTable::slot_of(std::uint32_t process, std::span<const std::uint32_t> frames,
                                   std::uint32_t hash) {
  return slots_.find(hash, [&](std::uint32_t number) {
    const Stack& stack = stacks_[number];
    if (stack.hash != hash || stack.process != process) return false;
    const std::span<const std::uint32_t> known = this->frames(number);
    return std::equal(known.begin(), known.end(), frames.begin(), frames.end());
  });
}

bool StackTable::add_within(std::uint32_t process, std::span<const std::uint32_t> frames,
                            std::uint64_t samples, std::size_t max_stacks, std::size_t max_frames) {
  slots_.make_room(stacks_.size(), [this](std::uint32_t number) { return stacks_[number].hash; });
  const std::uint32_t hash = hash_of(process, frames);
  std::uint32_t& slot = slot_of(process, frames, hash);
  if (slot == 0) {
    if (stacks_.size() >= max_stacks || frames_.size() + frames.size() > max_frames) return false;
    stacks_.push_back({process, static_cast<std::uint32_t>(frames_.size()),
                       static_cast<std::uint32_t>(frames.size()), hash, 0});
    frames_.insert(frames_.end(), frames.begin(), frames.end());
    slot = size();
  }
  stacks_[slot - 1].samples += samples;
  return true;
}

bool StackTable::add(std::uint32_t process, std::span<const std::uint32_t> frames,
                     std::uint64_t samples, std::uint32_t no_room) {
  return add_within(process, frames, samples, kMaxStacks, kMaxFrames) ||
         add_within(process, std::span(&no_room, 1), samples, kMaxStacks + kMaxExtraStacks,
                    kMaxFrames + kMaxExtraStacks);
}

void StackTable::rename_frames(const std::vector<std::uint32_t>& names) {
  slots_.clear();
  std::vector<Stack> old = std::exchange(stacks_, {});
  std::uint32_t end = 0;
  for (Stack& stack : old) {
    // A stack's new place is not behind its old one.
    const std::uint32_t from = std::exchange(stack.begin, end);
    for (std::uint32_t i = 0; i < stack.count; ++i) frames_[end + i] = names[frames_[from + i]];
    const std::span<const std::uint32_t> frames = std::span(frames_).subspan(end, stack.count);
    stack.hash = hash_of(stack.process, frames);
    std::uint32_t& slot = slot_of(stack.process, frames, stack.hash);
    if (slot == 0) {
      stacks_.push_back(stack);
      slot = size();
      end += stack.count;
    } else {
      stacks_[slot - 1].samples += stack.samples;
    }
  }
  frames_.resize(end);
}

std::optional<std::uint32_t> FrameTable::number_of(const Frame& frame, std::size_t max_count) {
  slots_.make_room(frames_.size(),
                   [this](std::uint32_t number) { return hash_of(frames_[number]); });
  std::uint32_t& slot =
      slots_.find(hash_of(frame), [&](std::uint32_t number) { return frames_[number] == frame; });
  if (slot == 0) {
    if (frames_.size() >= max_count) return std::nullopt;
    frames_.push_back(frame);
    slot = size();
  }
  return slot - 1;
}

}  // namespace tailgate::etl
