#include "harness/etl/event_log.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/etl/report.h"
#include "harness/etl/testing/event_log_file.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/etl/where.h"

using namespace tailgate::etl;

namespace {

constexpr const char* kSpace = "xmlns='http://schemas.microsoft.com/win/2004/08/events/event'";

// As Windows writes it: an event of Windows' security log, shortened.
std::string event_xml(std::string_view data, std::string_view time = "2020-07-29T00:06:22.4012345Z",
                      std::string_view id = "4624") {
  return fmt::format(
      "<Event {}><System><Provider Name='Microsoft-Windows-Security-Auditing' "
      "Guid='{{54849625-5478-4994-a5ba-3e3b0328c30d}}'/><EventID>{}</EventID>"
      "<Version>2</Version><Level>0</Level><Task>12544</Task><Opcode>0</Opcode>"
      "<Keywords>0x8020000000000000</Keywords><TimeCreated SystemTime='{}'/>"
      "<EventRecordID>211</EventRecordID>"
      "<Correlation ActivityID='{{6a399ae0-4bc6-4de9-870b-3657f8947e7e}}'/>"
      "<Execution ProcessID='624' ThreadID='628'/><Channel>Security</Channel>"
      "<Computer>pc</Computer><Security/></System>{}</Event>",
      kSpace, id, time, data);
}

class Logs {
 public:
  std::filesystem::path write(const std::string& name, std::string_view bytes) {
    const auto path = folder_.path() / name;
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }

  // The lines of a dump of one log, without the first.
  std::vector<std::string> dump(std::string_view bytes, const DumpOptions& options = {}) {
    const EventLogTrace log(write("log", bytes), nullptr);
    unreadable = log.unreadable();
    return dump_of({&log.file()}, options);
  }

  static std::vector<std::string> dump_of(const std::vector<const TraceFile*>& files,
                                          const DumpOptions& options = {}) {
    Decoder decoder;
    decoder.learn(files);
    std::string text;
    dump_events(files, decoder, options, [&text](std::string_view piece) {
      text += piece;
      return true;
    });
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    if (!lines.empty() && !lines.front().starts_with('{')) lines.erase(lines.begin());
    return lines;
  }

  std::uint64_t unreadable = 0;

 private:
  tailgate::TestDirectory folder_;
};

std::string_view view_of(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string utf16_of(std::string_view ascii) {
  std::string text = "\xFF\xFE";
  for (const char c : ascii) text.append({c, '\0'});
  return text;
}

bool can_read_evtx(const std::filesystem::path& path) {
  try {
    read_evtx(path, [](std::string_view) {});
    return true;
  } catch (const tailgate::Error& error) {
    if (error.what_failed().find("no libevtx") != std::string::npos) return false;
    throw;
  }
}

}  // namespace

TEST_CASE("event log: an event of XML has ETW's columns and its own fields") {
  Logs logs;
  const auto lines =
      logs.dump("<Events>" +
                event_xml("<EventData><Data Name='TargetUserName'>SYSTEM &amp; co</Data>"
                          "<Data Name='LogonId'>0x3e7</Data><Data Name='KeyLength'>128</Data>"
                          "<Data>007</Data></EventData>") +
                "</Events>");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].substr(0, lines[0].find("\t4624")) ==
        "0.000000\t-\t624\t628\tMicrosoft-Windows-Security-Auditing\tEventID(4624)");
  CHECK(
      lines[0].ends_with("\tChannel=Security\tComputer=pc\tEventRecordID=211"
                         "\tTargetUserName=SYSTEM & co\tLogonId=0x3e7\tKeyLength=128\tData=007"));
  CHECK(logs.unreadable == 0);
}

TEST_CASE("event log: the JSON has everything of the System element") {
  Logs logs;
  DumpOptions options;
  options.format = DumpFormat::json_lines;
  const auto lines = logs.dump(event_xml("<EventData/>"), options);
  REQUIRE(lines.size() == 1);
  for (const char* part :
       {"\"time_utc\":\"2020-07-29T00:06:22.4012345Z\"", "\"cpu\":null", "\"id\":4624",
        "\"version\":2", "\"level\":0", "\"task\":12544", "\"keyword\":\"0x8020000000000000\"",
        "\"provider_guid\":\"54849625-5478-4994-a5ba-3e3b0328c30d\"",
        "\"activity\":\"6a399ae0-4bc6-4de9-870b-3657f8947e7e\""}) {
    CAPTURE(part, lines[0]);
    CHECK(lines[0].find(part) != std::string::npos);
  }
}

