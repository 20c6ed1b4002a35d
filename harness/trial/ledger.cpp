#include "harness/trial/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace tailgate {
namespace {

void add_slots(const std::array<LossSlot, kLossSlots>& slots, std::uint32_t count,
               const char* reported_by, std::vector<LossCount>& losses) {
  for (std::size_t i = 0; i < std::min<std::size_t>(count, kLossSlots); ++i) {
    const std::uint64_t events = slots[i].events.load();
    if (events == 0) continue;
    // Several processes name the same causes.
    const std::string cause = slots[i].cause.get();
    const auto same = std::find_if(losses.begin(), losses.end(), [&](const LossCount& loss) {
      return loss.cause == cause && loss.reported_by == reported_by;
    });
    if (same == losses.end()) {
      losses.push_back({cause, reported_by, events});
    } else {
      same->events += std::min(events, std::numeric_limits<std::uint64_t>::max() - same->events);
    }
  }
}

void add_refusals(const TrialMemory& memory, std::vector<LossCount>& losses) {
  for (std::size_t cause = 0; cause < Provider::kMaxRefusalCauses; ++cause) {
    std::uint64_t events = 0;
    for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
      events += memory.thread(i).refused[cause].load();
    }
    if (events > 0) {
      losses.push_back({memory.header().provider.refusal_causes[cause].get(), "call", events});
    }
  }
}

// What the provider processes know: the emitted events and its own losses.
LedgerAccount provider_account(const TrialMemory& memory) {
  LedgerAccount account;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    const ThreadBlock& thread = memory.thread(i);
    const std::uint64_t finished = thread.finished.load();
    account.emitted += finished;
    account.in_flight += thread.started.load() - finished;
  }
  add_refusals(memory, account.losses);
  for (unsigned i = 0; i < memory.plan().load.processes; ++i) {
    const ProviderBlock& provider = provider_block(memory.header(), i);
    add_slots(provider.losses, provider.loss_count, "provider", account.losses);
  }
  return account;
}

std::string why_unaccounted(const LedgerAccount& account, const LedgerInputs& inputs) {
  if (account.unaccounted == 0) return "";
  if (!inputs.provider_end.empty()) {
    return "the provider ended by " + inputs.provider_end + " with events still in its buffers";
  }
  if (!inputs.session_failure.empty()) return inputs.session_failure;
  if (account.corrupted + account.damaged_bytes > 0) {
    return fmt::format("{} events and {} bytes came back damaged", account.corrupted,
                       account.damaged_bytes);
  }
  return inputs.accounts_losses ? "the sink counts its losses, yet reports none of these"
                                : "the sink does not count its losses";
}

// The sum of what others report may be any number: it stops at the largest.
std::uint64_t sum_of(const std::vector<LossCount>& losses) {
  std::uint64_t sum = 0;
  for (const LossCount& loss : losses) {
    sum += std::min(loss.events, std::numeric_limits<std::uint64_t>::max() - sum);
  }
  return sum;
}

std::string loss_causes(const LedgerAccount& account) {
  std::string text;
  for (const LossCount& loss : account.losses) {
    text += fmt::format("{}'{}' {}", text.empty() ? "" : ", ", loss.cause, loss.events);
  }
  return text;
}

// Says which counts cannot be true together; empty if all can.
std::string contradiction(const LedgerAccount& account) {
  const std::uint64_t left = account.emitted - std::min(account.emitted, account.delivered);
  if (account.delivered > account.emitted || account.lost > left) {
    const std::string delivered =
        account.checked ? fmt::format(", {} of them delivered", account.delivered) : "";
    return fmt::format("{} events were emitted{}, and {} are reported as lost ({}): that cannot be",
                       account.emitted, delivered, account.lost, loss_causes(account));
  }
  if (account.delivered_in_flight > account.in_flight) {
    return fmt::format(
        "{} events of unfinished calls were delivered, but {} calls were "
        "unfinished: that cannot be",
        account.delivered_in_flight, account.in_flight);
  }
  return "";
}

