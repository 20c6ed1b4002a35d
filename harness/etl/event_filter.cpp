#include "harness/etl/event_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include "harness/base/options.h"
#include "harness/base/quoting.h"
#include "harness/etl/text.h"
#include "harness/etl/where.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxNoted = 4096;
constexpr std::size_t kMaxListed = 8;

bool contains_text(std::string_view whole, std::string_view part) {
  return std::search(whole.begin(), whole.end(), part.begin(), part.end(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) ==
                  std::tolower(static_cast<unsigned char>(y));
         }) != whole.end();
}

// Up to kMaxListed of the texts, and how many more there are.
std::string listed(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  const std::size_t more = texts.size() > kMaxListed ? texts.size() - kMaxListed : 0;
  texts.resize(texts.size() - more);
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "'" : ", '") + printable(one) + "'";
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

// The names that contain the wanted one, else the one that is spelled most like it, else all.
std::string near_names(const std::string& wanted, const std::vector<std::string>& names) {
  std::vector<std::string> around;
  for (const std::string& name : names) {
    if (contains_text(name, wanted)) around.push_back(name);
  }
  if (!around.empty()) return "near: " + listed(around);
  const std::string nearest = nearest_name(wanted, names);
  if (!nearest.empty()) return "near: " + listed({nearest});
  return names.empty() ? "there are none" : "there are: " + listed(names);
}

}  // namespace

bool is_named(const DecodedEvent& event, std::string_view wanted) {
  if (equal_but_for_case(wanted, event.event_name)) return true;
  if (event.schema && (equal_but_for_case(wanted, event.schema->opcode_name) ||
                       equal_but_for_case(wanted, event.schema->task_name))) {
    return true;
  }
  std::uint16_t id = 0;
  const char* end = wanted.data() + wanted.size();
  const auto [stopped, failure] = std::from_chars(wanted.data(), end, id);
  return failure == std::errc() && stopped == end && id == event.header.id;
}

FilterMatcher::FilterMatcher(const EventFilter& filter) : filter_(filter) {
  for (const std::string& text : filter.providers) {
    if (auto guid = parse_guid(text)) guids_.push_back(*guid);
  }
}

bool FilterMatcher::has_time() const {
  return filter_.from_ms || filter_.to_ms || filter_.since || filter_.until;
}

bool FilterMatcher::time_matches(const SessionClock& clock, std::int64_t raw) const {
  if (filter_.from_ms || filter_.to_ms) {
    const double ms = static_cast<double>(clock.elapsed_ns(raw)) / 1e6;
    if (filter_.from_ms && ms < *filter_.from_ms) return false;
    if (filter_.to_ms && ms > *filter_.to_ms) return false;
  }
  if (!filter_.since && !filter_.until) return true;
  const std::int64_t at = clock.filetime(raw);
  return (!filter_.since || at >= *filter_.since) && (!filter_.until || at <= *filter_.until);
}

bool FilterMatcher::matches(const EventView& view) const {
  return ids_and_names_match(view.event) && (!filter_.where || filter_.where->matches(view));
}

bool FilterMatcher::ids_and_names_match(const DecodedEvent& event) const {
  return process_matches(event) && provider_matches(event) && event_matches(event);
}

bool FilterMatcher::process_matches(const DecodedEvent& event) const {
  return filter_.process_ids.empty() ||
         std::find(filter_.process_ids.begin(), filter_.process_ids.end(),
                   event.header.process_id) != filter_.process_ids.end();
}

bool FilterMatcher::provider_matches(const DecodedEvent& event) const {
  if (filter_.providers.empty()) return true;
  if (std::find(guids_.begin(), guids_.end(), event.header.provider) != guids_.end()) return true;
  return std::any_of(
      filter_.providers.begin(), filter_.providers.end(),
      [&event](const std::string& name) { return equal_but_for_case(name, event.provider_name); });
}

bool FilterMatcher::event_matches(const DecodedEvent& event) const {
  return filter_.events.empty() ||
         std::any_of(filter_.events.begin(), filter_.events.end(),
                     [&event](const std::string& name) { return is_named(event, name); });
}

