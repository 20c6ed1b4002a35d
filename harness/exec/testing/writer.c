/* A program that knows nothing of tailgate: writer CALLS. It makes so many calls of write and one of
 * fsync; the last but one write blocks on a full pipe for 60 ms. Fails if errno is not kept. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int fill_pipe(int file) {
  static char bytes[65536];
  memset(bytes, 'x', sizeof bytes);
  return fcntl(file, F_SETPIPE_SZ, 65536) < 0 || write(file, bytes, sizeof bytes) != 65536;
}

int main(int argc, char** argv) {
  static char drain[70000];
  int ends[2];
  const int calls = argc == 2 ? atoi(argv[1]) : 0;
  const int null_file = open("/dev/null", O_WRONLY);
  if (calls < 4 || null_file < 0 || pipe(ends) != 0) return 2;
  for (int i = 0; i < calls - 3; ++i) {
    if (write(null_file, "event\n", 6) != 6) return 4;
  }
  if (fill_pipe(ends[1])) return 5;
  if (fork() == 0) {
    usleep(60000);
    _exit(read(ends[0], drain, sizeof drain) > 0 ? 0 : 1);
  }
  if (write(ends[1], "y", 1) != 1) return 6;
  wait(0);
  errno = 0;
  if (write(-1, "z", 1) != -1 || errno != EBADF) return 7;
  errno = 0;
  if (fsync(null_file) != -1 || errno != EINVAL) return 8;
  return 0;
}
