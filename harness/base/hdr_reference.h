// Test support: the value sets of testdata/HdrReference.java, recorded by tailgate, and the figures
// which HdrHistogram's Java implementation prints for them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/histogram.h"

namespace tailgate::test {

struct ReferenceSet {
  std::string name;
  Histogram histogram;
};

std::vector<ReferenceSet> reference_sets();

// The fields "key=value" of one line that HdrReference.java printed.
using ReferenceFigures = std::map<std::string, std::string>;

// By set, in the order of the lines. Lines that do not begin with "set=" are left out.
std::vector<ReferenceFigures> parse_reference_figures(std::string_view text);

// Has Catch check every figure of the line against the histogram.
void check_figures(const Histogram& histogram, const ReferenceFigures& expected);

// Has Catch check a percentile distribution line by line, number by number: to one unit in the last
// place printed, because Java rounds the shortest decimal form and C++ the exact value.
void check_percentile_text(const std::string& text, const std::string& expected);

// The whole content of a file; a test failure when there is none.
std::string read_file(const std::string& path);

}  // namespace tailgate::test
