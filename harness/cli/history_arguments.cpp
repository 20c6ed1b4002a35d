#include "harness/cli/history_arguments.h"

#include <cstdlib>

#include "harness/cli/commands.h"
#include "harness/history/dates.h"

namespace tailgate {
namespace {

std::string default_place() {
  const char* const set = std::getenv("TAILGATE_HISTORY");
  return set != nullptr && *set != '\0' ? set : "out/history.sqlite";
}

}  // namespace

void add_history_place(Command* command, std::string& place) {
  place = default_place();
  command
      ->add_option("--history", place,
                   "A file or postgresql://USER@HOST/DATABASE; else\n"
                   "$TAILGATE_HISTORY, or out/history.sqlite")
      ->type_name("WHERE");
}

void check_night(const std::string& option, const std::string& night) {
  if (night.empty() || history::is_date(night)) return;
  throw UsageError(Error(option + " = '" + night + "' is no date", "give one as 2026-11-25"));
}

}  // namespace tailgate
