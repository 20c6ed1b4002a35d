#include "harness/explain/page_capture.h"

#include <algorithm>

namespace tailgate::activity {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

}  // namespace

void PageCapture::add(std::span<const std::byte> page) {
  // A page that lost records states their number after its last record.
  const tracefs::RingPage header(layout_, page);
  const std::size_t used = layout_.data_at + header.used_bytes() + layout_.commit_bytes;
  const std::span<const std::byte> kept = page.first(std::min(used, page.size()));
  if (blocks_.empty() || blocks_.back().size() + kept.size() > blocks_.back().capacity()) {
    blocks_.emplace_back().reserve(std::max(kBlockBytes, kept.size()));
  }
  std::vector<std::byte>& block = blocks_.back();
  pages_.push_back({blocks_.size() - 1, block.size(), kept.size()});
  block.insert(block.end(), kept.begin(), kept.end());
  bytes_ += kept.size();
}

void PageCapture::start() {
  pop();
}

void PageCapture::pop() {
  lost_ = false;
  tracefs::RingRecord record;
  while (!page_.next(record)) {
    if (!open_next_page()) return record_.reset();
  }
  record_ = record;
}

bool PageCapture::open_next_page() {
  damaged_bytes_ += page_.damaged_bytes();
  page_ = {};
  if (next_page_ == pages_.size()) return false;
  const Page& next = pages_[next_page_++];
  page_ = tracefs::RingPage(layout_, std::span(blocks_[next.block]).subspan(next.at, next.bytes));
  if (page_.missed()) {
    lost_ = true;
    lost_records_ += page_.missed_events().value_or(1);
  }
  return true;
}

}  // namespace tailgate::activity
