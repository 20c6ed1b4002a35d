#include "providers/fields/fields.h"

#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <string>

#include "providers/fields/formatted_fields.h"
#include "providers/testing/read_back.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

using Catch::Contains;

std::string body_text(const std::vector<std::byte>& event, std::size_t end) {
  const auto* const bytes = reinterpret_cast<const char*>(event.data());
  return {bytes + kTextHeaderBytes, end - kTextHeaderBytes};
}

std::vector<std::byte> stamped_event(std::uint64_t sequence, std::size_t size_bytes) {
  std::vector<std::byte> event = prepare_event(EventEncoding::text, size_bytes);
  stamp_event(event.data(), EventEncoding::text,
              {.run = 1,
               .thread = 0,
               .size_bytes = static_cast<std::uint16_t>(size_bytes),
               .sequence = sequence,
               .emit_ns = 1});
  return event;
}

TEST_CASE("fields are names and values of their kind, other ones in each event") {
  struct Wanted {
    FieldKind kind;
    const char* value;
  };
  const Wanted wanted =
      GENERATE(Wanted{FieldKind::text, "[a-p]{10}"}, Wanted{FieldKind::integer, "[1-3][0-9]{9}"},
               Wanted{FieldKind::real, R"([1-3][0-9]{6}(\.[0-9]{0,2}[1-9])?)"});
  const std::regex field(std::string(" f([0-9]{2})=(") + wanted.value + ")");
  std::set<std::string> values;
  for (std::uint64_t sequence = 0; sequence < 50; ++sequence) {
    std::vector<std::byte> event = stamped_event(sequence, 640);
    const std::size_t end = format_fields(event, EventEncoding::text, wanted.kind, kMaxFields);
    REQUIRE(end <= kTextHeaderBytes + room_for_fields(kMaxFields));
    const std::string text = body_text(event, end);
    INFO(text);
    std::size_t read = 0;
    int number = 0;
    for (auto match = std::sregex_iterator(text.begin(), text.end(), field);
         match != std::sregex_iterator(); ++match, ++number) {
      CHECK(std::stoi((*match)[1].str()) == number);
      values.insert((*match)[2].str());
      read += match->str().size();
    }
    CHECK(number == kMaxFields);
    CHECK(read + 1 == text.size());
    CHECK(text.back() == ' ');
    // The rest is the pattern still.
    const std::vector<std::byte> pattern = prepare_event(EventEncoding::text, 640);
    CHECK(std::equal(event.begin() + static_cast<std::ptrdiff_t>(end), event.end(),
                     pattern.begin() + static_cast<std::ptrdiff_t>(end)));
  }
  CHECK(values.size() == 50 * kMaxFields);
}

TEST_CASE("events with fields are in the sink's file, and come back whole") {
  const char* as = GENERATE("text", "integer", "real");
  const std::string sink = GENERATE("file", "spdlog");  // binary events, and text
  const SinkChoice choice = sink_choice(sink);
  if (!choice.type->probe(choice.options).available) return;  // a build without spdlog
  TestTrial trial(sink + ":fields_count=4:fields_as=" + as, 2, 100, 200);
  const Record record = emit_and_read_back(trial, 20, 2);
  CHECK(record.sequences.size() == 40);
  CHECK(record.bad_events == 0);
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("an event whose fields were changed under way is corrupted") {
  TestTrial trial("file:fields_count=4", 1, 100, 200);
  CHECK(emit_and_read_back(trial, 5, 1).bad_events == 0);
  REQUIRE(change_files(trial, [](std::string& text) {
    const std::size_t at = text.find(" f02=");
    if (at == std::string::npos) return false;
    text[at + 7] = text[at + 7] == 'a' ? 'b' : 'a';
    return true;
  }));
  const Record record = trial.read_back();
  CHECK(record.sequences.size() == 4);
  CHECK(record.bad_events == 1);
}

TEST_CASE("events that have no room for their fields are told before the load") {
  TestTrial trial("null:fields_count=32", 1, 100, 128);
  CHECK_THROWS_WITH(trial.open(),
                    Contains("events of 128 bytes have no room for fields_count = 32"));
}

TEST_CASE("of events of several sizes those without room are refused") {
  TestTrial trial("null:fields_count=4", 1, 100, 200);
  trial.open();
  CHECK(cause_of_refusal(trial, stamped_event(0, 90)) == "too short for its fields");
}

}  // namespace
}  // namespace tailgate