void FilterMatcher::note_time(const SessionClock& clock, std::int64_t raw) {
  const double ms = static_cast<double>(clock.elapsed_ns(raw)) / 1e6;
  const std::int64_t time = clock.filetime(raw);
  if (!noted_time_) {
    first_ms_ = last_ms_ = ms;
    first_time_ = last_time_ = time;
    noted_time_ = true;
  }
  first_ms_ = std::min(first_ms_, ms);
  last_ms_ = std::max(last_ms_, ms);
  first_time_ = std::min(first_time_, time);
  last_time_ = std::max(last_time_, time);
}

void FilterMatcher::note(const EventView& view) {
  const DecodedEvent& event = view.event;
  any_in_time_ = true;
  any_process_ = any_process_ || process_matches(event);
  any_provider_ = any_provider_ || provider_matches(event);
  any_event_ = any_event_ || event_matches(event);
  const auto add = [](std::string_view name, Names& names) {
    if (names.size() < kMaxNoted && names.find(name) == names.end()) names.emplace(name);
  };
  if (!filter_.providers.empty()) add(event.provider_name, providers_);
  if (!filter_.events.empty()) add(event.event_name, events_);
  if (!filter_.process_ids.empty() && processes_.size() < kMaxNoted &&
      event.header.process_id != RecordHeader::kNoId) {
    processes_.insert(event.header.process_id);
  }
  if (!filter_.where || !ids_and_names_match(event)) return;
  any_but_for_where_ = true;
  for (const Field& field : event.fields) add(field.name, fields_);
}

void FilterMatcher::note(const FilterMatcher& other) {
  any_process_ = any_process_ || other.any_process_;
  any_provider_ = any_provider_ || other.any_provider_;
  any_event_ = any_event_ || other.any_event_;
  any_in_time_ = any_in_time_ || other.any_in_time_;
  any_but_for_where_ = any_but_for_where_ || other.any_but_for_where_;
  providers_.insert(other.providers_.begin(), other.providers_.end());
  events_.insert(other.events_.begin(), other.events_.end());
  fields_.insert(other.fields_.begin(), other.fields_.end());
  processes_.insert(other.processes_.begin(), other.processes_.end());
}

std::string FilterMatcher::why_no_name(std::string_view what,
                                       const std::vector<std::string>& wanted, const Names& names) {
  const std::vector<std::string> all(names.begin(), names.end());
  std::string text;
  for (const std::string& name : wanted) {
    text +=
        fmt::format("\n  no event is of {} '{}'; {}", what, printable(name), near_names(name, all));
  }
  return text;
}

std::string FilterMatcher::why_no_process() const {
  std::vector<std::string> all;
  for (std::uint32_t id : processes_) all.push_back(std::to_string(id));
  return fmt::format("\n  no event is of process {}; there are: {}",
                     fmt::join(filter_.process_ids, ", "), all.empty() ? "none" : listed(all));
}

std::string FilterMatcher::why_no_time() const {
  if (!noted_time_) return {};
  return fmt::format("\n  no event is in that time; they are from {:.3f} to {:.3f} ms, {} to {}",
                     first_ms_, last_ms_, filetime_text(first_time_), filetime_text(last_time_));
}

std::string FilterMatcher::why_no_field() const {
  const std::vector<std::string> all(fields_.begin(), fields_.end());
  std::string text;
  for (const std::string& wanted : filter_.where->top_fields()) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const std::string& name) {
      return equal_but_for_case(name, wanted);
    });
    if (known) continue;
    text += fmt::format("\n  no event that the rest of the filter matches has a field '{}'; {}",
                        printable(wanted), near_names(wanted, all));
  }
  if (text.empty()) text = "\n  no event meets the condition of --where";
  return text;
}

std::string FilterMatcher::why_nothing() const {
  const bool all_pass = filter_.providers.empty() && filter_.events.empty() &&
                        filter_.process_ids.empty() && !has_time() && !filter_.where;
  if (all_pass) return {};
  std::string text = "no event matches the filter";
  if (has_time() && !any_in_time_) return text + why_no_time();
  if (!filter_.providers.empty() && !any_provider_) {
    text += why_no_name("provider", filter_.providers, providers_);
  }
  if (!filter_.events.empty() && !any_event_) {
    text += why_no_name("name or id", filter_.events, events_);
  }
  if (!filter_.process_ids.empty() && !any_process_) text += why_no_process();
  if (any_but_for_where_) text += why_no_field();
  if (text.find('\n') == std::string::npos) text += ": each criterion alone matches some";
  return text;
}

}  // namespace tailgate::etl
