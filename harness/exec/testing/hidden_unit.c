/* Another unit of that program, with a function of its own of the same name. */
#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) void hidden_write(unsigned us) {
  if (us > 0) usleep(us);
  sink = 1;
}

void other_unit(unsigned delay_us) {
  hidden_write(delay_us);
  sink = 0;
}
