#include "harness/os/perf_ring_linux.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr std::size_t kPageBytes = 4096;  // one header page, then the data

}  // namespace

int open_perf_event(perf_event_attr attributes, std::uint32_t thread, int cpu) {
  const auto descriptor = static_cast<int>(::syscall(
      SYS_perf_event_open, &attributes, static_cast<pid_t>(thread), cpu, -1, PERF_FLAG_FD_CLOEXEC));
  return descriptor < 0 ? -errno : descriptor;
}

PerfRing::PerfRing(int descriptor, std::size_t max_pages) : descriptor_(descriptor) {
  for (std::size_t pages = max_pages; pages > 0 && ring_ == nullptr; pages /= 2) {
    data_bytes_ = pages * kPageBytes;
    void* const at = ::mmap(nullptr, kPageBytes + data_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED,
                            descriptor_, 0);
    if (at != MAP_FAILED) ring_ = static_cast<std::byte*>(at);
  }
  if (ring_ == nullptr) {
    const int error = errno;
    ::close(descriptor_);
    throw system_error("mmap", "the ring of a perf event", error, "raise the limit 'ulimit -l'");
  }
}

PerfRing::PerfRing(PerfRing&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      ring_(std::exchange(other.ring_, nullptr)),
      data_bytes_(other.data_bytes_) {}

PerfRing::~PerfRing() {
  if (ring_ != nullptr) ::munmap(ring_, kPageBytes + data_bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PerfRing::drain(std::vector<std::byte>& records) {
  auto* const page = reinterpret_cast<perf_event_mmap_page*>(ring_);
  const std::atomic_ref<__u64> head_at(page->data_head);
  const std::atomic_ref<__u64> tail_at(page->data_tail);
  const std::uint64_t head = head_at.load(std::memory_order_acquire);
  const std::uint64_t tail = tail_at.load(std::memory_order_relaxed);
  const std::size_t bytes = head - tail;
  const std::size_t begin = tail % data_bytes_;
  const std::size_t first = std::min(bytes, data_bytes_ - begin);
  const std::byte* const data = ring_ + kPageBytes;
  records.insert(records.end(), data + begin, data + begin + first);
  records.insert(records.end(), data, data + bytes - first);
  tail_at.store(head, std::memory_order_release);
}

void PerfRing::stop() {
  ::ioctl(descriptor_, PERF_EVENT_IOC_DISABLE, 0);
}

std::uint64_t PerfRing::count() const {
  std::uint64_t count = 0;
  if (::read(descriptor_, &count, sizeof count) != sizeof count) return 0;
  return count;
}

std::span<const std::byte> next_perf_record(std::span<const std::byte>& bytes) {
  perf_event_header header{};
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.size < sizeof header || header.size > bytes.size()) return {};
  const std::span<const std::byte> record = bytes.first(header.size);
  bytes = bytes.subspan(header.size);
  return record;
}

}  // namespace tailgate
