#include <sys/syscall.h>

#include "harness/explain/system_calls.h"

namespace tailgate::activity {

// The numbers come from the kernel's header for this processor. If a call may wait for several
// things, the table names what it waits for in an interruptible sleep; it names storage only if
// waiting for storage is the call's purpose.
std::vector<SystemCallFact> system_call_facts() {
  using enum WaitsFor;
  return {
      {SYS_read, "read", socket},
      {SYS_readv, "readv", socket},
      {SYS_pread64, "pread64", unknown},
      {SYS_write, "write", socket},
      {SYS_writev, "writev", socket},
      {SYS_pwrite64, "pwrite64", unknown},
      {SYS_pwritev, "pwritev", unknown},
      {SYS_pwritev2, "pwritev2", unknown},
      {SYS_fsync, "fsync", storage},
      {SYS_fdatasync, "fdatasync", storage},
      {SYS_sync_file_range, "sync_file_range", storage},
      {SYS_syncfs, "syncfs", storage},
      {SYS_msync, "msync", storage},
      {SYS_fallocate, "fallocate", unknown},
      {SYS_ftruncate, "ftruncate", unknown},
      {SYS_rename, "rename", unknown},
      {SYS_renameat2, "renameat2", unknown},
      {SYS_unlink, "unlink", unknown},
      {SYS_openat, "openat", unknown},
      {SYS_close, "close", unknown},
      {SYS_io_submit, "io_submit", unknown},
      {SYS_io_getevents, "io_getevents", storage},
      {SYS_io_uring_enter, "io_uring_enter", storage},
      {SYS_sendto, "sendto", socket},
      {SYS_sendmsg, "sendmsg", socket},
      {SYS_sendmmsg, "sendmmsg", socket},
      {SYS_recvfrom, "recvfrom", socket},
      {SYS_recvmsg, "recvmsg", socket},
      {SYS_connect, "connect", socket},
      {SYS_accept4, "accept4", socket},
      {SYS_poll, "poll", socket},
      {SYS_ppoll, "ppoll", socket},
      {SYS_select, "select", socket},
      {SYS_pselect6, "pselect6", socket},
      {SYS_epoll_wait, "epoll_wait", socket},
      {SYS_epoll_pwait, "epoll_pwait", socket},
      {SYS_ioctl, "ioctl", unknown},
      {SYS_futex, "futex", lock},
      {SYS_flock, "flock", lock},
      {SYS_fcntl, "fcntl", lock},
      {SYS_nanosleep, "nanosleep", sleep},
      {SYS_clock_nanosleep, "clock_nanosleep", sleep},
      {SYS_sched_yield, "sched_yield", unknown},
      {SYS_mmap, "mmap", unknown},
      {SYS_munmap, "munmap", unknown},
      {SYS_mremap, "mremap", unknown},
      {SYS_madvise, "madvise", unknown},
      {SYS_mprotect, "mprotect", unknown},
      {SYS_brk, "brk", unknown},
      {SYS_membarrier, "membarrier", unknown},
      {SYS_getpid, "getpid", unknown},
      {SYS_getppid, "getppid", unknown},
      {SYS_gettid, "gettid", unknown},
      {SYS_clock_gettime, "clock_gettime", unknown},
  };
}

}  // namespace tailgate::activity
