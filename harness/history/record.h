// What the history keeps of one document: of a result, a duet, a duet of commands, or a verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/enum_text.h"

namespace tailgate::history {

enum class Kind { result, duet, command_duet, verdict };

// What a value belongs to: values of one series are compared from night to night.
struct Series {
  Kind kind = Kind::result;
  std::string scenario;
  std::string preset;  // may be empty
  std::string sink;    // its label; of commands, side B's
  std::string load;    // by which the steps differ: "steady 10000/s, 128 B"
  std::string part;  // whose value: empty for the whole; a role, a cause; a, b or effect of a duet
  std::string metric;
  std::string unit;

  auto operator<=>(const Series&) const = default;
};

// A whole distribution of durations in nanoseconds.
struct Distribution {
  Series series;
  std::string hdr;             // HdrHistogram V2, zlib-compressed (bytes)
  std::uint64_t overflow = 0;  // values above the histogram's range, which hdr does not hold
};

struct Figure {
  Series series;
  double value = 0;
};

struct Record {
  Kind kind = Kind::result;
  std::string id;    // the document's own; a verdict's is made of its duet's, sides and policy
  std::string hash;  // of the text that it was read from
  std::int64_t progress = 0;    // of two states of one document the later has the higher
  std::int64_t started_ms = 0;  // Unix time in milliseconds; 0: unknown, as of verdicts
  std::string night;            // UTC date, "2026-11-25"; of a verdict empty: that of its duet
  std::string machine;          // name of the machine; when read: the fingerprint
  std::string fingerprint;      // machines of one fingerprint are a group
  std::string outcome;          // a verdict's; else "complete" or "partial"
  std::string label;            // restriction on the use of the figures; may be empty
  std::string revision;         // that was measured: of a duet side B's
  std::string version;          // of tailgate
  std::string scenario;         // these three as in Series
  std::string preset;
  std::string sink;
  std::string environment;  // what the machine and the build were: a line "name=value" each
  // Of a duet in which a build of a sink meets an earlier one at the same load: the revision of
  // that one, side A's; else empty.
  std::string reference;
  std::string duet_id;  // of verdicts: the duet that was judged; else empty
  std::vector<Distribution> distributions;
  std::vector<Figure> figures;
};

}  // namespace tailgate::history

namespace tailgate {
template <>
inline constexpr auto kEnumTexts<history::Kind> =
    enum_texts<history::Kind>({{history::Kind::result, "result"},
                               {history::Kind::duet, "duet"},
                               {history::Kind::command_duet, "command-duet"},
                               {history::Kind::verdict, "verdict"}});
}  // namespace tailgate
