#include "harness/trial/further_parts.h"

#include <algorithm>
#include <string>

#include "harness/trial/action_times.h"
#include "harness/trial/thread_counts.h"

namespace tailgate {

// A program in another language cannot join a load that runs.
void add_late_processes(const std::vector<TrialAction>& actions, const SinkChoice& sink,
                        LoadPlan& load) {
  const Capabilities can = sink.type->capabilities(sink.options);
  if (!can.multi_process || !can.driver_language.empty()) return;
  const std::uint32_t late = most_started(actions, load, ActionTarget::program);
  const std::uint32_t each = threads_each(load);
  load.rate_hz *= static_cast<double>(load.processes + late) / load.processes;
  load.end_rate_hz *= static_cast<double>(load.processes + late) / load.processes;
  load.processes += late;
  load.threads = each * load.processes;
  load.late_processes = late;
}

void FurtherParts::program_started(unsigned process, std::uint64_t now_ns) {
  parts_.push_back({ActionTarget::program, process, now_ns, 0});
}

unsigned FurtherParts::consumer_started(std::uint64_t now_ns) {
  parts_.push_back({ActionTarget::consumer, ++consumers_, now_ns, 0});
  return consumers_;
}

void FurtherParts::rival_started(std::uint64_t now_ns) {
  parts_.push_back({ActionTarget::rival, 0, now_ns, 0});
  rival_from_ = calls(&ThreadBlock::started);
}

void FurtherParts::before_rival_ends() {
  rival_to_ = calls(&ThreadBlock::finished);
}

std::size_t FurtherParts::first_running(ActionTarget who) const {
  const auto first = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.who == who && part.to_ns == 0;
  });
  return static_cast<std::size_t>(first - parts_.begin());
}

FurtherParts::Calls FurtherParts::calls(std::atomic<std::uint64_t> ThreadBlock::*count) const {
  Calls calls;
  for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
    calls.push_back((memory_.thread(i).*count).load(std::memory_order_acquire));
  }
  return calls;
}

void FurtherParts::end(ActionTarget who, std::uint64_t now_ns) {
  const std::size_t first = first_running(who);
  if (first == parts_.size()) return;
  Part& part = parts_[first];
  part.to_ns = now_ns;
  TrialHeader& header = memory_.header();
  if (who == ActionTarget::program) provider_block(header, part.number).stop = 1;
  if (who == ActionTarget::consumer) consumer_block(header, part.number).stop = 1;
}

void FurtherParts::session_ended(std::uint64_t now_ns) {
  for (Part& part : parts_) {
    if (part.to_ns != 0) continue;
    part.to_ns = now_ns;
    if (part.who == ActionTarget::rival) before_rival_ends();
  }
}

std::optional<unsigned> FurtherParts::reader_of_rival() {
  for (Part& part : parts_) {
    if (part.who != ActionTarget::rival) continue;
    part.number = ++consumers_;
    consumer_block(memory_.header(), part.number).session = 1;
    return part.number;
  }
  return std::nullopt;
}

std::vector<FurtherUse> FurtherParts::uses(const LedgerAccount& ledger) const {
  std::vector<FurtherUse> uses;
  for (const Part& part : parts_) uses.push_back(use_of(part, ledger));
  return uses;
}

FurtherUse FurtherParts::use_of(const Part& part, const LedgerAccount& ledger) const {
  FurtherUse use;
  use.who = part.who;
  use.from_ns = part.from_ns;
  use.to_ns = part.to_ns;
  if (part.who == ActionTarget::program) {
    add_program(part, ledger, use);
  } else {
    add_reader(part, use);
  }
  return use;
}

// The trial's own consumer has read its events.
void FurtherParts::add_program(const Part& part, const LedgerAccount& ledger,
                               FurtherUse& use) const {
  const unsigned each = threads_each(memory_.plan().load);
  for (unsigned i = part.number * each; i < (part.number + 1) * each; ++i) {
    const ThreadBlock& thread = memory_.thread(i);
    use.due += at_least_zero(thread.finished.load(), refusals_of(thread));
    use.delivered += memory_.header().consumer.threads[i].delivered;
  }
  use.missing = at_least_zero(use.due, use.delivered);
  use.checked = ledger.checked;
  if (!ledger.checked) use.unchecked_cause = ledger.unchecked_cause.value_or("nobody read them");
}

void FurtherParts::add_reader(const Part& part, FurtherUse& use) const {
  const ConsumerBlock& block = consumer_block(memory_.header(), part.number);
  const Phase phase = block.phase.load(std::memory_order_acquire);
  const std::uint64_t ready_ns = block.ready_ns.load(std::memory_order_relaxed);
  if (part.who == ActionTarget::consumer && ready_ns != 0) use.ready_ns = ready_ns;
  use.checked = part.number != 0 && phase == Phase::done;
  if (!use.checked) {
    use.unchecked_cause = phase == Phase::failed && part.number != 0
                              ? block.error.get()
                              : std::string("its consumer did not read to the end");
    return;
  }
  use.duplicates = block.counts.duplicates;
  use.corrupted = block.counts.corrupted;
  for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
    const ThreadRead& read = block.threads[i];
    use.delivered += read.delivered;
    if (part.who == ActionTarget::rival) {
      add_thread_of_rival(i, read, use);
    } else if (read.oldest > 0) {
      const std::uint64_t span = read.next - (read.oldest - 1);
      use.due += span;
      use.missing += at_least_zero(span, read.delivered);
    }
  }
}

// Its session has events of calls before and after those due, too, which were running when it was
// started or ended.
void FurtherParts::add_thread_of_rival(unsigned thread, const ThreadRead& read,
                                       FurtherUse& use) const {
  const std::uint64_t from = rival_from_.at(thread);
  const std::uint64_t to = std::max(from, rival_to_.at(thread));
  use.due += to - from;
  if (read.oldest == 0) {
    use.missing += to - from;
    return;
  }
  const std::uint64_t first = read.oldest - 1;
  use.missing += std::min(at_least_zero(first, from), to - from);
  use.missing += at_least_zero(read.next - first, read.delivered);
  use.missing += std::min(at_least_zero(to, read.next), to - from);
}

}  // namespace tailgate