// Takes back what the consumer counted: nothing follows from it.
void refuse(LedgerAccount& account, std::string cause) {
  static_cast<LedgerCounts&>(account) = {};
  account.checked = false;
  account.unaccounted = 0;
  account.unchecked_cause = std::move(cause);
}

void balance(LedgerAccount& account, const LedgerInputs& inputs) {
  if (std::string wrong = contradiction(account); !wrong.empty()) {
    if (account.unchecked()) wrong = *account.unchecked_cause + "; " + wrong;
    refuse(account, std::move(wrong));
    account.losses.clear();
    account.lost = 0;
    return;
  }
  if (!account.checked) return;
  std::uint64_t unaccounted = account.emitted - account.delivered - account.lost;
  const auto excuse = [&](const char* cause, std::uint64_t events) {
    const std::uint64_t excused = std::min(unaccounted, events);
    if (excused == 0) return;
    account.losses.push_back({cause, "scenario", excused});
    account.lost += excused;
    unaccounted -= excused;
  };
  excuse("killed", inputs.killed);
  if (inputs.switched) {
    account.switched_off = std::min(unaccounted, inputs.switched->not_delivered);
    unaccounted -= *account.switched_off;
    excuse("missed after an enable", inputs.switched->events.missed);
  }
  if (inputs.switched_off) {
    account.switched_off = account.switched_off.value_or(0) + unaccounted;
    unaccounted = 0;
  }
  if (unaccounted > 0 && inputs.interrupted) {
    return refuse(account, fmt::format("interrupted when {} of {} events had been read back",
                                       account.delivered, account.emitted));
  }
  account.unaccounted = static_cast<std::int64_t>(unaccounted);
  account.unaccounted_cause = why_unaccounted(account, inputs);
}

// Takes back refusals of calls that were not to be recorded anyhow.
void forgive_refusals(std::uint64_t events, std::vector<LossCount>& losses) {
  for (LossCount& loss : losses) {
    if (loss.reported_by != "call") continue;
    const std::uint64_t forgiven = std::min(loss.events, events);
    loss.events -= forgiven;
    events -= forgiven;
  }
  std::erase_if(losses, [](const LossCount& loss) { return loss.events == 0; });
}

}  // namespace

Ledger::Ledger(std::uint32_t run, unsigned threads, EventEncoding encoding,
               std::function<std::uint64_t(unsigned)> begun,
               std::function<std::uint64_t(unsigned)> mark, const LogLines* lines)
    : run_(run),
      encoding_(encoding),
      begun_(std::move(begun)),
      mark_(std::move(mark)),
      lines_(lines),
      threads_(threads) {}

bool Ledger::was_emitted(Thread& thread, unsigned number, std::uint64_t sequence) {
  if (sequence < thread.begun) return true;
  thread.begun = begun_(number);
  return sequence < thread.begun;
}

bool Ledger::add(std::span<const std::byte> bytes, EventStamp& stamp) {
  const EventCheck check = lines_ == nullptr ? check_event(bytes, encoding_, stamp)
                                             : check_event(bytes, encoding_, *lines_, stamp);
  if (check == EventCheck::not_an_event || check == EventCheck::too_short) {
    ++counts_.foreign;
    return false;
  }
  if (check == EventCheck::bad_checksum) {
    ++counts_.corrupted;
    return false;
  }
  if (stamp.run != run_ || stamp.thread >= threads_.size() ||
      !was_emitted(threads_[stamp.thread], stamp.thread, stamp.sequence)) {
    ++counts_.foreign;
    return false;
  }
  if (check != EventCheck::intact) {
    ++counts_.corrupted;
    return false;
  }
  Thread& thread = threads_[stamp.thread];
  const std::size_t word = stamp.sequence / 64;
  const std::uint64_t bit = std::uint64_t{1} << (stamp.sequence % 64);
  if (word >= thread.seen.size()) thread.seen.resize(std::max(word + 1, 2 * thread.seen.size()));
  if ((thread.seen[word] & bit) != 0) {
    ++counts_.duplicates;
    return false;
  }
  thread.seen[word] |= bit;
  ++counts_.delivered;
  if (keeps_times_) keep_time(thread, stamp);
  if (stamp.sequence >= thread.youngest && (!mark_ || stamp.sequence < mark_(stamp.thread))) {
    thread.youngest = stamp.sequence + 1;
    thread.youngest_ns = stamp.emit_ns;
  }
  if (thread.oldest == 0 || stamp.sequence < thread.oldest - 1) {
    thread.oldest = stamp.sequence + 1;
    thread.oldest_ns = stamp.emit_ns;
  }
  if (stamp.sequence + 1 < thread.next) {
    ++counts_.reordered;
  } else {
    thread.next = stamp.sequence + 1;
  }
  return true;
}

