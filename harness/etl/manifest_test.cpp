#include "harness/etl/manifest.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/etl/testing/decode_record.h"

using namespace tailgate::etl;

namespace {

Bytes bytes_of_text(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The part that both kinds of manifest have in common.
constexpr std::string_view kInstrumentation = R"xml(<instrumentation
    xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">
  <events xmlns="http://schemas.microsoft.com/win/2004/08/events">
    <provider name="Test-Component" guid="{6a399ae0-4bc6-4de9-870b-3657f8947e7e}" symbol="TEST">
      <maps><valueMap name="Colour"><map value="1" message="$(string.red)"/></valueMap></maps>
      <templates><template tid="T"><data name="colour" inType="win:UInt32" map="Colour"/>
        </template></templates>
      <events><event value="5" task="Paint" template="T"/></events>
    </provider></events></instrumentation>)xml";
constexpr std::string_view kLocalization = R"xml(<localization><resources culture="en-US">
    <stringTable><string id="red" value="Red"/></stringTable></resources></localization>)xml";

std::string rooted_in(std::string_view open, std::string_view close) {
  std::string text(open);
  text += kInstrumentation;
  text += kLocalization;
  text += close;
  return text;
}

Decoded decode_with(std::string_view manifest) {
  Decoder decoder;
  decoder.add_manifest(bytes_of_text(manifest));
  EventRecord record;
  record.provider = *parse_guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e");
  record.id = 5;
  record.payload = ByteBuilder().u32(1).bytes();
  return decode(decoder, event_record(record));
}

}  // namespace

// The roots are those of Microsoft's documentation of instrumentation manifests and of component
// manifests, as in Windows' WinSxS folder.
TEST_CASE("a manifest may be rooted in instrumentationManifest or in assembly") {
  const std::string manifest =
      GENERATE(rooted_in("<instrumentationManifest>", "</instrumentationManifest>"),
               rooted_in("<?xml version='1.0' encoding='utf-8'?>\n"
                         "<assembly xmlns='urn:schemas-microsoft-com:asm.v3' manifestVersion='1.0'>"
                         "<assemblyIdentity name='Test' version='10.0.0.0'/>",
                         "</assembly>"),
               rooted_in("<asmv3:assembly xmlns:asmv3='urn:schemas-microsoft-com:asm.v3'>",
                         "</asmv3:assembly>"));
  const Decoded decoded = decode_with(manifest);
  CHECK(decoded.provider == "Test-Component");
  CHECK(decoded.name == "Paint");
  CHECK(decoded.tsv == "\tcolour=Red");
  CHECK(decoded.fits);
}

TEST_CASE("another root is refused, and a component without events") {
  CHECK_THROWS_AS(decode_with(rooted_in("<package>", "</package>")), tailgate::Error);
  CHECK_THROWS_AS(decode_with("<assembly><file name='a.dll'/></assembly>"), tailgate::Error);
}

// CoreCLR's ClrEtwAll.man declares two addresses; the runtime writes FrameCount of them.
TEST_CASE("a stack of the CLR has as many frames as it says, by a manifest") {
  constexpr std::string_view kClr = R"xml(<instrumentationManifest><instrumentation><events>
    <provider name="CLR" guid="{GUID}" symbol="CLR">
      <templates><template tid="ClrStackWalk">
        <data name="ClrInstanceID" inType="win:UInt16"/><data name="Reserved1" inType="win:UInt8"/>
        <data name="Reserved2" inType="win:UInt8"/><data name="FrameCount" inType="win:UInt32"/>
        <data name="Stack" count="2" inType="win:Pointer"/></template></templates>
      <events><event value="82" version="0" template="ClrStackWalk" symbol="Stack"/></events>
    </provider></events></instrumentation></instrumentationManifest>)xml";
  const auto [guid, frames] = GENERATE(std::pair("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", 3u),
                                       std::pair("a669021c-c450-4609-a035-5af59af4df18", 1u),
                                       std::pair("763fd754-7086-4dfe-95eb-c01a46faf4ca", 0u),
                                       // Not the CLR's: what the manifest says holds.
                                       std::pair("6a399ae0-4bc6-4de9-870b-3657f8947e7e", 2u));
  std::string manifest(kClr);
  manifest.replace(manifest.find("GUID"), 4, guid);
  Decoder decoder;
  decoder.add_manifest(bytes_of_text(manifest));
  EventRecord record;
  record.provider = *parse_guid(guid);
  record.id = 82;
  ByteBuilder b;
  b.u16(9).u8(0).u8(0).u32(frames);
  for (unsigned i = 0; i < frames; ++i) b.u64(0x1000 + i);
  record.payload = b.bytes();
  const Decoded decoded = decode(decoder, event_record(record));
  CHECK(decoded.fits);
  CHECK(decoded.fields["Stack"].size() == frames);
}
