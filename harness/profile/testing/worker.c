// Spends four fifths of its time in most() and a fifth in rest(), until it is killed.
#include <stdint.h>

volatile uint64_t sink;

#define STEPS 20000

// Both take the same time a step.
#define SPEND(steps)                                                   \
  uint64_t value = sink;                                               \
  for (int step = 0; step < (steps); ++step) {                         \
    value = value * 6364136223846793005u + 1442695040888963407u;       \
  }                                                                    \
  sink = value;

__attribute__((noinline)) void most(void) {
  SPEND(4 * STEPS)
}

__attribute__((noinline)) void rest(void) {
  SPEND(STEPS)
}

// The calls are no tail calls: something follows them.
__attribute__((noinline)) void inner(int which) {
  if (which == 0) {
    rest();
  } else {
    most();
  }
  ++sink;
}

__attribute__((noinline)) void outer(void) {
  for (int which = 0; which < 2; ++which) inner(which);
  ++sink;
}

int main(void) {
  for (;;) outer();
}
