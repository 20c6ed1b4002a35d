#include "providers/journald/event_fields.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "harness/base/log_lines.h"

namespace tailgate::journald {
namespace {

EventBytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(EventBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// As libsystemd hands it out.
std::string data_of(const EntryField& field) {
  return std::string(slot_name(field.slot)) + text_of(field.value);
}

// From the last field to the first: the journal has an order of its own.
std::string joined(const SplitEvent& split) {
  JoinedEvent event;
  event.add(bytes_of("_PID=7"));
  for (std::size_t i = split.count; i > 0; --i) event.add(bytes_of(data_of(split.fields[i - 1])));
  const auto whole = event.event();
  REQUIRE(whole);
  return text_of(*whole);
}

std::string names_of(const SplitEvent& split) {
  std::string names;
  for (std::size_t i = 0; i < split.count; ++i) names += slot_name(split.fields[i].slot);
  return names;
}

TEST_CASE("names of fields are such as the journal takes") {
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const std::string_view name = slot_name(slot);
    INFO(name);
    CHECK(name.ends_with("="));
    const std::string_view letters = name.substr(0, name.size() - 1);
    CHECK(letters.size() <= 64);
    CHECK(letters.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == letters.npos);
    CHECK((letters.front() >= 'A' && letters.front() <= 'Z'));
  }
}

TEST_CASE("every log line is split into the fields of an entry, and put together again") {
  const EventEncoding encoding = GENERATE(EventEncoding::binary, EventEncoding::text);
  const LogLines lines(encoding, kMaxEventBytes);
  for (std::uint64_t i = 0; i < kLogLines; ++i) {
    const std::string event = std::string(min_event_bytes(encoding), '\n') + text_of(lines.body(i));
    INFO(i);
    SplitEvent split;
    split_event(EntryFields::log, encoding, bytes_of(event), split);
    const bool has_fields = line_kind(i) != LineKind::empty;
    CHECK(names_of(split) ==
          (has_fields ? "TAILGATE_HEADER=TIME=LEVEL=LOGGER=CALLER=MESSAGE=FIELDS=" : "MESSAGE="));
    CHECK(joined(split) == event);
    split_event(EntryFields::one, encoding, bytes_of(event), split);
    CHECK(names_of(split) == "MESSAGE=");
    CHECK(joined(split) == event);
  }
}

TEST_CASE("formatted fields are the fields of an entry, up to the last one") {
  const std::string header(kTextHeaderBytes, 'h');
  const auto [body, names] = GENERATE(
      std::pair{" f00=abc f01=12.5 rest", "TAILGATE_HEADER=F00=F01=MESSAGE="},
      std::pair{" f00= f01= ", "TAILGATE_HEADER=F00=F01=MESSAGE="},
      std::pair{" f00=to the end", "TAILGATE_HEADER=F00=MESSAGE="},
      std::pair{" f00=abc", "TAILGATE_HEADER=F00=MESSAGE="}, std::pair{" f01=abc ", "MESSAGE="},
      std::pair{"abcdefgh", "MESSAGE="}, std::pair{"", "MESSAGE="});
  INFO(body);
  const std::string event = header + body;
  SplitEvent split;
  split_event(EntryFields::named, EventEncoding::text, bytes_of(event), split);
  CHECK(names_of(split) == names);
  CHECK(joined(split) == event);
}

TEST_CASE("an entry has as many formatted fields as an event can have") {
  std::string event(kTextHeaderBytes, 'h');
  for (int i = 0; i < 33; ++i) event += (i < 10 ? " f0" : " f") + std::to_string(i) + "=x";
  SplitEvent split;
  split_event(EntryFields::named, EventEncoding::text, bytes_of(event), split);
  CHECK(split.count == 34);
  CHECK(text_of(split.fields[32].value) == "x");
  CHECK(text_of(split.fields[33].value) == " f32=x");
  CHECK(joined(split) == event);
}

TEST_CASE("an entry in which a field is missing is no whole event") {
  const LogLines lines(EventEncoding::text, kLeastLongestBytes);
  const std::string log = std::string(kTextHeaderBytes, 'h') + text_of(lines.body(0));
  const std::string named = std::string(kTextHeaderBytes, 'h') + " f00=a f01=b f02=c rest";
  for (const auto& [how, event] :
       {std::pair{EntryFields::log, log}, std::pair{EntryFields::named, named}}) {
    SplitEvent split;
    split_event(how, EventEncoding::text, bytes_of(event), split);
    for (std::size_t left_out = 0; left_out < split.count; ++left_out) {
      JoinedEvent part;
      for (std::size_t i = 0; i < split.count; ++i) {
        if (i != left_out) part.add(bytes_of(data_of(split.fields[i])));
      }
      const auto whole = part.event();
      CHECK((!whole || whole->size() < event.size()));
    }
  }
}

TEST_CASE("fields of an entry are not those of the one before it") {
  JoinedEvent event;
  event.add(bytes_of("MESSAGE=first"));
  event.add(bytes_of("TAILGATE_HEADER=h"));
  event.clear();
  CHECK_FALSE(event.event());
  event.add(bytes_of("MESSAGE="));
  REQUIRE(event.event());
  CHECK(event.event()->empty());
}

}  // namespace
}  // namespace tailgate::journald
