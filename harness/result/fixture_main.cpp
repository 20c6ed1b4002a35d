// Prints the sample result as the writer writes it. The files in results/fixtures/ were made with
// it, one per version of the schema, and stay as they are: each must load for ever.
#include <cstdio>

#include "harness/result/json.h"
#include "harness/result/sample.h"

int main() {
  std::fputs(tailgate::write_result(tailgate::sample_result()).c_str(), stdout);
  return 0;
}
