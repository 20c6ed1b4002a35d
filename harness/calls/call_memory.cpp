#include "harness/calls/call_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "harness/base/error.h"
#include "harness/calls/memory_path.h"

namespace tailgate {
namespace {

constexpr unsigned kHistograms = 3;  // of each thread: plain, service and response with a due time

static_assert(sizeof(tailgate_mark_memory) <= TAILGATE_MARK_PAGE);
static_assert(sizeof(tailgate_mark_slow_call) == 40 && sizeof(tailgate_mark_thread) == 192);

std::size_t whole_pages(std::size_t bytes) {
  constexpr std::size_t kPage = TAILGATE_MARK_PAGE;
  return (bytes + kPage - 1) / kPage * kPage;
}

std::size_t block_bytes(const CallMemoryPlan& plan) {
  return whole_pages(sizeof(tailgate_mark_thread) +
                     plan.slowest *
                         (sizeof(tailgate_mark_slow_call) + sizeof(tailgate_mark_heap_entry)));
}

// Another process writes the word meanwhile.
template <class Word>
Word load(Word& word) {
  return std::atomic_ref<Word>(word).load(std::memory_order_relaxed);
}

}  // namespace

HistogramRange CallMemory::range() {
  return {.lowest_discernible = 1, .highest_trackable = 3'600'000'000'000, .significant_digits = 3};
}

CallMemory::CallMemory(const CallMemoryPlan& plan)
    : plan_(plan),
      layout_(range()),
      histogram_bytes_(whole_pages(HistogramWriter::words(layout_) * sizeof(std::uint64_t))),
      thread_bytes_(block_bytes(plan) + kHistograms * histogram_bytes_),
      memory_(SharedMemory::create(TAILGATE_MARK_PAGE + plan.threads * thread_bytes_)) {
  tailgate_mark_memory& memory = header();
  memory.version = TAILGATE_MARK_VERSION;
  memory.size_bytes = memory_.size_bytes();
  memory.thread_bytes = thread_bytes_;
  memory.histogram_bytes = histogram_bytes_;
  memory.threads = plan.threads;
  memory.slowest = plan.slowest;
  memory.uses_tsc = plan.clock.kind == ClockKind::tsc ? 1 : 0;
  memory.multiplier = plan.clock.multiplier;
  memory.base_ticks = plan.clock.base_ticks;
  memory.magic = TAILGATE_MARK_MAGIC;
}

std::string CallMemory::path() const {
  return memory_path(memory_);
}

std::uint32_t CallMemory::threads_used() const {
  return std::min(load(header().threads_used), plan_.threads);
}

tailgate_mark_thread& CallMemory::thread(std::uint32_t number) const {
  return *reinterpret_cast<tailgate_mark_thread*>(memory_.data() + TAILGATE_MARK_PAGE +
                                                  number * thread_bytes_);
}

const std::uint64_t* CallMemory::histogram(std::uint32_t thread, unsigned which) const {
  const std::byte* end =
      memory_.data() + TAILGATE_MARK_PAGE + (std::size_t{thread} + 1) * thread_bytes_;
  return reinterpret_cast<const std::uint64_t*>(end - (kHistograms - which) * histogram_bytes_);
}

CallCounts CallMemory::counts() const {
  tailgate_mark_memory& memory = header();
  CallCounts counts{.processes = load(memory.processes),
                    .threads = threads_used(),
                    .threads_not_timed = load(memory.threads_not_timed),
                    .calls_not_timed = load(memory.calls_not_timed)};
  counts.libraries_loaded = load(memory.libraries_loaded);
  counts.functions_bound = load(memory.functions_bound);
  counts.records_lost = load(memory.records_lost);
  for (std::uint32_t i = 0; i < counts.threads; ++i) {
    tailgate_mark_thread& thread = this->thread(i);
    counts.started += load(thread.started);
    counts.finished += load(thread.finished);
    counts.refused += load(thread.refused);
    counts.inner += load(thread.inner);
    const std::uint64_t first_ns = load(thread.first_start_ns);
    if (first_ns != 0 && (counts.first_start_ns == 0 || first_ns < counts.first_start_ns)) {
      counts.first_start_ns = first_ns;
    }
    counts.last_end_ns = std::max(counts.last_end_ns, load(thread.last_end_ns));
    for (std::size_t k = 0; k < kCallKinds; ++k) counts.kinds[k] += load(thread.kinds[k]);
  }
  return counts;
}

Histogram CallMemory::merged(unsigned which) const {
  std::vector<const std::uint64_t*> words;
  for (std::uint32_t i = 0; i < threads_used(); ++i) words.push_back(histogram(i, which));
  return snapshot(layout_, words);
}

CallTimes CallMemory::times() const {
  try {
    Histogram service = merged(0);
    Histogram response = service;
    const Histogram with_due = merged(1);
    service.add(with_due);
    response.add(merged(2));
    return {std::move(service), std::move(response), with_due.total_count()};
  } catch (const Error& error) {
    throw Error("the program has overwritten what it had measured: " + error.what_failed(),
                "look for a write through a wrong pointer, for example with AddressSanitizer");
  }
}

std::vector<std::uint32_t> CallMemory::threads() const {
  std::vector<std::uint32_t> threads;
  for (std::uint32_t i = 0; i < threads_used(); ++i) threads.push_back(load(thread(i).os_thread));
  for (const SlowCall& call : kept_calls()) threads.push_back(call.thread);
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return threads;
}

std::vector<SlowCall> CallMemory::kept_calls() const {
  std::vector<SlowCall> calls;
  for (std::uint32_t i = 0; i < threads_used(); ++i) {
    auto* slots = reinterpret_cast<tailgate_mark_slow_call*>(&thread(i) + 1);
    for (std::uint32_t k = 0; k < plan_.slowest; ++k) {
      const std::uint64_t end_ns = load(slots[k].end_ns);
      const std::uint64_t start_ns = load(slots[k].start_ns);
      const std::uint64_t late_ns = load(slots[k].late_ns);
      if (end_ns == 0 || start_ns > end_ns || late_ns > start_ns) continue;
      calls.push_back({.thread = load(slots[k].os_thread),
                       .sequence = load(slots[k].sequence),
                       .intended_ns = start_ns - late_ns,
                       .start_ns = start_ns,
                       .end_ns = end_ns,
                       .cpu = load(slots[k].cpu)});
    }
  }
  return calls;
}

std::vector<SlowCall> CallMemory::slowest() const {
  std::vector<SlowCall> calls = kept_calls();
  const std::vector<std::uint32_t> threads = this->threads();
  for (SlowCall& call : calls) {
    const auto place = std::lower_bound(threads.begin(), threads.end(), call.thread);
    call.thread = static_cast<unsigned>(place - threads.begin());
  }
  std::stable_sort(calls.begin(), calls.end(), [](const SlowCall& a, const SlowCall& b) {
    return a.end_ns - a.start_ns > b.end_ns - b.start_ns;
  });
  return calls;
}

std::optional<std::uint32_t> CallMemory::other_version() const {
  const std::uint32_t version = load(header().other_version);
  return version == 0 ? std::nullopt : std::optional(version);
}

}  // namespace tailgate
