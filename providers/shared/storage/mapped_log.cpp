#include "providers/shared/storage/mapped_log.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "harness/base/error.h"
#include "harness/os/shared_wait.h"

namespace tailgate {
namespace {

constexpr std::chrono::seconds kLongestWait{1};

constexpr std::size_t kMinCapacityBytes = 16u << 20;
constexpr std::size_t kMaxFirstCapacityBytes = std::size_t{2} << 30;
constexpr std::size_t kGrowthBytes = 64u << 20;
constexpr std::size_t kGrowthStepBytes = 8u << 20;  // each usable as soon as it is mapped
constexpr std::size_t kGrowthRoomBytes = std::size_t{64} << 30;
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

std::size_t first_capacity(std::size_t expected_bytes) {
  return std::clamp(expected_bytes + expected_bytes / 4, kMinCapacityBytes, kMaxFirstCapacityBytes);
}

std::size_t low_water(std::size_t capacity_bytes) {
  return capacity_bytes - capacity_bytes / 8;
}

}  // namespace

MappedLog::MappedLog(const std::filesystem::path& path, std::size_t expected_bytes)
    : file_(path, kMaxFirstCapacityBytes + kGrowthRoomBytes), data_(file_.data()) {
  file_.extend(first_capacity(expected_bytes));
  capacity_bytes_ = file_.capacity_bytes();
  low_water_bytes_ = low_water(file_.capacity_bytes());
  helper_ = std::thread([this] { grow_when_asked(); });
}

MappedLog::~MappedLog() {
  stop_helper();
}

bool MappedLog::append(std::span<const std::byte> bytes) noexcept {
  std::size_t at = used_bytes_.load(std::memory_order_relaxed);
  do {
    if (at + bytes.size() > capacity_bytes_.load(std::memory_order_acquire)) [[unlikely]] {
      ask_for_growth();
      return false;
    }
  } while (!used_bytes_.compare_exchange_weak(at, at + bytes.size(), std::memory_order_relaxed));
  std::memcpy(data_ + at, bytes.data(), bytes.size());
  if (at > low_water_bytes_.load(std::memory_order_relaxed)) [[unlikely]]
    ask_for_growth();
  return true;
}

void MappedLog::ask_for_growth() noexcept {
  if (low_water_bytes_.exchange(kNever) == kNever) return;
  std::uint32_t expected = kNone;
  if (request_.compare_exchange_strong(expected, kGrow)) wake_all(request_);
}

void MappedLog::grow_when_asked() {
  while (true) {
    while (request_.load() == kNone) wait_while(request_, kNone, kLongestWait);
    if (request_.load() == kStop) return;
    try {
      const std::size_t target = file_.capacity_bytes() + kGrowthBytes;
      while (file_.capacity_bytes() < target) {
        file_.extend(file_.capacity_bytes() + kGrowthStepBytes);
        capacity_bytes_.store(file_.capacity_bytes(), std::memory_order_release);
      }
    } catch (const Error&) {
      // The disk is full: from here on append() returns false, and the trial records that.
      // low_water_bytes_ stays at kNever, so that nobody asks for growth again.
      return;
    }
    std::uint32_t expected = kGrow;
    if (!request_.compare_exchange_strong(expected, kNone)) return;
    low_water_bytes_.store(low_water(file_.capacity_bytes()));
  }
}

void MappedLog::stop_helper() noexcept {
  if (!helper_.joinable()) return;
  request_.store(kStop);
  wake_all(request_);
  helper_.join();
}

void MappedLog::close() {
  stop_helper();
  file_.close(used_bytes_.load());
}

}  // namespace tailgate
