// What the gate's record comes to, as tables that read well in a terminal and as Markdown.
#pragma once

#include <string>
#include <vector>

#include "harness/gate/calibration.h"

namespace tailgate {

// For each sink a table of its planted changes (runs, verdicts, the share that failed with its 95 %
// interval, rounds and time of a run), then one of what relabelling its rounds gave. At most 80
// columns wide but for sinks' names.
std::string render_calibration(const std::vector<CalibrationRow>& rows,
                               const std::vector<RelabelledRow>& relabelled);

// Where a record's runs come from: how many, their days, machines' fingerprints and revisions.
std::string render_calibration_origin(const Calibration& calibration);

}  // namespace tailgate
