/* A program whose logging function nobody exports: hidden MODE THREADS CALLS DELAY_US
 * Each thread calls hidden_write so many times:
 *   plain   directly
 *   nested  twice within hidden_outer
 *   fork    and so does the main thread, in this process and in a child
 *   jump    and leaves every second call by longjmp
 *   units   and another unit calls its own hidden_write once
 *   lines   and writes a line for each at the end
 *   killed  and the process kills itself within the last call
 *   wait    and the main thread waits for a signal at the end */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void other_unit(unsigned delay_us);

static const char* mode;
static int calls;
static unsigned delay_us;
static __thread jmp_buf before;
static volatile int sink;

static __attribute__((noinline)) void hidden_write(unsigned us, int call) {
  if (us > 0) usleep(us);
  sink = call;
  if (strcmp(mode, "jump") == 0 && call % 2 == 1) longjmp(before, 1);
  if (strcmp(mode, "killed") == 0 && call == calls - 1) raise(SIGKILL);
}

static __attribute__((noinline)) void hidden_outer(int call) {
  hidden_write(delay_us, call);
  hidden_write(0, call);
  sink = 0;
}

static void* work(void* unused) {
  (void)unused;
  for (volatile int i = 0; i < calls; ++i) {
    if (setjmp(before) != 0) continue;
    if (strcmp(mode, "nested") == 0) {
      hidden_outer(i);
    } else {
      hidden_write(delay_us, i);
    }
  }
  return 0;
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
  if (strcmp(mode, "units") == 0) other_unit(delay_us);
  for (int i = 0; strcmp(mode, "lines") == 0 && i < count * calls; ++i) puts("an event");
  fflush(stdout);
  if (strcmp(mode, "wait") == 0) pause();
  return 0;
}
