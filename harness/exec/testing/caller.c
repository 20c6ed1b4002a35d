/* A program that logs through a library: caller CALLS DELAY_US. Fails if a result is wrong. */
#include <stdio.h>
#include <stdlib.h>

/* As in mylog.c. */
struct mylog_big {
  long fields[12];
};

long mylog_write(int delay_us, double number, struct mylog_big big, long a, long b, long c, long d,
                 long e, long f);
void mylog_nested(void);

int main(int argc, char** argv) {
  struct mylog_big big = {{0}};
  if (argc != 3) return 2;
  const int calls = atoi(argv[1]);
  big.fields[11] = 7;
  for (int i = 0; i < calls; ++i) {
    if (mylog_write(atoi(argv[2]), 3.5, big, 1, 2, 3, 4, 5, 6) != 35) return 3;
  }
  mylog_nested();
  return 0;
}
