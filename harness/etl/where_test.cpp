#include "harness/etl/where.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/etl/testing/decode_record.h"

using namespace tailgate::etl;

namespace {

constexpr unsigned kU16 = 6;
constexpr unsigned kI32 = 7;
constexpr unsigned kWhereU32 = 8;
constexpr unsigned kU64 = 0x0A;
constexpr unsigned kDouble = 0x0C;
constexpr unsigned kBool = 0x0D;
constexpr unsigned kAnsi = 2;
constexpr unsigned kHex64 = 0x15;
constexpr unsigned kStruct = 0x18;
constexpr unsigned kCounted = 0x40;
constexpr int kPort = 7;

// One event with a field of every sort; it happened 1.5 ms after the session's start.
class Sample {
 public:
  Sample() : held_(event_record(made())) {
    decoder_.decode(held_.record, event_);
    header_.start_raw = 1000;
    header_.clock_hz = 10'000'000;
    header_.start_filetime = 132'000'000'000'000'000;
    clock_ = SessionClock(header_);
  }

  EventView view() const { return {event_, held_.record, clock_, header_}; }
  bool meets(std::string_view condition) const { return Where(condition).matches(view()); }
  std::string text(std::string_view path) const {
    std::string out;
    return EventPath::parse(path).append_text(view(), out) ? out : "(none)";
  }

