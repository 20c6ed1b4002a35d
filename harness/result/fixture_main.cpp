// Prints the sample result, or with the argument "duet" the sample duet, as the writer writes it.
// The files in results/fixtures/ were made with it, one per version of the schema, and stay as they
// are: each must load for ever.
#include <cstdio>
#include <string_view>

#include "harness/result/json.h"
#include "harness/result/sample.h"

int main(int argc, char** argv) {
  const bool duet = argc == 2 && std::string_view(argv[1]) == "duet";
  const std::string text = duet ? tailgate::write_duet(tailgate::sample_duet())
                                : tailgate::write_result(tailgate::sample_result());
  std::fputs(text.c_str(), stdout);
  return 0;
}
