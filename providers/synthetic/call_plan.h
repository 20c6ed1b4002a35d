// Which calls of the synthetic sink hang, crash, are refused or are lost.
#pragma once

#include <cstdint>

#include "harness/base/options.h"

namespace tailgate {

// By the number of a call: counted per thread from 1. 0: none.
struct CallPlan {
  explicit CallPlan(const Options& options)
      : hang_at(number(options, "hang_at")),
        crash_at(number(options, "crash_at")),
        refuse_every(number(options, "refuse_every")),
        lose_every(number(options, "lose_every")),
        hide_every(number(options, "hide_every")),
        refuse_over_bytes(number(options, "refuse_over_bytes")) {}

  static std::uint64_t number(const Options& options, const char* name) {
    return static_cast<std::uint64_t>(options.integer(name));
  }

  std::uint64_t hang_at, crash_at, refuse_every, lose_every, hide_every;
  std::uint64_t refuse_over_bytes;  // 0: no event is too long
};

}  // namespace tailgate
