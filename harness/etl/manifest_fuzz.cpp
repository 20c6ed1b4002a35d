// Manifests and TMF files, each with a payload for every event they describe.
// Input: u8 which, u8 size of the payload, payload, text.
#include <cstdint>
#include <string>

#include "harness/base/error.h"
#include "harness/etl/manifest.h"
#include "harness/etl/payload.h"
#include "harness/etl/tmf.h"
#include "harness/etl/value_text.h"

using namespace tailgate::etl;

namespace {

void fuzz_manifest(Bytes text, Bytes payload) {
  std::size_t skipped = 0;
  Manifest manifest = parse_manifest(text, SchemaSource::manifest_file, &skipped);
  std::size_t tried = 0;
  for (const EventInfo& info : manifest.events) {
    if (++tried > 16) break;
    std::vector<Field> fields;
    decode_payload(*info.schema, payload, 8, fields);
    std::string out;
    append_fields_json(fields, out);
  }
}

void fuzz_tmf(Bytes text, Bytes payload) {
  TmfStore store;
  store.add({reinterpret_cast<const char*>(text.data()), text.size()}, "fuzz input");
  Guid guid;
  for (std::uint16_t number = 0; number < 32; ++number) {
    const TmfMessage* message = store.find(guid, number);
    if (!message) continue;
    std::vector<Field> fields;
    decode_payload(message->schema, payload, 8, fields);
    std::string out;
    append_tmf_message(*message, fields, out);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::size_t payload_bytes = data[1];
  if (payload_bytes > size - 2) payload_bytes = size - 2;
  Bytes payload(data + 2, payload_bytes);
  Bytes text(data + 2 + payload_bytes, size - 2 - payload_bytes);
  try {
    if (data[0] % 2 == 0) {
      fuzz_manifest(text, payload);
    } else {
      fuzz_tmf(text, payload);
    }
  } catch (const tailgate::Error&) {
    // The text was refused with a reason.
  }
  return 0;
}
