// Reads randomly damaged copies of real traces. Each must give a report or a refusal with a reason,
// never a crash or a hang; under sanitizers, no invalid access either.
//
//   tailgate_etl_damage COPIES [SEED [FOLDER]]
//
// The traces are in the folder that TAILGATE_ETL_SAMPLES names, else in FOLDER. Exits with 77 when
// there are none.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/etl/report.h"
#include "harness/etl/testing/samples.h"

namespace {

using namespace tailgate::etl;

// Makes 1 to 64 changes: changed bytes, runs and words of several kinds, moved pieces, a cut-off
// end.
void damage(std::vector<std::uint8_t>& bytes, std::mt19937& random) {
  auto below = [&random](std::size_t limit) { return random() % limit; };
  std::size_t changes = std::size_t{1} << below(7);
  for (std::size_t i = 0; i < changes && bytes.size() > 600; ++i) {
    // Half of the changes hit the framing: the first 600 bytes and the buffer headers.
    std::size_t at = below(4) == 0 ? below(600) : below(bytes.size() - 64);
    if (below(4) == 0) at = at / 65536 * 65536 + below(200);
    at = std::min(at, bytes.size() - 64);
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1u << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<std::uint8_t>(random());
        break;
      case 2:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), below(64),
                    static_cast<std::uint8_t>(below(2) ? 0xFF : 0));
        break;
      case 3:
        for (std::size_t j = 0; j < 4; ++j) bytes[at + j] = static_cast<std::uint8_t>(random());
        break;
      case 4:
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size() - 64)), 64,
                    bytes.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 5:
        if (below(16) == 0) bytes.resize(at + 64);
        break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long copies = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100;
  std::mt19937 random(argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 1);
  const std::vector<Sample> samples = read_samples(argc > 3 ? argv[3] : nullptr);
  if (samples.empty()) {
    fmt::print("skipped: no .etl files; name their folder in TAILGATE_ETL_SAMPLES\n");
    return kExitSkipped;
  }
  unsigned long refused = 0;
  std::size_t printed_bytes = 0;
  for (unsigned long copy = 0; copy < copies; ++copy) {
    const Sample* sample = &samples[random() % samples.size()];
    // Large traces would take most of the time and contain little that small ones do not.
    if (sample->bytes.size() > 1'000'000 && random() % 16 != 0) sample = &samples.front();
    std::vector<std::uint8_t> bytes = sample->bytes;
    damage(bytes, random);
    try {
      const TraceFile file(bytes, sample->name);
      const TraceFile* files[] = {&file};
      Decoder decoder;
      decoder.learn(files);
      report_info(file, decoder, TextFormat::text, [&printed_bytes](std::string_view text) {
        printed_bytes += text.size();
        return true;
      });
    } catch (const tailgate::Error&) {
      ++refused;
    }
  }
  fmt::print("{} damaged copies of {} traces: {} reported ({} bytes), {} refused with a reason\n",
             copies, samples.size(), copies - refused, printed_bytes, refused);
  return 0;
}