TEST_CASE("event log: data of the provider's own form are structures") {
  Logs logs;
  const auto lines = logs.dump(
      event_xml("<UserData><LogFileCleared xmlns='x'><Who Kind='user'><Name>me</Name></Who><Empty/>"
                "</LogFileCleared></UserData><RenderingInfo Culture='en-US'><Message>Hi</Message>"
                "</RenderingInfo>"));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].ends_with(
      "\tWho={Kind=user,Name=me}\tEmpty=\tRenderingInfo={Culture=en-US,Message=Hi}"));
}

TEST_CASE("event log: numbers of fields are numbers in conditions") {
  Logs logs;
  DumpOptions options;
  options.filter.where = std::make_shared<const Where>("Size > 9 and Channel == 'Security'");
  const std::string first = event_xml("<EventData><Data Name='Size'>10</Data></EventData>");
  const std::string second = event_xml("<EventData><Data Name='Size'>9</Data></EventData>");
  CHECK(logs.dump(second + first + second, options).size() == 1);
}

TEST_CASE("event log: events are in order of time, whatever their order in the file") {
  Logs logs;
  const std::string xml = event_xml("", "2020-07-29T00:00:02.123456789Z", "2") +
                          event_xml("", "2020-07-29T00:00:01Z", "1") +
                          event_xml("", "2020-07-29T00:00:03.5Z", "3");
  const auto lines = logs.dump(xml);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("0.000000\t"));
  CHECK(lines[1].starts_with("1123.456700\t"));
  CHECK(lines[2].starts_with("2500.000000\t"));
}

TEST_CASE("event log: XML in UTF-16 and with a mark of UTF-8 is the same") {
  Logs logs;
  const std::string xml = "<?xml version='1.0'?>\r\n<Events>" +
                          event_xml("<EventData><Data Name='a'>b</Data></EventData>") + "</Events>";
  const auto lines = logs.dump(xml);
  REQUIRE(lines.size() == 1);
  CHECK(logs.dump(utf16_of(xml)) == lines);
  CHECK(logs.dump("\xEF\xBB\xBF" + xml) == lines);
}

TEST_CASE("event log: what is no event is counted and the rest is read") {
  Logs logs;
  const std::string good = event_xml("");
  for (const std::string& bad : {std::string("<Event/>"), std::string("<Event><System/></Event>"),
                                 event_xml("", "yesterday"), event_xml("", "2020-07-29", "70000"),
                                 event_xml("<Unclosed>"), event_xml("<Event>")}) {
    CAPTURE(bad);
    CHECK(logs.dump(good + bad + good).size() == 2);
    CHECK(logs.unreadable == 1);
  }
  CHECK_THROWS_AS(logs.dump("<?xml version='1.0'?><instrumentationManifest/>"), tailgate::Error);
}

TEST_CASE("event log: an event without an end does not take the next ones with it") {
  Logs logs;
  const std::string good = event_xml("");
  const std::string unclosed = good.substr(0, good.size() - std::string_view("</Event>").size());
  for (const char* between : {"", "\r\n  ", "</Events><Events>"}) {
    CHECK(logs.dump(unclosed + between + good + good).size() == 2);
    CHECK(logs.unreadable == 1);
    CHECK(logs.dump(good + unclosed + between + unclosed + good).size() == 2);
    CHECK(logs.unreadable == 2);
  }
  CHECK(logs.dump(good + unclosed).size() == 1);
  CHECK(logs.unreadable == 1);
  // Its data may hold elements of that name, in any piece of the file.
  const std::string holds = event_xml("<UserData><a><Event>1</Event><Event x='1'/></a></UserData>");
  CHECK(logs.dump(holds + good).size() == 2);
  CHECK(logs.unreadable == 0);
  std::string many = unclosed;
  for (int i = 0; i < 2000; ++i) many += "<Event \n>  <System" + good.substr(good.find('>') + 8);
  CHECK(logs.dump(many).size() == 2000);
  CHECK(logs.unreadable == 1);
}

