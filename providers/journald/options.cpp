#include "providers/journald/journald.h"

namespace tailgate {

OptionTable journald_options() {
  constexpr double kMaxBytes = 1e12;
  const OptionType integer = OptionType::integer;
  return {
      choice_option("mode", "native", "who makes the datagrams: tailgate or libsystemd",
                    {"native", "sd_journal_send"}),
      choice_option("storage", "persistent", "journal files on disk or in memory",
                    {"persistent", "volatile"}),
      choice_option("encoding", "text", "of the event in the field MESSAGE", {"text", "binary"}),
      {"blocking", OptionType::boolean, "true",
       "native: wait when journald's socket is full, rather than have the event refused"},
      {"max_use_bytes", integer, "0",
       "SystemMaxUse or RuntimeMaxUse: what the journal may take (0: journald's default)", 0,
       kMaxBytes},
      {"keep_free_bytes", integer, "0",
       "SystemKeepFree or RuntimeKeepFree: what it leaves free (0: journald's default)", 0,
       kMaxBytes},
      {"max_file_bytes", integer, "0",
       "SystemMaxFileSize or RuntimeMaxFileSize (0: journald's default)", 0, kMaxBytes},
      {"compress_above_bytes", integer, "512",
       "compress fields that are larger (0: never; journald's own default is 512)", 0, kMaxBytes},
      {"sync_interval_s", integer, "300", "SyncIntervalSec: time between synchronisations", 1,
       86400},
      {"disk_bytes", integer, "0",
       "the journal lies in a file system of this size in memory (0: in the trial's directory, "
       "volatile: in /run)",
       0, kMaxBytes},
  };
}

}  // namespace tailgate
