#include "harness/report/answer_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/report/human.h"

namespace tailgate {

std::string answers_text(const Results& results) {
  std::string text;
  for (const auto& [name, result] : results) {
    if (!result.answer) continue;
    text += paragraph(result.answer->sentence);
    if (!result.answer->cannot.empty()) {
      text += paragraph(fmt::format("  `{}` cannot: {}", result.sink.label,
                                    fmt::join(result.answer->cannot, "; ")));
    }
  }
  return text;
}

}  // namespace tailgate