void Ledger::keep_time(Thread& thread, const EventStamp& stamp) {
  std::vector<std::uint64_t>& times_ns = thread.times_ns;
  if (stamp.sequence >= times_ns.size()) {
    times_ns.resize(std::max<std::size_t>(stamp.sequence + 1, 2 * times_ns.size()));
  }
  times_ns[stamp.sequence] = stamp.emit_ns;
}

std::optional<std::uint64_t> Ledger::time_of(unsigned thread, std::uint64_t sequence) const {
  if (!has(thread, sequence)) return std::nullopt;
  return threads_.at(thread).times_ns.at(sequence);
}

bool Ledger::has(unsigned thread, std::uint64_t sequence) const {
  const std::vector<std::uint64_t>& seen = threads_.at(thread).seen;
  const std::size_t word = sequence / 64;
  return word < seen.size() && (seen[word] >> (sequence % 64) & 1) != 0;
}

ThreadRead Ledger::read_of(unsigned number, std::uint64_t end) const {
  const Thread& thread = threads_.at(number);
  ThreadRead read{};
  for (std::size_t word = 0; word < thread.seen.size(); ++word) {
    const std::uint64_t first = 64 * std::uint64_t{word};
    const std::uint64_t bits = thread.seen[word];
    const std::uint64_t before = end <= first ? 0
                                 : end - first >= 64
                                     ? bits
                                     : bits & ((std::uint64_t{1} << (end - first)) - 1);
    read.delivered += static_cast<std::uint64_t>(std::popcount(bits));
    read.delivered_before += static_cast<std::uint64_t>(std::popcount(before));
    if (before != 0)
      read.next_before = first + 64 - static_cast<std::uint64_t>(std::countl_zero(before));
  }
  read.youngest_ns = thread.youngest_ns;
  read.oldest = thread.oldest;
  read.oldest_ns = thread.oldest_ns;
  read.next = thread.next;
  return read;
}

std::uint64_t missing_events(const TrialMemory& memory, const LedgerCounts& counts) {
  const LedgerAccount account = provider_account(memory);
  std::uint64_t known = counts.delivered + counts.corrupted;
  for (const LossCount& loss : account.losses) known += loss.events;
  const std::uint64_t emitted = account.emitted + counts.delivered_in_flight;
  return emitted - std::min(emitted, known);
}

LedgerAccount balance_ledger(const TrialMemory& memory, const LedgerInputs& inputs) {
  const TrialHeader& header = memory.header();
  LedgerAccount account = provider_account(memory);
  account.checked = inputs.read_back;
  if (!inputs.unchecked_cause.empty()) account.unchecked_cause = inputs.unchecked_cause;
  for (const Loss& loss : inputs.session_losses) {
    if (loss.events > 0) account.losses.push_back({loss.cause, "session", loss.events});
  }
  if (inputs.read_back) {
    const ConsumerBlock& consumer = header.consumer;
    add_slots(consumer.losses, consumer.loss_count, "consumer", account.losses);
    static_cast<LedgerCounts&>(account) = consumer.counts;
    account.emitted += account.delivered_in_flight;
    if (inputs.switched) forgive_refusals(inputs.switched->refused, account.losses);
  }
  account.lost = sum_of(account.losses);
  balance(account, inputs);
  return account;
}

}  // namespace tailgate
