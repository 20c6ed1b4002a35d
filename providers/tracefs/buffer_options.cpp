#include "providers/tracefs/buffer_options.h"

namespace tailgate::tracefs {

OptionTable buffer_options() {
  constexpr double kTwoPagesBytes = 8192;
  return {
      {"buffer_bytes", OptionType::integer, "4Mi",
       "each processor's buffer; the kernel rounds to whole pages", kTwoPagesBytes, 1 << 30},
      {"overwrite", OptionType::boolean, "true",
       "a full buffer gives up its oldest page of events; false: it takes no more"},
  };
}

}  // namespace tailgate::tracefs
