// Spends four fifths of its time in most() and a fifth in rest(), until it is killed. With an
// argument it takes memory instead: it writes "r", waits for SIGUSR1, takes it, writes "m" and
// waits. memory: 3000 pages in keep(), 1000 in keep_few(), and 1000 more that it gives back.
// blocks: of the allocator, 1000 of 48 bytes in keep_blocks(), 200 of 3000 bytes in grow_blocks(),
// of which each was one of 10 bytes, and 500 of 100 bytes that it frees.
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

// What the compiler cannot leave out.
static void *volatile kept;

__attribute__((noinline)) void keep_blocks(void) {
  for (int i = 0; i < 1000; ++i) kept = i % 2 == 0 ? malloc(48) : calloc(6, 8);
  ++sink;
}

__attribute__((noinline)) void grow_blocks(void) {
  for (int i = 0; i < 200; ++i) {
    kept = malloc(10);
    kept = realloc(kept, 3000);
  }
  ++sink;
}

__attribute__((noinline)) void free_blocks(void) {
  for (int i = 0; i < 500; ++i) {
    kept = malloc(100);
    free(kept);
  }
  ++sink;
}

static void take_pages(void) {
  keep();
  keep_few();
  give_back();
}

static void take_blocks(void) {
  keep_blocks();
  grow_blocks();
  free_blocks();
}

static int take_memory(void (*take_it)(void)) {
  sigset_t wanted;
  int received;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  sigprocmask(SIG_BLOCK, &wanted, 0);
  if (write(1, "r", 1) != 1 || sigwait(&wanted, &received) != 0) return 1;
  take_it();
  if (write(1, "m", 1) != 1) return 1;
  pause();
  return 0;
}

int main(int count, char **arguments) {
  if (count > 1) return take_memory(strcmp(arguments[1], "blocks") == 0 ? take_blocks : take_pages);
  for (;;) outer();
}
