#include "harness/etl/schemas.h"

#include <catch2/catch.hpp>

#include "harness/etl/report.h"
#include "harness/etl/testing/trace_writer.h"

using namespace tailgate::etl;

namespace {

// The event's name and its fields as a dump shows them.
std::string shown(const EventRecord& record) {
  TraceWriter writer(WriterOptions{});
  EventRecord timed = record;
  timed.time = WriterOptions().start_raw + 10;
  writer.add(0, event_record(timed));
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  const TraceFile file(bytes, "test");
  Decoder decoder;
  add_bundled_schemas(decoder);
  DumpOptions options;
  options.columns = {EventPath::parse("provider"), EventPath::parse("event"),
                     EventPath::parse("fields"), EventPath::parse("misfit")};
  options.filter.providers = {to_text(record.provider)};
  std::string out;
  dump_events({&file}, decoder, options, [&out](std::string_view text) {
    out += text;
    return true;
  });
  return out.substr(out.find('\n') + 1);
}

}  // namespace

TEST_CASE("all bundled schemas can be used", "[etl]") {
  Decoder decoder;
  add_bundled_schemas(decoder);
  CHECK(decoder.counts().unusable == 0);
  CHECK(decoder.counts().manifest_events > 100);
}

// The layouts: .NET's documentation of its garbage collection events, and TRACE_EVENT_INFO of a
// real trace.
TEST_CASE("events of .NET and of Windows are decoded without a manifest", "[etl]") {
  EventRecord start;
  start.provider = *parse_guid("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  start.id = 1;
  start.version = 2;
  start.payload = ByteBuilder().u32(5).u32(1).u32(0).u32(0).u16(9).u64(77).bytes();
  const std::string collection = shown(start);
  CHECK_THAT(collection, Catch::Contains("Microsoft-Windows-DotNETRuntime\tGCStart\t"));
  CHECK_THAT(collection, Catch::Contains(R"("Count":5)"));

  EventRecord create;
  create.provider = *parse_guid("edd08927-9cc4-4e65-b970-c2560fb5c289");
  create.id = 12;
  create.version = 1;
  ByteBuilder b;
  b.u64(1).u64(2).u32(8).u32(0).u32(0).u32(7).text16("a.txt");
  create.payload = b.bytes();
  const std::string opened = shown(create);
  CHECK_THAT(opened, Catch::Contains("Microsoft-Windows-Kernel-File\tCreate\t"));
  CHECK_THAT(opened, Catch::Contains(R"("FileName":"a.txt")"));
}

// PktMon_NblParsedDropIpv6 and PktMon_FramePayload of Microsoft's parsers for Network Monitor.
TEST_CASE("events of the packet monitor are decoded without a manifest", "[etl]") {
  EventRecord event;
  event.provider = *parse_guid("4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac");
  event.id = 150;
  ByteBuilder dropped;
  for (unsigned byte : {1, 2, 3, 4, 5, 6, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16}) dropped.u8(byte);
  dropped.u16(0x86DD).u16(7);
  dropped.u16(0x80FE).zeros(13).u8(1).u16(0x80FE).zeros(13).u8(2);  // fe80::1 and fe80::2
  dropped.u8(6).u16(443).u16(50'000).u8(0x12);
  dropped.u64(9).u16(1).u16(2).u16(4).u16(3).u16(40).u16(1).u16(5).u32(8).u32(0xE0);
  event.payload = dropped.bytes();
  CHECK(shown(event) ==
        "Microsoft-Windows-PktMon\tNblParsedDropIpv6\t"
        R"({"DestinationMAC":"010203040506","SourceMAC":"111213141516","EtherType":"0x86dd",)"
        R"("VlanId":7,"DestinationIP":"fe80::1","SourceIP":"fe80::2","Protocol":6,)"
        R"("DestinationPort":443,"SourcePort":50000,"TCPFlags":"0x12","PktGroupId":9,)"
        R"("PktCount":1,"AppearanceCount":2,"DirTag":"Tx","PacketType":"IP","ComponentId":40,)"
        R"("EdgeId":1,"FilterId":5,"DropReason":8,"DropLocation":224})"
        "\t\n");

  event.id = 160;
  ByteBuilder frame;
  frame.u64(9).u16(1).u16(2).u16(3).u16(1).u16(40).u16(1).u16(5).u32(0).u32(0);
  frame.u16(1500).u16(4).u8(0xDE).u8(0xAD).u8(0xBE).u8(0xEF);
  event.payload = frame.bytes();
  CHECK(shown(event) ==
        "Microsoft-Windows-PktMon\tFramePayload\t"
        R"({"PktGroupId":9,"PktNumber":1,"AppearanceCount":2,"DirTag":"Rx",)"
        R"("PacketType":"Ethernet","ComponentId":40,"EdgeId":1,"FilterId":5,"DropReason":0,)"
        R"("DropLocation":0,"OriginalPayloadSize":1500,"LoggedPayloadSize":4,)"
        R"("Payload":"deadbeef"})"
        "\t\n");
}

// TcpConnectTcbComplete version 1 in public lists of TCPIP's manifest: lengths stand before their
// addresses.
TEST_CASE("events of TCP are decoded without a manifest", "[etl]") {
  EventRecord event;
  event.provider = *parse_guid("2f07e2ee-15db-40f1-90ef-9d7ba282188a");
  event.id = 1033;
  event.version = 1;
  ByteBuilder b;
  b.u32(16).u16(2).u8(0xC3).u8(0x50).u8(10).u8(0).u8(0).u8(7).zeros(8);  // 10.0.0.7:50000
  b.u32(28).u16(23).u8(0x01).u8(0xBB).u32(0).u8(0x20).u8(0x01).zeros(13).u8(9).u32(0);
  b.u32(0).u32(4242).u32(1).u64(0xFFFF'8001'2345'6780).u64(0x77);
  event.payload = b.bytes();
  CHECK(shown(event) ==
        "Microsoft-Windows-TCPIP\tTcpConnectTcbComplete\t"
        R"({"LocalAddressLength":16,"LocalAddress":"10.0.0.7:50000","RemoteAddressLength":28,)"
        R"("RemoteAddress":"[2001::9]:443","Status":"0x0","ProcessId":4242,"Compartment":1,)"
        R"("Tcb":"0xffff800123456780","ProcessStartKey":119})"
        "\t\n");
}

// The EventSource's own description in a trace of .NET Core 3.1.
TEST_CASE("events of tasks are decoded without their manifest", "[etl]") {
  EventRecord event;
  event.provider = *parse_guid("2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5");
  event.id = 10;
  event.version = 3;
  event.opcode = 9;
  event.payload = ByteBuilder().u32(1).u32(0).u32(7).u32(2).u32(8).bytes();
  CHECK(shown(event) ==
        "System.Threading.Tasks.TplEventSource\tTaskWait/Send\t"
        R"({"OriginatingTaskSchedulerID":1,"OriginatingTaskID":0,"TaskID":7,)"
        R"("Behavior":"Asynchronous","ContinueWithTaskID":8})"
        "\t\n");
}

// The runtime's manifest, ClrEtwAll.man, and the structures of its eventtrace.cpp.
TEST_CASE("events on the movement and the allocation of .NET's objects are decoded", "[etl]") {
  EventRecord event;
  event.provider = *parse_guid("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  for (const unsigned id : {20u, 32u}) {
    event.id = static_cast<std::uint16_t>(id);
    event.payload = ByteBuilder().u64(0x1000).u64(0x2000).u32(3).u64(96).u16(9).bytes();
    CHECK(shown(event) ==
          "Microsoft-Windows-DotNETRuntime\tGCSampledObjectAllocation\t"
          R"({"Address":"0x1000","TypeID":"0x2000","ObjectCountForTypeSample":3,)"
          R"("TotalSizeForTypeSample":96,"ClrInstanceID":9})"
          "\t\n");
  }
  event.id = 21;
  event.payload =
      ByteBuilder().u32(4).u32(2).u16(9).u64(0x1000).u64(24).u64(0x2000).u64(48).bytes();
  CHECK(shown(event) ==
        "Microsoft-Windows-DotNETRuntime\tGCBulkSurvivingObjectRanges\t"
        R"({"Index":4,"Count":2,"ClrInstanceID":9,"Values":[{"RangeBase":"0x1000",)"
        R"("RangeLength":24},{"RangeBase":"0x2000","RangeLength":48}]})"
        "\t\n");
  event.id = 22;
  event.payload = ByteBuilder().u32(5).u32(1).u16(9).u64(0x1000).u64(0x8000).u64(24).bytes();
  CHECK(shown(event) ==
        "Microsoft-Windows-DotNETRuntime\tGCBulkMovedObjectRanges\t"
        R"({"Index":5,"Count":1,"ClrInstanceID":9,"Values":[{"OldRangeBase":"0x1000",)"
        R"("NewRangeBase":"0x8000","RangeLength":24}]})"
        "\t\n");
}
