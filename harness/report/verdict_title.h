// What a verdict is about, for the head of its text.
#pragma once

#include <string>

#include "harness/report/painter.h"
#include "harness/result/verdict.h"

namespace tailgate {

// What was compared, in one line: "file: 4f2a9c1d to 8b7e6d5c, steady at 20k/s".
std::string verdict_title(const Verdict& verdict);

// The text in the outcome's colour: green, yellow or red.
std::string painted_outcome(const std::string& text, VerdictOutcome outcome,
                            const Painter& painter);

// On how much it is based: "15 of 20 rounds", "up to 8 repetitions of each side".
std::string verdict_extent(const Verdict& verdict);

// ", 15 layouts of each side"; empty where each had one.
std::string layouts_text(const Verdict& verdict);

}  // namespace tailgate
