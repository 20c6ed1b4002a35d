#include "providers/etw/options.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>

#include "harness/base/error.h"
#include "providers/etw/retention.h"
#include "providers/shared/sessions/own_sessions.h"

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

std::filesystem::path trace_folder(const TrialContext& context) {
  const std::string& keep_in = context.options.text("keep_in");
  return keep_in.empty() ? context.directory : std::filesystem::path(keep_in);
}

std::filesystem::path launch_file(const TrialContext& context) {
  return context.directory / ".etw.launch";
}

// When the session was started, as it has noted it for the other roles; nothing where it has not.
std::string launch_time(const TrialContext& context) {
  std::ifstream file(launch_file(context));
  std::string time;
  return file >> time ? time + "-" : "";
}

// In a folder that several trials share, each trial's files have a name of their own, and those of
// later launches come later in the alphabet.
std::string trace_stem(const TrialContext& context) {
  if (context.options.text("keep_in").empty()) return "trace";
  return kKeptPrefix + launch_time(context) + etl::to_text(trial_guid(context));
}

}  // namespace

OptionTable options() {
  constexpr double kMaxBufferBytes = 16 << 20;
  constexpr double kMaxBuffers = 1 << 16;
  constexpr double kMaxFileBytes = 1e12;
  const OptionType integer = OptionType::integer;
  const OptionType boolean = OptionType::boolean;
  return {
      choice_option(
          "mode", "file",
          "file: all buffers go to a file; circular: a file that overwrites its oldest buffers "
          "at file_bytes; capped: a file that ends at file_bytes, and nothing after; new_file: a "
          "new file every file_bytes; realtime: to the consumer "
          "without a file; memory: buffers overwrite their oldest events and are written to "
          "a file at the end; private: a session within the provider's process; "
          "unlistened: no session, to measure a call that nobody listens to",
          {"file", "circular", "capped", "new_file", "realtime", "memory", "private",
           "unlistened"}),
      choice_option("controller", "api",
                    "who starts and stops the session. api: tailgate; logman: Windows' program of "
                    "that name",
                    {"api", "logman"}),
      {"logman_timeout_s", OptionType::integer, "10", "time limit of a call of logman", 1, 600},
      {"buffer_bytes", integer, "64Ki", "size of a buffer, in whole KiB", 4096, kMaxBufferBytes},
      {"buffers_min_count", integer, "0", "buffers at the start (0: Windows decides)", 0,
       kMaxBuffers},
      {"buffers_max_count", integer, "0", "most buffers (0: Windows decides)", 0, kMaxBuffers},
      {"flush_timer_s", integer, "1",
       "time after which partly filled buffers are written (0: when the session ends)", 0, 3600},
      {"file_bytes", integer, "64Mi", "circular, capped, new_file: size of a file, in whole MiB",
       1 << 20, kMaxFileBytes},
      {"keep_in", OptionType::text, "",
       "folder that keeps the files after the trial (empty: removed with the trial)"},
      {"keep_bytes", integer, "1Gi",
       "keep_in: largest total, that of a circular or capped session included; the oldest files "
       "are removed before a session starts",
       0, kMaxFileBytes},
      choice_option("clock", "qpc",
                    "clock of the time stamps: QueryPerformanceCounter, the system time "
                    "(100 ns, coarse), or the processor's counter",
                    {"qpc", "system", "cpu"}),
      choice_option("level", "information",
                    "highest level that the session enables; the provider writes information, so "
                    "with warning each call finds that nobody listens and returns",
                    {"warning", "information", "verbose"}),
      {"keyword", integer, "1",
       "keywords that the session enables, as a mask (0: all); the provider writes 1, so with 2 "
       "each call finds that nobody listens and returns",
       0, 0x1p53},
      choice_option(
          "fields", "one",
          "an event's fields. one: its bytes; log: those of a log line (payload lines(N)) "
          "each by itself, time, level, logger, caller, message and JSON",
          {"one", "log"}),
      choice_option("processes", "all",
                    "of which processes the session records events, by a filter on the program's "
                    "file name (Windows 8.1 and later). program: of tailgate; others: of no "
                    "program that exists, so that each call finds that nobody listens and returns",
                    {"all", "program", "others"}),
      choice_option("commands", "enable",
                    "what the session sends its provider. enable: level and keywords; all: filter "
                    "data with each enable, too, and behind those under load a request for the "
                    "provider's state",
                    {"enable", "all"}),
      {"provider_guid", OptionType::text, "",
       "the provider's GUID, for tools that know it (empty: one of the trial's own)"},
      {"session_name", OptionType::text, "",
       "part of the session's name, for tools that look for it; {host} stands for this machine's "
       "name (empty: the trial's GUID)"},
      {"compressed", boolean, "false", "Windows compresses the buffers before it writes them"},
      {"stack", boolean, "false", "Windows adds the caller's stack to each event"},
  };
}

