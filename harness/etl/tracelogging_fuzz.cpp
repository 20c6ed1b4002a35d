// Decodes TraceLogging metadata, provider traits, TRACE_EVENT_INFO and maps, each with a payload.
// Input: u8 kind, u16 size of the metadata, metadata, payload.
#include <cstdint>
#include <string>

#include "harness/etl/event_info.h"
#include "harness/etl/payload.h"
#include "harness/etl/tracelogging.h"
#include "harness/etl/value_text.h"

using namespace tailgate::etl;

namespace {

void decode(const EventSchema& schema, Bytes payload) {
  for (unsigned pointer_bytes : {4u, 8u}) {
    std::vector<Field> fields;
    decode_payload(schema, payload, pointer_bytes, fields);
    std::string out;
    append_fields_tsv(fields, out);
    append_fields_json(fields, out);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  std::size_t split = data[1] + 256u * data[2];
  std::vector<std::uint8_t> rest(data + 3, data + size);
  if (split > rest.size()) split = rest.size();
  std::vector<std::uint8_t> metadata(rest.begin(), rest.begin() + static_cast<long>(split));
  std::vector<std::uint8_t> payload(rest.begin() + static_cast<long>(split), rest.end());
  switch (data[0] % 4) {
    case 0:
      if (auto schema = parse_tracelogging(metadata)) decode(*schema, payload);
      break;
    case 1:
      if (auto info = parse_event_info(metadata)) decode(*info->schema, payload);
      break;
    case 2:
      parse_map_info(metadata);
      break;
    case 3:
      parse_provider_traits(metadata);
      break;
  }
  return 0;
}
