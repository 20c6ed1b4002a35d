#include "providers/planted/more_work.h"

namespace tailgate {

void planted_loop(const Clock& clock, std::uint64_t until_ns) noexcept {
  while (clock.now_ns() < until_ns) {
  }
}

}  // namespace tailgate
