#include "harness/trial/memory_description.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/enum_text.h"
#include "harness/base/error.h"
#include "harness/trial/schedule.h"
#include "harness/trial/turns.h"

namespace tailgate {
namespace {

class Lines {
 public:
  // base: the memory whose fields are described.
  explicit Lines(const void* base = nullptr) : base_(static_cast<const std::byte*>(base)) {}

  void add(const std::string& name, std::uint64_t value) {
    lines_.emplace_back(name, std::to_string(value));
  }
  void add(const std::string& name, const std::string& value) { lines_.emplace_back(name, value); }
  void at(const std::string& name, const void* field) {
    add(name, static_cast<std::uint64_t>(static_cast<const std::byte*>(field) - base_));
  }
  DescriptionLines take() { return std::move(lines_); }

 private:
  const std::byte* base_;
  DescriptionLines lines_;
};

template <std::size_t kBytes>
std::uint64_t bytes_of(const SharedText<kBytes>&) {
  return kBytes;
}

void add_phases(Lines& lines) {
  const std::pair<const char*, Phase> phases[] = {{"ready", Phase::ready},
                                                  {"loading", Phase::loading},
                                                  {"closing", Phase::closing},
                                                  {"done", Phase::done},
                                                  {"failed", Phase::failed}};
  for (const auto& [name, phase] : phases) {
    lines.add(fmt::format("phase.{}", name), static_cast<std::uint64_t>(phase));
  }
}

void add_provider(Lines& lines, ProviderBlock& block) {
  lines.at("provider.phase", &block.phase);
  lines.at("provider.error", &block.error);
  lines.add("provider.error_bytes", bytes_of(block.error));
  lines.at("floor.loop_ns", &block.floor.loop_ns);
  lines.at("floor.two_clock_reads_ns", &block.floor.two_clock_reads_ns);
  lines.at("losses.count", &block.loss_count);
  lines.at("losses.at", block.losses.data());
  lines.add("losses.stride", sizeof(LossSlot));
  lines.add("losses.slots", block.losses.size());
  const Lines slot(block.losses.data());
  const auto* first = reinterpret_cast<const std::byte*>(block.losses.data());
  lines.add("losses.events",
            static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&block.losses[0].events) -
                                       first));
  lines.add("losses.cause_bytes", bytes_of(block.losses[0].cause));
}

void add_slow_slots(Lines& lines, const SlowSlot& slot) {
  Lines fields(&slot);
  fields.at("slow.end_ns", &slot.end_ns);
  fields.at("slow.start_ns", &slot.start_ns);
  fields.at("slow.intended_ns", &slot.intended_ns);
  fields.at("slow.sequence", &slot.sequence);
  fields.at("slow.cpu", &slot.cpu);
  for (const auto& [name, value] : fields.take()) lines.add(name, value);
  lines.add("slow.stride", sizeof(SlowSlot));
}

// All threads have the same fields, thread.stride bytes apart.
void add_threads(Lines& lines, const TrialMemory& memory) {
  const ThreadBlock& thread = memory.thread(0);
  lines.at("thread.started", &thread.started);
  lines.at("thread.finished", &thread.finished);
  lines.at("thread.os_thread", &thread.os_thread);
  lines.at("thread.last_start_ns", &thread.last_start_ns);
  lines.at("thread.last_end_ns", &thread.last_end_ns);
  lines.at("thread.last_intended_ns", &thread.last_intended_ns);
  lines.at("thread.spun_ns", &thread.spun_ns);
  lines.at("thread.unissued", &thread.unissued);
  lines.at("thread.refused", thread.refused.data());
  lines.add("thread.refused_causes", thread.refused.size());
  lines.at("thread.slowest", memory.slowest(0));
  lines.add("thread.slowest_slots", memory.plan().slowest);
  lines.at("thread.slowest_responses", memory.slowest_responses(0));
  lines.add("thread.slowest_responses_slots", memory.plan().slowest_responses);
  lines.at("thread.service", memory.words(0, Metric::service));
  lines.at("thread.response", memory.words(0, Metric::response));
  lines.at("thread.start_lag", memory.words(0, Metric::start_lag));
  lines.add("thread.stride", memory.thread_stride());
}

