#include "harness/trial/memory_description.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <map>

#include "harness/base/error.h"

using namespace tailgate;

namespace {

using Names = std::map<std::string, std::string>;

Names names_of(const DescriptionLines& lines) {
  Names names;
  for (const auto& [name, value] : lines) {
    CHECK(names.emplace(name, value).second);  // no name twice
  }
  return names;
}

TrialMemory memory_for(unsigned threads) {
  TrialPlan plan;
  plan.slowest = 4;
  plan.slowest_responses = 3;
  plan.load.threads = threads;
  plan.turns = {.count = 3, .warmup = 1, .length_ns = 1'000'000, .max_calls = 100};
  return TrialMemory::create(plan);
}

}  // namespace

TEST_CASE("what is written at a described place is read as that field") {
  TrialMemory memory = memory_for(3);
  const Names names = names_of(describe_memory(memory));
  const auto number = [&](const std::string& name) { return std::stoull(names.at(name)); };
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(memory.memory().data() + at, &value, sizeof value);
  };
  const std::size_t third = 2 * number("thread.stride");
  put(number("thread.finished") + third, std::uint64_t{77});
  put(number("thread.refused") + third + 8, std::uint64_t{5});
  put(number("thread.os_thread") + third, std::uint32_t{4711});
  put(number("provider.phase"), static_cast<std::uint32_t>(number("phase.closing")));
  put(number("floor.loop_ns"), 12.5);
  put(number("turn.done"), std::uint32_t{2});
  put(number("losses.at") + number("losses.stride") + number("losses.events"), std::uint64_t{9});
  put(number("calls.at") + 7 * number("calls.stride") + number("calls.turn"), std::uint32_t{1});
  put(number("thread.slowest_responses") + third + 2 * number("slow.stride") +
          number("slow.intended_ns"),
      std::uint64_t{31});

  const ThreadBlock& thread = memory.thread(2);
  CHECK(thread.finished.load() == 77);
  CHECK(thread.refused[1].load() == 5);
  CHECK(thread.os_thread.load() == 4711);
  CHECK(memory.header().provider.phase.load() == Phase::closing);
  CHECK(memory.header().provider.floor.loop_ns == 12.5);
  CHECK(memory.header().turn.done.load() == 2);
  CHECK(memory.header().provider.losses[1].events.load() == 9);
  CHECK(memory.calls(0)[7].turn == 1);
  CHECK(memory.slowest_responses(2)[2].intended_ns.load() == 31);
}

TEST_CASE("the formula of a histogram's slots gives those of the writer") {
  TrialMemory memory = memory_for(2);
  const Names names = names_of(describe_memory(memory));
  const auto number = [&](const std::string& name) { return std::stoull(names.at(name)); };
  const HistogramLayout& layout = memory.layout();
  std::uint64_t* words = reinterpret_cast<std::uint64_t*>(
      memory.memory().data() + number("thread.response") + number("thread.stride"));
  HistogramWriter writer(layout, memory.words(1, Metric::response));
  for (std::uint64_t value = 1; value < std::uint64_t{1} << 50; value = value * 3 + 1) {
    std::uint64_t top = 0;
    for (std::uint64_t bits = value | number("histogram.mask"); bits > 1; bits /= 2) ++top;
    const std::uint64_t slot = (value >> (top - number("histogram.half_magnitude"))) +
                               top * number("histogram.slots_per_doubling") -
                               number("histogram.offset");
    const std::uint64_t word = std::min<std::uint64_t>(slot, number("histogram.slots"));
    const std::uint64_t before = words[word];
    writer.record(value);
    CHECK(words[word] == before + 1);
  }
}

TEST_CASE("a value with a line feed is refused") {
  CHECK(description_text({{"a", "1"}, {"b", "two words"}}) == "a 1\nb two words\n");
  CHECK_THROWS_WITH(description_text({{"option.name", "a\nb 2"}}),
                    Catch::Contains("option.name has a line feed"));
}
