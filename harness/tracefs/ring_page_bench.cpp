// Compares the speed of RingPage and of libtraceevent on the same pages of 64-byte markers.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "harness/sink/testing/test_events.h"
#include "harness/tracefs/event_format.h"
#include "harness/tracefs/peer_reader.h"
#include "harness/tracefs/ring_page.h"
#include "harness/tracefs/test_pages.h"

namespace tailgate::tracefs {
namespace {

constexpr std::size_t kEventBytes = 64;
constexpr std::size_t kEventsPerPage = 52;
constexpr std::size_t kPages = 2000;

std::vector<std::vector<std::byte>> full_pages() {
  std::vector<std::vector<std::byte>> pages;
  std::uint64_t sequence = 0;
  for (std::size_t i = 0; i < kPages; ++i) {
    PageWriter page(1000 * i);
    for (std::size_t k = 0; k < kEventsPerPage; ++k) {
      constexpr std::uint32_t kWords = (8 + kEventBytes) / 4;
      page.header(kWords, 10);
      page.data(std::string("\x13\0\0\1pid\0", 8) + event_text(sequence++, kEventBytes));
    }
    pages.push_back(page.page());
  }
  return pages;
}

void check_count(std::size_t records) {
  if (records != kPages * kEventsPerPage) throw std::logic_error("not all records were read");
}

void read_ours(benchmark::State& state) {
  const std::vector<std::vector<std::byte>> pages = full_pages();
  for (auto _ : state) {
    std::size_t records = 0;
    for (const std::vector<std::byte>& bytes : pages) {
      RingPage page({}, bytes);
      for (RingRecord record; page.next(record); ++records) benchmark::DoNotOptimize(record);
    }
    check_count(records);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kPages * kEventsPerPage));
}

// Includes the consumer's work: it checks the kind of record and finds the event and its true size.
void read_ours_and_find_event(benchmark::State& state) {
  const std::vector<std::vector<std::byte>> pages = full_pages();
  const RecordFormat format = record_format(raw_data_format(), "id", Carriage::raw);
  for (auto _ : state) {
    std::size_t records = 0;
    for (const std::vector<std::byte>& bytes : pages) {
      RingPage page({}, bytes);
      std::span<const std::byte> event;
      for (RingRecord record; page.next(record);) {
        if (find_event(format, record.data, event) == Found::event) ++records;
        benchmark::DoNotOptimize(event);
      }
    }
    check_count(records);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kPages * kEventsPerPage));
}

void read_libtraceevent(benchmark::State& state) {
  std::vector<std::vector<std::byte>> pages = full_pages();
  const PeerPages peer = peer_pages();
  for (auto _ : state) {
    std::size_t records = 0;
    for (std::vector<std::byte>& bytes : pages) {
      kbuffer_load_subbuffer(peer.get(), bytes.data());
      unsigned long long ticks = 0;
      for (void* data = kbuffer_read_event(peer.get(), &ticks); data != nullptr;
           data = kbuffer_next_event(peer.get(), &ticks)) {
        benchmark::DoNotOptimize(kbuffer_event_size(peer.get()));
        ++records;
      }
    }
    check_count(records);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kPages * kEventsPerPage));
}

BENCHMARK(read_ours);
BENCHMARK(read_ours_and_find_event);
BENCHMARK(read_libtraceevent);

}  // namespace
}  // namespace tailgate::tracefs