void add_calls(Lines& lines, const TrialMemory& memory) {
  const TurnBlock& turn = memory.header().turn;
  lines.at("turn.granted", &turn.granted);
  lines.at("turn.done", &turn.done);
  lines.at("turn.logged", &memory.log(0).logged);
  lines.at("calls.at", memory.calls(0));
  lines.add("calls.stride", sizeof(CallRecord));
  lines.add("calls.intended_ns", offsetof(CallRecord, intended_ns));
  lines.add("calls.start_ns", offsetof(CallRecord, start_ns));
  lines.add("calls.end_ns", offsetof(CallRecord, end_ns));
  lines.add("calls.turn", offsetof(CallRecord, turn));
}

}  // namespace

DescriptionLines describe_memory(const TrialMemory& memory) {
  TrialHeader& header = memory.header();
  Lines lines(&header);
  lines.at("go_ns", &header.go_ns);
  lines.at("stop", &header.stop);
  lines.at("sampled", &header.sampled);
  add_phases(lines);
  add_provider(lines, header.provider);
  add_threads(lines, memory);
  add_slow_slots(lines, *memory.slowest(0));
  lines.at("floor.service", memory.floor_words());
  const HistogramLayout::IndexFormula formula = memory.layout().index_formula();
  lines.add("histogram.slots", memory.layout().count_slots());
  lines.add("histogram.mask", formula.mask);
  lines.add("histogram.half_magnitude", formula.half_magnitude);
  lines.add("histogram.slots_per_doubling", formula.slots_per_doubling);
  lines.add("histogram.offset", formula.offset);
  add_calls(lines, memory);
  return lines.take();
}

DescriptionLines describe_load_for_driver(const TrialPlan& plan, const WrittenSchedule& schedule) {
  const LoadPlan& load = plan.load;
  const std::uint64_t record_start_ns = Schedule(load, 0, 0).record_start_ns();
  const LoadLimits limits = load_limits(load, 0, record_start_ns);
  Lines lines;
  lines.add("run", plan.run);
  lines.add("threads", load.threads);
  lines.add("load.closed_loop", load.shape == Shape::max ? 1 : 0);
  const bool batches = load.shape == Shape::max;
  lines.add("load.batch_calls", batches ? load.burst_events : 0);
  lines.add("load.pause_ns", batches ? static_cast<std::uint64_t>(load.burst_gap_s * 1e9) : 0);
  lines.add("load.pacing", std::string(enum_text(load.pacing)));
  lines.add("load.record_start_ns", record_start_ns);
  lines.add("load.end_ns", limits.intended_ns);
  lines.add("load.give_up_ns", limits.wall_ns);
  lines.add("load.events", load.events);
  lines.add("turns.count", plan.turns.count);
  lines.add("turns.warmup", plan.turns.warmup);
  lines.add("turns.length_ns", plan.turns.length_ns);
  lines.add("turns.lead_ns", kTurnLeadNs);
  lines.add("turns.give_up_ns", turn_give_up_ns(plan.turns.length_ns));
  lines.add("turns.max_calls", plan.turns.max_calls);
  lines.add("schedule.first", schedule.first_at());
  lines.add("schedule.times", schedule.times_at());
  lines.add("schedule.sizes", schedule.sizes_at());
  lines.add("schedule.sizes_each", schedule.sizes_each());
  lines.add("schedule.event", schedule.event_at());
  return lines.take();
}

DescriptionLines describe_sink_for_driver(const TrialSink& sink, const DriverProgram& program) {
  const TrialContext& context = sink.context;
  Lines lines;
  lines.add("clock.base_ns", context.clock.parameters().base_ticks);
  lines.add("encoding", context.encoding == EventEncoding::text ? "text" : "binary");
  lines.add("directory", std::filesystem::absolute(context.directory).string());
  lines.add("log_path", std::filesystem::absolute(program.log_path).string());
  lines.add("max_event_bytes", context.max_event_bytes);
  lines.add("expected_bytes", context.expected_bytes);
  for (const auto& [name, value] : program.settings) lines.add("option." + name, value);
  return lines.take();
}

std::string description_text(const DescriptionLines& lines) {
  std::string text;
  for (const auto& [name, value] : lines) {
    if (std::any_of(value.begin(), value.end(), [](char c) { return c == '\n' || c == '\r'; })) {
      throw Error(
          fmt::format("{} has a line feed, which a program in another language is not told", name),
          "give a value or a folder without line feeds");
    }
    text += fmt::format("{} {}\n", name, value);
  }
  return text;
}

}  // namespace tailgate
