#include "harness/trial/line_comparison.h"

#include <algorithm>
#include <string_view>

#include "harness/base/log_fields.h"
#include "harness/base/quoting.h"

namespace tailgate {
namespace {

LineShare share_of(std::span<const std::byte> bytes) {
  LineShare share{};
  share.count = static_cast<std::uint32_t>(std::min(bytes.size(), share.bytes.size()));
  std::ranges::copy(bytes.first(share.count), share.bytes.begin());
  return share;
}

std::string text_of(const LineShare& share) {
  const auto* first = reinterpret_cast<const char*>(share.bytes.data());
  return tsv_cell({first, std::min<std::size_t>(share.count, share.bytes.size())});
}

std::optional<std::string> field_name(std::uint32_t number) {
  if (number == 0 || number > kLogFields) return std::nullopt;
  return std::string(kLogFieldNames[number - 1]);
}

LineKindRead kind_read(const LineKindBlock& block, LineKind kind) {
  LineKindRead read{.kind = kind,
                    .lines = block.lines,
                    .same = block.same,
                    .cut = block.cut,
                    .changed = block.changed,
                    .missing = block.missing,
                    .first = {}};
  if (block.cut + block.changed > 0) {
    read.first = {.thread = block.first_thread,
                  .sequence = block.first_sequence,
                  .offset_bytes = block.first_offset_bytes,
                  .field = field_name(block.first_field),
                  .expected = text_of(block.expected),
                  .found = text_of(block.found)};
  }
  return read;
}

}  // namespace

LineComparison::LineComparison(TrialMemory& memory, EventEncoding encoding, std::size_t copies)
    : memory_(memory),
      encoding_(encoding),
      lines_(encoding, static_cast<std::size_t>(memory.plan().load.payload.first)),
      copies_(std::min(copies, kMaxCopies)) {
  for (Copy& copy : copies_) copy.seen.resize(memory.plan().load.threads);
}

bool LineComparison::is_new(Copy& copy, const EventStamp& stamp) {
  std::vector<bool>& seen = copy.seen[stamp.thread];
  if (stamp.sequence >= seen.size()) {
    seen.resize(std::max<std::uint64_t>(stamp.sequence + 1, 2 * seen.size()));
  }
  const bool is_new = !seen[stamp.sequence];
  seen[stamp.sequence] = true;
  return is_new;
}

void LineComparison::add(std::size_t number, std::span<const std::byte> event) {
  if (number >= copies_.size()) return;
  CopyBlock& block = memory_.header().consumer.copies[number];
  EventStamp stamp;
  const EventCheck check = check_event(event, encoding_, stamp);
  const bool has_stamp = check == EventCheck::intact || check == EventCheck::bad_body ||
                         check == EventCheck::wrong_size;
  // A number that was never sent would make the list of those that were seen as long.
  if (!has_stamp || stamp.run != memory_.plan().run ||
      stamp.thread >= memory_.plan().load.threads ||
      stamp.sequence >= memory_.thread(stamp.thread).started.load(std::memory_order_acquire)) {
    ++block.foreign;
    return;
  }
  if (!is_new(copies_[number], stamp)) {
    ++block.twice;
    return;
  }
  compare(block, stamp, event.subspan(lines_.header_bytes()));
}

void LineComparison::compare(CopyBlock& block, const EventStamp& stamp,
                             std::span<const std::byte> found) {
  LineKindBlock& kind = block.kinds[static_cast<std::size_t>(line_kind(stamp.sequence))];
  const std::span<const std::byte> sent = lines_.body(stamp.sequence);
  const auto [at_sent, at_found] = std::ranges::mismatch(sent, found);
  if (at_sent == sent.end() && at_found == found.end()) {
    ++kind.same;
    return;
  }
  const auto offset = static_cast<std::size_t>(at_sent - sent.begin());
  if (kind.cut + kind.changed == 0) {
    kind.first_thread = stamp.thread;
    kind.first_sequence = stamp.sequence;
    kind.first_offset_bytes = offset;
    const auto field = log_field_at(sent, offset);
    kind.first_field = field ? static_cast<std::uint32_t>(*field + 1) : 0;
    kind.expected = share_of(sent.subspan(offset));
    kind.found = share_of(found.subspan(offset));
  }
  ++(at_found == found.end() ? kind.cut : kind.changed);
}

void LineComparison::finish() {
  for (unsigned thread = 0; thread < memory_.plan().load.threads; ++thread) {
    const std::uint64_t sent = memory_.thread(thread).finished.load(std::memory_order_acquire);
    for (std::size_t number = 0; number < copies_.size(); ++number) {
      const std::vector<bool>& seen = copies_[number].seen[thread];
      CopyBlock& block = memory_.header().consumer.copies[number];
      for (std::uint64_t sequence = 0; sequence < sent; ++sequence) {
        LineKindBlock& kind = block.kinds[static_cast<std::size_t>(line_kind(sequence))];
        ++kind.lines;
        if (sequence >= seen.size() || !seen[sequence]) ++kind.missing;
      }
    }
  }
  memory_.header().consumer.copy_count = static_cast<std::uint32_t>(copies_.size());
}

std::vector<CopyRead> copies_read(const TrialMemory& memory,
                                  const std::vector<std::string>& names) {
  const ConsumerBlock& consumer = memory.header().consumer;
  const std::size_t count =
      std::min({std::size_t{consumer.copy_count.load()}, kMaxCopies, names.size()});
  std::vector<CopyRead> copies;
  for (std::size_t number = 0; number < count; ++number) {
    const CopyBlock& block = consumer.copies[number];
    CopyRead copy{
        .sink = names[number], .kinds = {}, .twice = block.twice, .foreign = block.foreign};
    for (std::size_t kind = 0; kind < kLineKinds; ++kind) {
      if (block.kinds[kind].lines == 0) continue;
      copy.kinds.push_back(kind_read(block.kinds[kind], static_cast<LineKind>(kind)));
    }
    copies.push_back(std::move(copy));
  }
  return copies;
}

}  // namespace tailgate