 private:
  static EventRecord made() {
    MetadataBuilder metadata("Written");
    metadata.field("Size", kWhereU32)
        .field("FileName", kAnsi)
        .field("Delta", kI32)
        .field("Offset", kU64)
        .field("Share", kDouble)
        .field("Cached", 0x80 | kBool, 3)
        .field("Buffer", kHex64)
        .field("Port", 0x80 | kU16, kPort)
        .field("pid", kWhereU32)
        .field("odd name", kWhereU32)
        .field("Counts", kCounted | kU16)
        .field("Parts", kCounted | 0x80 | kStruct, 2)
        .field("Index", kU16)
        .field("Name", kAnsi);
    EventRecord record;
    record.provider.bytes[0] = 5;
    record.id = 7;
    record.time = 1000 + 15'000;
    record.process = 500;
    record.thread = 8;
    record.keyword = 0x8000'0000'0000'0010;
    record.extended = {{std::uint16_t{0x0B}, metadata.bytes()}};
    ByteBuilder b;
    b.u32(8192).text8("C:\\Temp\\a.LOG").u32(0xFFFFFFFB).u64(0xFFFF'FFFF'FFFF'FFFF);
    const double share = 0.25;
    b.raw({reinterpret_cast<const std::uint8_t*>(&share), sizeof share});
    b.u32(1).u64(0xFFFF'F800'0000'1000).u8(0x01).u8(0xBB).u32(77).u32(3);
    b.u16(3).u16(10).u16(20).u16(30);
    b.u16(2).u16(1).text8("head").u16(2).text8("tail");
    record.payload = b.bytes();
    return record;
  }

  Held held_;
  Decoder decoder_;
  DecodedEvent event_;
  LogFileHeader header_;
  SessionClock clock_;
};

std::string error_of(std::string_view condition) {
  try {
    const Where where(condition);
  } catch (const tailgate::Error& error) {
    return error.what_failed();
  }
  return "none";
}

}  // namespace

TEST_CASE("where: numbers compare by value, whatever their type and notation") {
  const Sample sample;
  for (const char* met : {"Size == 8192",
                          "Size = 0x2000",
                          "Size != 4096",
                          "Size <> 4096",
                          "Size > 4096",
                          "Size >= 8192",
                          "Size <= 8192",
                          "Size < 8193",
                          "Size == 8192.0",
                          "Delta == -5",
                          "Delta < 0",
                          "Delta > -6",
                          "Offset == 18446744073709551615",
                          "Offset > 9223372036854775807",
                          "Offset > -1",
                          "Share == 0.25",
                          "Share < 1",
                          "Share >= 2.5e-1",
                          "Cached == true",
                          "Cached == 1",
                          "Cached != false",
                          "Buffer == 0xfffff80000001000",
                          "Port == 443",
                          "cpu == 0",
                          "pid == 500",
                          "tid == 8",
                          "fields.pid == 77",
                          "id == 7",
                          "time_ms == 1.5",
                          "time_ms < 2",
                          "keyword == 0x8000000000000010",
                          "`odd name` == 3",
                          "size == 8192"}) {
    INFO(met);
    CHECK(sample.meets(met));
  }
  for (const char* unmet : {"Size == 8191", "Size < 8192", "Delta > 0", "Offset == -1",
                            "Share > 0.25", "Cached == false", "fields.pid == 500"}) {
    INFO(unmet);
    CHECK_FALSE(sample.meets(unmet));
  }
}

TEST_CASE("where: texts compare without case, and backslashes are as they are") {
  const Sample sample;
  for (const char* met :
       {"FileName == 'c:\\temp\\A.log'", "FileName contains '.log'", "FileName contains \"TEMP\"",
        "FileName > 'b'", "event == 'written'", "event != 'read'", "Size == '8192'",
        "time_utc == '2019-04-17T18:40:00.0015000Z'", "Buffer contains 'fffff8'"}) {
    INFO(met);
    CHECK(sample.meets(met));
  }
  for (const char* unmet : {"FileName == 'a.log'", "FileName contains 'x'", "event contains 'read'",
                            "FileName == 5", "FileName != 5"}) {
    INFO(unmet);
    CHECK_FALSE(sample.meets(unmet));
  }
}

TEST_CASE("where: not before and, and before or") {
  const Sample sample;
  CHECK(sample.meets("cpu == 1 and pid == 1 or Size == 8192"));
  CHECK(sample.meets("Size == 8192 or pid == 1 and cpu == 1"));
  CHECK_FALSE(sample.meets("(Size == 8192 or pid == 1) and cpu == 1"));
  CHECK(sample.meets("not cpu == 1 and Size == 8192"));
  CHECK_FALSE(sample.meets("not (cpu == 0 or Size == 1)"));
  CHECK(sample.meets("!(cpu==1)&&(Size==8192||pid==1)"));
  CHECK(sample.meets("NOT cpu = 1 AND Size = 8192"));
}

TEST_CASE("where: what the event does not have meets nothing, and a path alone asks for it") {
  const Sample sample;
  CHECK_FALSE(sample.meets("Missing == 1"));
  CHECK_FALSE(sample.meets("Missing != 1"));
  CHECK(sample.meets("not Missing == 1"));
  CHECK(sample.meets("Size"));
  CHECK(sample.meets("Parts"));
  CHECK_FALSE(sample.meets("Missing"));
  CHECK_FALSE(sample.meets("activity"));
  CHECK_FALSE(sample.meets("activity != ''"));
}

TEST_CASE("where: of an array's values one has to meet it, and members have paths") {
  const Sample sample;
  CHECK(sample.meets("Counts == 20"));
  CHECK_FALSE(sample.meets("Counts == 40"));
  CHECK(sample.meets("Parts.Index == 2"));
  CHECK(sample.meets("parts.name == 'TAIL' and Parts.Index > 1"));
  CHECK_FALSE(sample.meets("Index == 2"));
  CHECK_FALSE(sample.meets("Parts == 2"));
}

TEST_CASE("where: an error names the position") {
  CHECK_THAT(error_of("Size = = 4"), Catch::Contains("at character 8, before '= 4': a value"));
  CHECK_THAT(error_of("Size > "), Catch::Contains("at character 8, before the end: a value"));
  CHECK_THAT(error_of("Size > 4 cpu == 1"), Catch::Contains("at character 10, before 'cpu == 1'"));
  CHECK_THAT(error_of("(Size > 4"), Catch::Contains("at character 10, before the end: ')'"));
  CHECK_THAT(error_of("Size > 4)"), Catch::Contains("at character 9, before ')'"));
  CHECK_THAT(error_of(""), Catch::Contains("at character 1, before the end: a field"));
  CHECK_THAT(error_of("and"), Catch::Contains("at character 1"));
  CHECK_THAT(error_of("Size > 4x"), Catch::Contains("at character 8"));
  CHECK_THAT(error_of("Name == abc"), Catch::Contains("a text in quotes"));
  CHECK_THAT(error_of("Name == 'abc"), Catch::Contains("no closing quote"));
  CHECK_THAT(error_of("Name contains 4"), Catch::Contains("'contains' asks for a text"));
  CHECK_THAT(error_of("true == 1"), Catch::Contains("stands in back quotes"));
  CHECK_THAT(error_of("a. == 1"), Catch::Contains("at character 3"));
  for (const char* wrong : {"Size == 1e999", "Size == nan", "Size == inf", "Size == --1",
                            "Size == 0x", "Size == 99999999999999999999x", "`` == 1", "`a == 1"}) {
    INFO(wrong);
    CHECK(error_of(wrong) != "none");
  }
}

TEST_CASE("where: limits of length and depth") {
  CHECK_THAT(error_of(std::string(5000, ' ')), Catch::Contains("more than 4096"));
  CHECK_THAT(error_of(std::string(100, '(') + "a"), Catch::Contains("inside of each other"));
  CHECK_THAT(error_of(std::string(100, '!') + "a"), Catch::Contains("inside of each other"));
  CHECK(error_of(std::string(60, '(') + "a" + std::string(60, ')')) == "none");
}

TEST_CASE("columns: what a path leads to, as text") {
  const Sample sample;
  CHECK(sample.text("Size") == "8192");
  CHECK(sample.text("filename") == "C:\\Temp\\a.LOG");
  CHECK(sample.text("Buffer") == "0xfffff80000001000");
  CHECK(sample.text("Counts") == "10,20,30");
  CHECK(sample.text("Parts.Name") == "head,tail");
  CHECK(sample.text("Parts") == R"([{"Index":1,"Name":"head"},{"Index":2,"Name":"tail"}])");
  CHECK(sample.text("pid") == "500");
  CHECK(sample.text("fields.pid") == "77");
  CHECK(sample.text("kernel_ticks") == "1");
  CHECK(sample.text("user_ticks") == "2");
  CHECK(sample.text("`odd name`") == "3");
  CHECK(sample.text("time_ms") == "1.500000");
  CHECK(sample.text("keyword") == "0x8000000000000010");
  CHECK(sample.text("kind") == "event");
  CHECK(sample.text("activity") == "(none)");
  CHECK(sample.text("misfit") == "(none)");
  CHECK(sample.text("Missing") == "(none)");
  CHECK_THAT(sample.text("fields"), Catch::Contains(R"("Size":8192,"FileName":"C:\\Temp\\a.LOG")"));
  for (const char* wrong : {"", "a b", "a.", ".a", "1a", "a,b"}) {
    INFO(wrong);
    CHECK_THROWS_AS(EventPath::parse(wrong), tailgate::Error);
  }
}
