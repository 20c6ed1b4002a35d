/* A logger in a library of its own. The arguments use registers of every kind, and the stack. */
#include <unistd.h>

struct mylog_big {
  long fields[12];
};

long mylog_write(int delay_us, double number, struct mylog_big big, long a, long b, long c, long d,
                 long e, long f) {
  if (delay_us > 0) usleep((unsigned)delay_us);
  return (long)(number * 2) + big.fields[11] + a + b + c + d + e + f;
}

void mylog_nested(void) {
  const struct mylog_big big = {{0}};
  mylog_write(0, 0, big, 0, 0, 0, 0, 0, 0);
}
