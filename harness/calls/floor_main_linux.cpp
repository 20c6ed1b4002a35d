// Measures what timing a call costs: calls a function that does nothing, many times, as a program
// would. `tailgate exec` starts it as it starts the user's program, timed by the same means.
//
//   tailgate-floor mark|call|push CALLS
//
// Prints the mean time of a call, in nanoseconds, in the median of some batches.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/calls/include/tailgate/mark.h"

extern "C" void tailgate_nothing();
extern "C" void tailgate_pushing();

namespace {

double now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void marked() {
  const tailgate_mark mark = tailgate_mark_begin(0);
  tailgate_mark_end(mark);
}

// Batches, since the machine interrupts some of them: the median batch is typical.
double median_call_ns(void (*call)(), long calls) {
  constexpr int kBatches = 21;
  double means[kBatches];
  const long in_batch = calls / kBatches + 1;
  for (double& mean : means) {
    const double begin = now_ns();
    for (long i = 0; i < in_batch; ++i) call();
    mean = (now_ns() - begin) / static_cast<double>(in_batch);
  }
  std::qsort(means, kBatches, sizeof means[0], [](const void* a, const void* b) {
    const double left = *static_cast<const double*>(a);
    const double right = *static_cast<const double*>(b);
    return left < right ? -1 : left > right ? 1 : 0;
  });
  return means[kBatches / 2];
}

// Through the linkage table each time, as in any program.
void called() {
  tailgate_nothing();
}

void pushed() {
  tailgate_pushing();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool marks = std::strcmp(argv[1], "mark") == 0;
  const bool pushes = std::strcmp(argv[1], "push") == 0;
  std::printf("%.3f\n", median_call_ns(marks    ? marked
                                       : pushes ? pushed
                                                : called,
                                       std::atol(argv[2])));
  return 0;
}
