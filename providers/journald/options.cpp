#include "providers/journald/options.h"

namespace tailgate {

OptionTable journald_options() {
  constexpr double kMaxBytes = 1e12;
  const OptionType integer = OptionType::integer;
  return {
      choice_option("mode", "native", "who builds the datagrams: tailgate or libsystemd",
                    {"native", "sd_journal_send"}),
      choice_option("storage", "persistent", "journal files on disk or in memory",
                    {"persistent", "volatile"}),
      choice_option("encoding", "text", "encoding of the event in the field MESSAGE",
                    {"text", "binary"}),
      choice_option("fields", "one",
                    "an event's fields. one: its bytes as MESSAGE; log: those of a log line "
                    "(payload lines(N)) each by itself, named: those that the call formatted "
                    "(fields_count)",
                    {"one", "log", "named"}),
      {"blocking", OptionType::boolean, "true",
       "native: wait when journald's socket is full; false: refuse the event"},
      {"max_use_bytes", integer, "0",
       "SystemMaxUse or RuntimeMaxUse: largest journal (0: journald's default)", 0, kMaxBytes},
      {"keep_free_bytes", integer, "0",
       "SystemKeepFree or RuntimeKeepFree: disk kept free (0: journald's default)", 0, kMaxBytes},
      {"max_file_bytes", integer, "0",
       "SystemMaxFileSize or RuntimeMaxFileSize (0: journald's default)", 0, kMaxBytes},
      {"compress_above_bytes", integer, "512",
       "compress fields larger than this (0: never; journald's own default is 512)", 0, kMaxBytes},
      {"sync_interval_s", integer, "300", "SyncIntervalSec: time between synchronisations", 1,
       86400},
      choice_option("max_level_store", "debug",
                    "MaxLevelStore: journald stores nothing less important; the events are info",
                    {"debug", "info", "warning"}),
      {"disk_bytes", integer, "0",
       "put the journal into a tmpfs of this size (0: into the trial's directory, "
       "volatile: into /run)",
       0, kMaxBytes},
  };
}

bool journald_stores_events(const Options& options) {
  const std::string& level = options.text("max_level_store");
  return level == "debug" || level == "info";
}

}  // namespace tailgate
