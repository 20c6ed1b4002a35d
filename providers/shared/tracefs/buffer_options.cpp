#include "providers/shared/tracefs/buffer_options.h"

namespace tailgate::tracefs {

OptionTable buffer_options() {
  constexpr double kTwoPagesBytes = 8192;
  return {
      {"buffer_bytes", OptionType::integer, "4Mi",
       "size of each CPU's buffer; the kernel rounds to whole pages", kTwoPagesBytes, 1 << 30},
      {"overwrite", OptionType::boolean, "true",
       "true: a full buffer overwrites its oldest page; false: it takes no more events"},
  };
}

}  // namespace tailgate::tracefs
