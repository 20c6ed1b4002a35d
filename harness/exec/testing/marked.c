/* A program that marks its calls, for tests: marked MODE THREADS CALLS DELAY_US */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tailgate/mark.h"

static const char* mode;
static int calls;
static unsigned delay_us;

static void* work(void* unused) {
  (void)unused;
  for (int i = 0; i < calls; ++i) {
    const tailgate_mark mark =
        strcmp(mode, "late") == 0 ? tailgate_mark_begin_late(0, 50000000) : tailgate_mark_begin(0);
    if (delay_us > 0) usleep(delay_us);
    if (strcmp(mode, "crash") == 0 && i == calls - 1) abort();
    if (strcmp(mode, "refuse") == 0 && i % 2 == 0) {
      tailgate_mark_end_refused(mark);
    } else {
      tailgate_mark_end(mark);
    }
  }
  return 0;
}

/* As a program does that writes through a wrong pointer. */
static void overwrite(void) {
  tailgate_mark_memory* const memory = tailgate_mark_process_.memory;
  memset((char*)memory + TAILGATE_MARK_PAGE, 0x7f, memory->size_bytes - TAILGATE_MARK_PAGE);
}

int main(int argc, char** argv) {
  pthread_t threads[256];
  if (argc != 5) return 2;
  mode = argv[1];
  const int count = atoi(argv[2]);
  calls = atoi(argv[3]);
  delay_us = (unsigned)atoi(argv[4]);
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], 0);
  if (strcmp(mode, "fork") == 0) {
    const pid_t child = fork();
    work(0);
    if (child == 0) _exit(0);
    waitpid(child, 0, 0);
  }
  if (strcmp(mode, "overwrite") == 0) overwrite();
  if (strcmp(mode, "lines") == 0) {
    for (int i = 0; i < count * calls; ++i) puts("an event");
  }
  fprintf(stderr, "marked %d calls\n", count * calls);
  return strcmp(mode, "exit3") == 0 ? 3 : 0;
}