Selection session_selection(const Options& options) {
  const std::string& level = options.text("level");
  const int number = level == "warning" ? 3 : level == "verbose" ? 5 : kInformation;
  return {.level = static_cast<std::uint8_t>(number),
          .keyword = static_cast<std::uint64_t>(options.integer("keyword"))};
}

bool is_capped(const Options& options) {
  return options.text("mode") == "circular" || options.text("mode") == "capped";
}

std::uint64_t kept_before(const Options& options) {
  const std::int64_t keep = options.integer("keep_bytes");
  const std::int64_t own = is_capped(options) ? options.integer("file_bytes") : 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, keep - own));
}

void note_launch(const TrialContext& context) {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::ofstream file(launch_file(context));
  file << fmt::format("{:%Y%m%dT%H%M%S}.{:03}", fmt::gmtime(seconds), ms.count() % 1000);
}

bool selects_events(const Options& options) {
  const Selection selected = session_selection(options);
  const Selection written = event_selection();
  const bool keyword = selected.keyword == 0 || (selected.keyword & written.keyword) != 0;
  return options.text("mode") != "unlistened" && options.text("processes") != "others" && keyword &&
         selected.level >= written.level;
}

bool sends_all_commands(const Options& options) {
  return options.text("commands") == "all";
}

bool can_have_further(const Options& options) {
  const std::string& mode = options.text("mode");
  return options.text("controller") == "api" && mode != "realtime" && mode != "private" &&
         mode != "unlistened";
}

TrialContext context_of_further(const TrialContext& context, unsigned session) {
  TrialContext one = context;
  one.directory = session_directory(context, session);
  one.options.set("provider_guid", etl::to_text(provider_guid(context)));
  return one;
}

std::filesystem::path told_path(const TrialContext& context, unsigned process) {
  return context.directory / fmt::format(".etw.told.{}", process);
}

Selection event_selection() {
  return {.level = kInformation, .keyword = kKeyword};
}

// A GUID of version 8 of RFC 9562, whose bits the application chooses: here a name and the
// directory's hash.
etl::Guid trial_guid(const TrialContext& context) {
  etl::Guid guid{{'t', 'l', 'g', 't', 'e', 't', 'w', 0x80, 0x80, 0}};
  std::uint64_t hash = fnv1a(context.directory.string());
  for (std::size_t i = 9; i < guid.bytes.size(); ++i) {
    guid.bytes[i] = static_cast<std::uint8_t>(hash);
    hash >>= 8;
  }
  return guid;
}

etl::Guid provider_guid(const TrialContext& context) {
  const std::string& pinned = context.options.text("provider_guid");
  if (pinned.empty()) return trial_guid(context);
  if (const auto guid = etl::parse_guid(pinned)) return *guid;
  throw Error(fmt::format("provider_guid = '{}' is no GUID", pinned),
              "write it as 01234567-89ab-cdef-0123-456789abcdef");
}

std::string session_name(const TrialContext& context, int pid, const std::string& host) {
  const std::string guid = etl::to_text(trial_guid(context));
  std::string part = context.options.text("session_name");
  if (part.empty()) return fmt::format("{}{}-{}", kSessionPrefix, pid, guid);
  constexpr std::string_view kHost = "{host}";
  for (std::size_t at = 0; (at = part.find(kHost, at)) != std::string::npos; at += host.size()) {
    part.replace(at, kHost.size(), host);
  }
  constexpr std::size_t kMaxBytes = 200;
  const bool control =
      std::any_of(part.begin(), part.end(), [](unsigned char letter) { return letter < ' '; });
  if (part.size() > kMaxBytes || control || part.find_first_of("\\/\"") != std::string::npos) {
    throw Error(fmt::format("session_name = '{}' is no name that a session can have", part),
                fmt::format("use at most {} bytes, without slashes and quotes", kMaxBytes));
  }
  // Both sides of a duet have sessions of one process at once.
  return fmt::format("{}{}-{}-{}", kSessionPrefix, pid, part, guid.substr(guid.size() - 8));
}

std::filesystem::path trace_path(const TrialContext& context) {
  const bool many = context.options.text("mode") == "new_file";
  return trace_folder(context) / (trace_stem(context) + (many ? "-%d" : "") + kTraceExtension);
}

std::vector<std::filesystem::path> written_traces(const TrialContext& context) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(trace_folder(context))) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() == kTraceExtension &&
        path.filename().string().starts_with(trace_stem(context))) {
      paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace tailgate::etw
