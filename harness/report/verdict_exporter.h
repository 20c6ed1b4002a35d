// Verdicts for people and for other tools: one format a file, behind this interface.
//
// To add a format: write one file with a class and its function below, and put the function into
// the list in verdict_exporter.cpp.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/verdict.h"

namespace tailgate {

class VerdictExporter {
 public:
  virtual ~VerdictExporter() = default;

  virtual std::string name() const = 0;         // what `tailgate gate` calls it
  virtual std::string description() const = 0;  // one line, no full stop

  // All verdicts as one document. Whether writing to the stream succeeded is the caller's to check.
  virtual void write(const std::vector<Verdict>& verdicts, std::ostream& out) const = 0;
};

const VerdictExporter& verdict_json_exporter();
const VerdictExporter& verdict_junit_exporter();
const VerdictExporter& verdict_markdown_exporter();
const VerdictExporter& verdict_text_exporter();

// All of them, by name.
std::vector<const VerdictExporter*> verdict_exporters();

// The verdicts as text for a terminal of 80 columns; colour: with ANSI colours.
std::string render_verdicts(const std::vector<Verdict>& verdicts, bool colour);

// What was compared, in one line: "file: 4f2a9c1d to 8b7e6d5c, steady at 20k/s".
std::string comparison_text(const Verdict& verdict);

}  // namespace tailgate
