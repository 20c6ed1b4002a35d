#include "harness/samples/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "harness/base/error.h"

namespace tailgate {
namespace {

void read_into(const SampleFormat& format, std::string_view text, SampleCollector& into) {
  if (text.size() > kMaxSampleBytes) {
    throw Error(fmt::format("{}: more than {} MiB", into.origin(), kMaxSampleBytes >> 20),
                "give what fewer processes printed, in several files");
  }
  format.read(text, into);
}

// As much of the file as is read, and a byte more where it goes on.
std::string text_of(const std::filesystem::path& path, std::size_t limit) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  constexpr std::size_t kBlock = 1 << 16;
  while (file && text.size() <= limit) {
    const std::size_t before = text.size();
    text.resize(before + kBlock);
    file.read(text.data() + before, kBlock);
    text.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof() && text.size() <= limit) {
    throw Error(fmt::format("cannot read '{}'", path.string()), "name an existing file");
  }
  return text;
}

SampleSet nonempty(SampleCollector& collector, const SampleFormat& format,
                   const std::string& origin) {
  SampleSet samples = collector.take();
  if (samples.series.empty()) {
    throw Error(fmt::format("{}: no figure found that a benchmark measured", origin),
                fmt::format("'{}' reads {}", format.name, format.help));
  }
  return samples;
}

}  // namespace

const std::vector<const SampleFormat*>& all_sample_formats() {
  static const std::vector<const SampleFormat*> all = [] {
    std::vector<const SampleFormat*> formats = {
#define TAILGATE_FORMAT_ADDRESS(name) &sample_formats::name,
        TAILGATE_SAMPLE_FORMATS(TAILGATE_FORMAT_ADDRESS)
#undef TAILGATE_FORMAT_ADDRESS
    };
    std::sort(formats.begin(), formats.end(),
              [](const SampleFormat* a, const SampleFormat* b) { return a->name < b->name; });
    return formats;
  }();
  return all;
}

const SampleFormat& find_sample_format(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SampleFormat* format : all_sample_formats()) {
    if (format->name == name) return *format;
    names.push_back(format->name);
  }
  throw Error(fmt::format("there is no format '{}'", name),
              fmt::format("the formats are: {}", fmt::join(names, ", ")));
}

SampleSet read_samples(const SampleFormat& format, std::string_view text,
                       const std::string& origin) {
  SampleCollector collector(origin);
  read_into(format, text, collector);
  return nonempty(collector, format, origin);
}

SampleSet load_samples(const SampleFormat& format,
                       const std::vector<std::filesystem::path>& files) {
  SampleCollector collector("");
  std::size_t left = kMaxSampleBytes;
  for (const std::filesystem::path& file : files) {
    collector.set_origin(file.string());
    const std::string text = text_of(file, left);
    if (text.size() > left) {
      throw Error(fmt::format("{}: the files of one side hold more than {} MiB", file.string(),
                              kMaxSampleBytes >> 20),
                  "give fewer, or run fewer benchmarks at once");
    }
    left -= text.size();
    read_into(format, text, collector);
  }
  return nonempty(collector, format, files.empty() ? "" : files.front().string());
}

}  // namespace tailgate
