// Reads any bytes: the outcome is records or an Error. What was read has texts that a database
// takes and distributions that decode.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/histogram/histogram_codec.h"
#include "harness/history/dates.h"
#include "harness/history/read_records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const history::Record& record : history::read_records(text, "input")) {
      if (printable(record.sink) != record.sink) std::abort();
      if (!record.night.empty() && !history::is_date(record.night)) std::abort();
      for (const history::Figure& one : record.figures) {
        if (!std::isfinite(one.value)) std::abort();
      }
      for (const history::Distribution& one : record.distributions) decode(one.hdr);
    }
  } catch (const Error&) {
    // The reader refused the input, as it should.
  }
  return 0;
}
