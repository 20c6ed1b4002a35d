// Reads any bytes as metadata, and any bytes as a stream beside good metadata. The reader must end
// or throw Error, and never hand over more bytes than there are.
#include <cstdint>
#include <cstdlib>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "providers/lttng/ctf_samples.h"
#include "providers/lttng/ctf_trace.h"

namespace {

using namespace tailgate;

struct Sum : CtfVisitor {
  void event(const CtfEvent& event) override { bytes += event.payload.size(); }
  void damage(std::size_t damaged) override { bytes += damaged; }
  std::size_t bytes = 0;
};

void read_trace(const std::filesystem::path& folder, std::size_t stream_bytes) {
  Sum sum;
  CtfTraceReader reader(folder);
  try {
    while (reader.poll(sum) > 0) {
    }
    reader.finish(sum);
  } catch (const Error&) {
  }
  if (sum.bytes > stream_bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TestDirectory directory;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    read_ctf_layout(text);
  } catch (const Error&) {
  }
  try {
    ctf_metadata_text(std::as_bytes(std::span(text)));
  } catch (const Error&) {
  }
  write_sample(directory / "metadata", sample_metadata(size % 2 == 0 ? "large" : "compact"));
  write_sample(directory / "events_0", text);
  read_trace(directory.path(), size);
  return 0;
}
