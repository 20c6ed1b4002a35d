#include "harness/etl/testing/decode_record.h"

#include <algorithm>
#include <stdexcept>

#include "harness/etl/value_text.h"

namespace tailgate::etl {

Held::Held(const std::vector<std::uint8_t>& bytes) : buffer(kBufferHeaderBytes + bytes.size()) {
  std::copy(bytes.begin(), bytes.end(), buffer.begin() + kBufferHeaderBytes);
  RecordCursor cursor(buffer, 0);
  if (!cursor.next(record)) throw std::logic_error("the test's bytes are no record");
}

Decoded decode(Decoder& decoder, const std::vector<std::uint8_t>& bytes) {
  Held held(bytes);
  DecodedEvent event;
  decoder.decode(held.record, event);
  Decoded decoded;
  std::string json;
  append_fields_json(event.fields, json);
  append_fields_tsv(event.fields, decoded.tsv);
  decoded.name = event.event_name;
  decoded.provider = event.provider_name;
  decoded.fields = nlohmann::json::parse(json);
  decoded.message = event.message;
  decoded.undecoded_bytes = event.undecoded.size();
  decoded.padding_bytes = event.padding_bytes;
  decoded.missing_fields = event.missing_fields;
  decoded.other_version = event.other_version();
  decoded.complete = event.complete;
  decoded.described = event.schema != nullptr;
  decoded.fits = event.fits();
  return decoded;
}

Decoded decode_kernel(const KernelRecord& record) {
  Decoder decoder;
  return decode(decoder, perf_info_record(record));
}

Decoded decode_classic(const ClassicRecord& record) {
  Decoder decoder;
  return decode(decoder, full_record(record));
}

}  // namespace tailgate::etl
