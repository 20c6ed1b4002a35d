// Reads any bytes as a calibration's file and as the text of a column: the outcome is a calibration
// or an Error. A calibration that was read is written, read and written again, and compared.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/result/calibration_file.h"
#include "harness/result/json.h"

namespace {

void check_written_and_read(const tailgate::Calibration& calibration) {
  const std::string text = tailgate::write_calibration(calibration);
  if (tailgate::write_calibration(tailgate::read_calibration(text, "output")) != text) std::abort();
}

// Two runs whose column of a metric, or else of a fact, has that text.
void check_column(std::string_view bytes, bool of_fact) {
  tailgate::Calibration calibration;
  calibration.runs.resize(2);
  try {
    tailgate::add_column("rss_bytes", of_fact ? "1 2\n3 4\n5\n6\n" : bytes, calibration.runs);
    if (of_fact) tailgate::add_fact_column("duration_s", bytes, calibration.runs);
  } catch (const tailgate::Error&) {
    return;
  }
  check_written_and_read(calibration);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    check_written_and_read(read_calibration(bytes, "input"));
  } catch (const Error&) {
    // The reader refused the input, as it should.
  }
  check_column(bytes, false);
  check_column(bytes, true);
  return 0;
}
