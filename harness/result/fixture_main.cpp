// Prints the sample result, or with the argument "duet" the sample duet. The files in
// results/fixtures/ were made with this program, one per version of the schema. They never change:
// each must load for ever.
#include <cstdio>
#include <string_view>

#include "harness/result/json.h"
#include "harness/result/sample.h"
#include "harness/result/sample_duet.h"

int main(int argc, char** argv) {
  const bool duet = argc == 2 && std::string_view(argv[1]) == "duet";
  const std::string text = duet ? tailgate::write_duet(tailgate::sample_duet({.rounds = 4}))
                                : tailgate::write_result(tailgate::sample_result());
  std::fputs(text.c_str(), stdout);
  return 0;
}
