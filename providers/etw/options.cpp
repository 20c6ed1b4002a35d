#include "providers/etw/options.h"

namespace tailgate::etw {
namespace {

constexpr std::uint8_t kInformation = 4;  // TRACE_LEVEL_INFORMATION
constexpr std::uint64_t kKeyword = 0x1;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3u;
  }
  return hash;
}

}  // namespace

OptionTable options() {
  constexpr double kMaxBufferBytes = 16 << 20;
  constexpr double kMaxBuffers = 1 << 16;
  constexpr double kMaxFileBytes = 1e12;
  const OptionType integer = OptionType::integer;
  const OptionType boolean = OptionType::boolean;
  return {
      choice_option("mode", "file",
                    "file: all buffers go to a file; circular: that overwrites its oldest ones at "
                    "file_bytes; unlistened: no session listens, the cost of a call then",
                    {"file", "circular", "unlistened"}),
      {"buffer_bytes", integer, "64Ki", "size of a buffer; Windows takes whole KiB", 4096,
       kMaxBufferBytes},
      {"buffers_min_count", integer, "0", "buffers from the start (0: Windows decides)", 0,
       kMaxBuffers},
      {"buffers_max_count", integer, "0", "buffers at most (0: Windows decides)", 0, kMaxBuffers},
      {"flush_timer_s", integer, "1",
       "buffers that are not full go to the file after this time (0: only when the session ends)",
       0, 3600},
      {"file_bytes", integer, "64Mi", "circular: size of the file; Windows takes whole MiB",
       1 << 20, kMaxFileBytes},
      choice_option("clock", "qpc",
                    "what stamps events: QueryPerformanceCounter, the system time "
                    "(100 ns, coarse), or the processor's counter",
                    {"qpc", "system", "cpu"}),
      choice_option("level", "information",
                    "the session takes events up to this level; the provider writes information, "
                    "so that with warning each call ends where it finds that nobody listens",
                    {"warning", "information", "verbose"}),
      {"compressed", boolean, "false", "Windows compresses the buffers before it writes them"},
      {"stack", boolean, "false", "Windows adds the caller's stack to each event"},
  };
}

Selection session_selection(const Options& options) {
  const std::string& level = options.text("level");
  const int number = level == "warning" ? 3 : level == "verbose" ? 5 : kInformation;
  return {.level = static_cast<std::uint8_t>(number), .keyword = kKeyword};
}

Selection event_selection() {
  return {.level = kInformation, .keyword = kKeyword};
}

// Version 8 of RFC 9562: bits of one's own choice, here a name and the directory's hash.
etl::Guid provider_guid(const TrialContext& context) {
  etl::Guid guid{{'t', 'l', 'g', 't', 'e', 't', 'w', 0x80, 0x80, 0}};
  std::uint64_t hash = fnv1a(context.directory.string());
  for (std::size_t i = 9; i < guid.bytes.size(); ++i) {
    guid.bytes[i] = static_cast<std::uint8_t>(hash);
    hash >>= 8;
  }
  return guid;
}

std::filesystem::path trace_path(const TrialContext& context) {
  return context.directory / "trace.etl";
}

}  // namespace tailgate::etw
