#include "harness/etl/activities.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "harness/etl/durations.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxNames = 65'536;
constexpr std::size_t kMaxActivityNamesBytes = 4u << 20;
constexpr std::size_t kMaxActivityNameBytes = 256;
constexpr std::uint8_t kOpcodeSend = 9;  // winmeta.xml: win:Send

Guid related_activity(const RecordHeader& header) {
  const Bytes id = find_extended(header.extended, ExtendedType::related_activity_id);
  return id.size() < 16 ? Guid{} : load_guid(id.data());
}

}  // namespace

Activities::Activities() : names_{"(none of its events)", "(more names than are kept)"} {}

void Activities::add(const DecodedEvent& event, std::int64_t time_ns) {
  const RecordHeader& header = event.header;
  const Guid related = related_activity(header);
  if (header.activity.is_zero()) ++events_without_;
  const std::uint32_t own = number_of(header.activity);
  if (own != kNone) {
    Activity& activity = activities_[own];
    if (activity.events++ == 0) {
      activity.process_id = header.process_id;
      activity.name = name_number(event);
      activity.first_ns = activity.last_ns = time_ns;
    }
    activity.first_ns = std::min(activity.first_ns, time_ns);
    activity.last_ns = std::max(activity.last_ns, time_ns);
  } else if (!header.activity.is_zero()) {
    ++events_over_limit_;
  }
  if (related == header.activity || related.is_zero()) return;
  const std::uint32_t other = number_of(related);
  if (own == kNone) return;
  if (other == kNone) {
    ++events_over_limit_;
    return;
  }
  if (header.opcode == kOpcodeSend) {
    nest(other, own);
  } else {
    nest(own, other);
  }
}

std::uint32_t Activities::number_of(const Guid& id) {
  if (id.is_zero()) return kNone;
  if (auto known = numbers_.find(id); known != numbers_.end()) return known->second;
  if (activities_.size() == kMaxActivities) return kNone;
  const auto number = static_cast<std::uint32_t>(activities_.size());
  numbers_.emplace(id, number);
  activities_.emplace_back().id = id;
  above_.push_back(kNone);
  return number;
}

std::uint32_t Activities::name_number(const DecodedEvent& event) {
  std::string name = fmt::format("{}/{}", event.provider_name, event.event_name);
  if (event.event_name.empty()) name += std::to_string(event.header.id);
  name.resize(std::min(name.size(), kMaxActivityNameBytes));
  if (auto known = name_numbers_.find(name); known != name_numbers_.end()) return known->second;
  if (names_.size() == kMaxNames || name_bytes_ + name.size() > kMaxActivityNamesBytes) return 1;
  name_bytes_ += name.size();
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back(name);
  name_numbers_.emplace(std::move(name), number);
  return number;
}

std::uint32_t Activities::root_of(std::uint32_t activity) {
  while (above_[activity] != kNone) {
    const std::uint32_t above = above_[activity];
    if (above_[above] != kNone) above_[activity] = above_[above];
    activity = above;
  }
  return activity;
}

void Activities::nest(std::uint32_t child, std::uint32_t parent) {
  if (activities_[child].parent != kNone) return;
  if (root_of(parent) == child) {
    ++circles_;
    return;
  }
  activities_[child].parent = parent;
  above_[child] = parent;
}

ActivityTrees::ActivityTrees(const Activities& activities) : wholes_(activities.size()) {
  constexpr std::uint32_t kNone = Activities::kNone;
  const auto count = static_cast<std::uint32_t>(activities.size());
  // Lists of children: where each activity's end, and behind all others the roots.
  std::vector<std::uint32_t> ends(count + 1);
  const auto list_of = [&](std::uint32_t activity) {
    const std::uint32_t parent = activities[activity].parent;
    return parent == kNone ? count : parent;
  };
  for (std::uint32_t i = 0; i < count; ++i) ++ends[list_of(i)];
  for (std::uint32_t i = 1; i <= count; ++i) ends[i] += ends[i - 1];
  std::vector<std::uint32_t> begins = ends;
  std::vector<std::uint32_t> children(count);
  for (std::uint32_t i = count; i-- > 0;) children[--begins[list_of(i)]] = i;
  const auto list = [&](std::uint32_t of) {
    return std::span(children).subspan(begins[of], ends[of] - begins[of]);
  };
  // Parents before children; backwards, each whole is complete when its parent takes it.
  std::vector<std::uint32_t> order(list(count).begin(), list(count).end());
  roots_ = order.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto below = list(order[i]);
    order.insert(order.end(), below.begin(), below.end());
  }
  const auto include = [](Whole& whole, const Whole& part) {
    if (part.events == 0) return;
    whole.first_ns = whole.events == 0 ? part.first_ns : std::min(whole.first_ns, part.first_ns);
    whole.last_ns = whole.events == 0 ? part.last_ns : std::max(whole.last_ns, part.last_ns);
    whole.events += part.events;
  };
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Activities::Activity& one = activities[*at];
    include(wholes_[*at], {one.events, one.first_ns, one.last_ns});
    if (one.parent != kNone) include(wholes_[one.parent], wholes_[*at]);
  }
  const auto longest_last = [this](std::uint32_t a, std::uint32_t b) {
    const Whole& x = wholes_[a];
    const Whole& y = wholes_[b];
    const std::uint64_t x_ns = duration_between(x.first_ns, x.last_ns);
    const std::uint64_t y_ns = duration_between(y.first_ns, y.last_ns);
    if (x_ns != y_ns) return x_ns < y_ns;
    return x.events != y.events ? x.events < y.events : a > b;
  };
  std::vector<Row> open;
  const auto push = [&](std::uint32_t of, std::uint32_t depth) {
    auto below = list(of);
    std::sort(below.begin(), below.end(), longest_last);
    for (std::uint32_t activity : below) open.push_back({activity, depth});
  };
  push(count, 0);
  rows_.reserve(count);
  while (!open.empty()) {
    rows_.push_back(open.back());
    open.pop_back();
    push(rows_.back().activity, rows_.back().depth + 1);
  }
}

}  // namespace tailgate::etl
