// Spends four fifths of its time in most() and a fifth in rest(), until it is killed. With an
// argument it takes memory instead: it writes "r", waits for SIGUSR1, takes 3000 pages in keep()
// and 1000 in keep_few(), and 1000 more that it gives back, writes "m" and waits.
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

#define PAGE_BYTES 4096

__attribute__((noinline)) char *take(int pages) {
  char *memory = mmap(0, (size_t)pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, (size_t)pages * PAGE_BYTES, MADV_NOHUGEPAGE);
  memset(memory, 1, (size_t)pages * PAGE_BYTES);
  ++sink;
  return memory;
}

__attribute__((noinline)) void keep(void) {
  take(3000);
  ++sink;
}

__attribute__((noinline)) void keep_few(void) {
  take(1000);
  ++sink;
}

__attribute__((noinline)) void give_back(void) {
  munmap(take(1000), (size_t)1000 * PAGE_BYTES);
  ++sink;
}

static int take_memory(void) {
  sigset_t wanted;
  int received;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  sigprocmask(SIG_BLOCK, &wanted, 0);
  if (write(1, "r", 1) != 1 || sigwait(&wanted, &received) != 0) return 1;
  keep();
  keep_few();
  give_back();
  if (write(1, "m", 1) != 1) return 1;
  pause();
  return 0;
}

int main(int count, char **arguments) {
  (void)arguments;
  if (count > 1) return take_memory();
  for (;;) outer();
}
