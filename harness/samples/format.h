// Readers of what other benchmarks print. README.md says how to add a format.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/samples/format_list.h"
#include "harness/samples/samples.h"

namespace tailgate {

// The readers' limits: of one file, and of all files of a side.
inline constexpr std::size_t kMaxSampleBytes = std::size_t{64} << 20;

// One format. A file may hold what several processes printed, one after the other.
struct SampleFormat {
  std::string_view name;  // on the command line
  std::string_view help;  // what it reads, one line, no full stop
  std::string_view more;  // how the tool gives more repetitions, for remedies: in the imperative
  // Reads a whole text into the collector. Accepts any bytes: throws Error, beginning with the
  // collector's origin, for a text that it cannot read or that reports a failed run.
  void (*read)(std::string_view text, SampleCollector& into);
};

namespace sample_formats {
#define TAILGATE_DECLARE_FORMAT(name) extern const SampleFormat name;
TAILGATE_SAMPLE_FORMATS(TAILGATE_DECLARE_FORMAT)
#undef TAILGATE_DECLARE_FORMAT
}  // namespace sample_formats

// All formats, sorted by name.
const std::vector<const SampleFormat*>& all_sample_formats();

// The format of that name. Throws Error that lists the names.
const SampleFormat& find_sample_format(std::string_view name);

// Reads one text, for tests; `origin` stands for its file's name in errors. Throws Error also for a
// text without any figure, and one longer than kMaxSampleBytes.
SampleSet read_samples(const SampleFormat& format, std::string_view text,
                       const std::string& origin);

// Reads files, one after the other, into one set. Throws Error, also for a file that cannot be
// read.
SampleSet load_samples(const SampleFormat& format, const std::vector<std::filesystem::path>& files);

}  // namespace tailgate