TEST_CASE("event log: an event that no record holds has its XML") {
  Logs logs;
  const std::string long_text(70'000, 'x');
  auto lines = logs.dump(event_xml("<EventData><Data>" + long_text + "</Data></EventData>"));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("\tEventXml=<Event ") != std::string::npos);
  CHECK(lines[0].find("\tcut_bytes=") != std::string::npos);
  std::string deep;
  for (int i = 0; i < 30; ++i) deep += "<a>";
  deep += "x";
  for (int i = 0; i < 30; ++i) deep += "</a>";
  lines = logs.dump(event_xml("<EventData>" + deep + "</EventData>"));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("a=<a><a>") != std::string::npos);
  std::string many;
  for (int i = 0; i < 3000; ++i) many += fmt::format("<Data Name='field{}'>{}</Data>", i, i);
  lines = logs.dump(event_xml("<EventData>" + many + "</EventData>"));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("cut_bytes") != std::string::npos);
}

TEST_CASE("event log: sources without a GUID keep their own names") {
  Logs logs;
  std::string xml;
  for (const char* name : {"MsiInstaller", "VSS", "MsiInstaller"}) {
    xml += fmt::format(
        "<Event><System><Provider Name='{}'/><EventID Qualifiers='16384'>1</EventID>"
        "<TimeCreated SystemTime='2020-07-29T00:00:0{}Z'/></System></Event>",
        name, xml.size() % 7);
  }
  std::multiset<std::string> names;
  for (const std::string& line : logs.dump(xml)) {
    std::istringstream in(line);
    std::string cell;
    for (int i = 0; i < 5; ++i) std::getline(in, cell, '\t');
    names.insert(cell);
    CHECK(line.find("Qualifiers=16384") != std::string::npos);
    CHECK(line.find("\t-\t-\t") != std::string::npos);
  }
  CHECK(names == std::multiset<std::string>{"MsiInstaller", "MsiInstaller", "VSS"});
}

TEST_CASE("event log: a file of libevtx's format is read, event by event") {
  Logs logs;
  std::vector<EventLogFileRecord> records(3);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].number = i + 1;
    records[i].filetime += static_cast<std::int64_t>(i) * 10'000;
    records[i].user = "user" + std::string(i, '!');
    records[i].size = static_cast<std::uint32_t>(4096 * i);
  }
  const auto bytes = event_log_file(records);
  if (!can_read_evtx(logs.write("log", view_of(bytes)))) return;
  const auto lines = logs.dump(view_of(bytes));
  REQUIRE(lines.size() == 3);
  CHECK(logs.unreadable == 0);
  CHECK(lines[2].starts_with("2.000000\t-\t500\t8\tTest-Provider\tEventID(4242)\t4242\t0\t0\t4\t"));
  CHECK(
      lines[2].ends_with("\tChannel=Test/Operational\tComputer=test-machine\tEventRecordID=3"
                         "\tTargetUserName=user!!\tSize=8192"));
}

TEST_CASE("event log: a damaged file is refused or read in part") {
  Logs logs;
  std::vector<EventLogFileRecord> records(5);
  for (std::size_t i = 0; i < records.size(); ++i) records[i].number = i + 1;
  const auto whole = event_log_file(records);
  if (!can_read_evtx(logs.write("log", view_of(whole)))) return;
  for (std::size_t size : {8u, 100u, 4096u, 4200u, 5000u, 6000u}) {
    CAPTURE(size);
    auto cut = whole;
    cut.resize(size);
    try {
      const auto lines = logs.dump(view_of(cut));
      CHECK(lines.size() <= 5);
    } catch (const tailgate::Error& error) {
      CHECK(error.what_failed().find("cannot read the event log") == 0);
    }
  }
}

TEST_CASE("event log: its events merge with a trace, on the trace's clock") {
  Logs logs;
  WriterOptions options;
  options.clock_hz = 3'000'000;
  TraceWriter writer(options);
  for (const int second : {1, 3}) {
    EventRecord record;
    record.provider = *parse_guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e");
    record.id = static_cast<std::uint16_t>(second);
    record.time = options.start_raw + second * options.clock_hz;
    writer.add(1, event_record(record));
  }
  const auto bytes = writer.file();
  const TraceFile trace(bytes, "trace");
  // The trace starts at 2019-04-17T18:40:00Z, by its FILETIME.
  const std::string xml =
      event_xml("", "2019-04-17T18:40:02Z") + event_xml("", "2019-04-17T18:39:59.5Z");
  const EventLogTrace log(logs.write("log", xml), &trace.header());
  std::vector<std::string> times;
  for (const std::string& line : Logs::dump_of({&trace, &log.file()})) {
    if (line.find("EventTrace/Header") == std::string::npos) {
      times.push_back(line.substr(0, line.find('\t')));
    }
  }
  CHECK(times ==
        std::vector<std::string>{"-500.000000", "1000.000000", "2000.000000", "3000.000000"});
}
