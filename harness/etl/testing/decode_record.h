// Decodes one record that a test made, and keeps what a test checks.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/testing/trace_writer.h"

namespace tailgate::etl {

// A record together with the bytes that it points into.
struct Held {
  std::vector<std::uint8_t> buffer;
  Record record;

  // Throws std::logic_error when the bytes are no record.
  explicit Held(const std::vector<std::uint8_t>& bytes);
};

struct Decoded {
  std::string name;
  std::string provider;
  nlohmann::json fields;
  std::string tsv;
  std::string message;
  std::size_t undecoded_bytes = 0;
  std::size_t padding_bytes = 0;
  std::size_t missing_fields = 0;
  std::optional<std::uint16_t> other_version;
  bool complete = false;
  bool described = false;
  bool fits = false;
};

Decoded decode(Decoder& decoder, const std::vector<std::uint8_t>& bytes);

// With the built-in layouts alone.
Decoded decode_kernel(const KernelRecord& record);
Decoded decode_classic(const ClassicRecord& record);

}  // namespace tailgate::etl
