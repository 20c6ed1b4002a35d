// Test support: the value sets of testdata/HdrReference.java, recorded by tailgate, and the figures
// which HdrHistogram's Java implementation prints for them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/histogram/histogram.h"

namespace tailgate::test {

struct ReferenceSet {
  std::string name;
  Histogram histogram;
};

std::vector<ReferenceSet> reference_sets();

// The fields "key=value" of one line that HdrReference.java printed.
using ReferenceFigures = std::map<std::string, std::string>;

// Parses the figures of each set, in the order of the lines. Skips lines that do not begin with
// "set=".
std::vector<ReferenceFigures> parse_reference_figures(std::string_view text);

// Checks every figure of the line against the histogram, with Catch.
void check_figures(const Histogram& histogram, const ReferenceFigures& expected);

// Checks a percentile distribution number by number, with Catch. Numbers may differ by one unit in
// the last printed place, because Java rounds the shortest decimal form and C++ the exact value.
void check_percentile_text(const std::string& text, const std::string& expected);

// Returns the whole content of a file; fails the test if it does not exist.
std::string read_file(const std::string& path);

}  // namespace tailgate::test
