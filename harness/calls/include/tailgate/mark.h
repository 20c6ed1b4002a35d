/* Times calls of a program that tailgate does not load: the program marks where each begins and
 * ends, and `tailgate exec -- PROGRAM ARGS` starts it and reads what it measured.
 *
 *     #include <tailgate/mark.h>
 *
 *     const tailgate_mark mark = tailgate_mark_begin(0);
 *     my_log("something happened");
 *     tailgate_mark_end(mark);
 *
 * Only this header is needed: C11 or C++ with GCC or Clang, nothing to link. A pair costs two reads
 * of the processor's clock and a few stores into shared memory; it allocates nothing, locks nothing
 * and makes no system call, apart from a thread's first mark. A program that tailgate did not start
 * pays one branch. On systems other than Linux the marks do nothing.
 *
 * Threads and processes. Each thread records for itself; a program may have many, also one after
 * another. Where more run at once than there is room for, their calls are counted as not timed. A
 * child process records too, after fork and after exec. A pair may end in another thread than it
 * began in. Pairs may nest: each is recorded. Marks may stand in a signal handler that interrupts
 * no other mark of its thread.
 *
 * What ends in a crash keeps what was recorded before it.
 *
 * Compatibility. The memory begins with a magic number, a version and its sizes. A program with
 * another version of this header records nothing and leaves its version, so that tailgate can tell.
 */
#ifndef TAILGATE_MARK_H
#define TAILGATE_MARK_H

#include <stdint.h>

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifndef CLOCK_MONOTONIC_RAW
#error "tailgate/mark.h needs POSIX: compile with -std=gnu11, or define _DEFAULT_SOURCE"
#endif
#endif

/* Names of C, and a common prefix, in any program. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

/* The variable of the environment that names the shared memory: a path. Only tailgate's own
 * libraries, which are not to record into a program's marks, define another one before. */
#ifndef TAILGATE_MARK_VARIABLE
#define TAILGATE_MARK_VARIABLE "TAILGATE_MARKS"
#endif

#define TAILGATE_MARK_MAGIC 0x304B52414D474C54u /* "TLGMARK0" */
#define TAILGATE_MARK_VERSION 1u

/* Calls are counted by kind, a number below this that the program chooses; higher ones count as
 * the last. */
#define TAILGATE_MARK_KINDS 16u

/* Histograms have HdrHistogram's layout for 1 ns to an hour with three digits: this many slots, and
 * one more word for the values above. */
#define TAILGATE_MARK_HISTOGRAM_SLOTS 33792u

/* A pair's beginning. */
typedef struct tailgate_mark {
  uint64_t start_ticks; /* 0: not timed */
  uint64_t late_ns;
  uint32_t kind;
  uint32_t has_due;
} tailgate_mark;

/* One of a thread's slowest calls. */
typedef struct tailgate_mark_slow_call {
  uint64_t end_ns; /* on the run clock; 0: empty, or being written */
  uint64_t start_ns;
  uint64_t late_ns;
  uint64_t sequence;
  uint32_t os_thread;
  int32_t cpu;
} tailgate_mark_slow_call;

typedef struct tailgate_mark_heap_entry {
  uint64_t service_ns;
  uint64_t slot;
} tailgate_mark_heap_entry;

/* What one thread writes; the thread's memory continues with `slowest` slow calls, as many entries
 * of a heap over them, and on the next page the histograms: service times of calls without a due
 * time, then service and response times of those with one. */
typedef struct tailgate_mark_thread {
  uint32_t os_thread; /* 0: nobody's */
  uint32_t process;
  uint64_t started;
  uint64_t finished;
  uint64_t refused;
  uint64_t inner; /* calls within a timed one, which are part of it */
  uint64_t first_start_ns;
  uint64_t last_end_ns;
  uint64_t least_kept_ns;
  uint64_t kinds[TAILGATE_MARK_KINDS];
} tailgate_mark_thread;

typedef struct tailgate_mark_memory {
  uint64_t magic;
  uint32_t version;
  uint32_t other_version; /* of a program's header that does not fit; 0: none came */
  uint64_t size_bytes;
  uint64_t thread_bytes; /* of each thread's memory; the first begins after a page */
  uint64_t histogram_bytes;
  uint32_t threads; /* there is memory for */
  uint32_t slowest;
  /* The run clock: ns = ticks - base_ticks, of the TSC multiplied by multiplier >> 64. */
  uint64_t uses_tsc;
  uint64_t multiplier;
  uint64_t base_ticks;
  /* Written by the program. */
  uint32_t processes;
  uint32_t threads_used;
  uint64_t calls_not_timed;
  uint32_t threads_not_timed;
  /* Written by tailgate's own library for the audit interface: a bit for each function, whether a
   * library that may have it was loaded, and whether it was bound. */
  uint32_t libraries_loaded;
  uint32_t functions_bound;
  /* Written by tailgate itself where it records calls for the program: records of the kernel's that
   * it did not get. */
  uint64_t records_lost;
} tailgate_mark_memory;

#define TAILGATE_MARK_PAGE 4096u

#if defined(__linux__)

/* Of a process: one copy in each program and shared library that marks. */
struct tailgate_mark_process_ {
  tailgate_mark_memory* memory;
  uint64_t* process_alive; /* a page that fork empties */
  uint32_t off;
  uint32_t uses_tsc;
  uint64_t multiplier;
};

/* Of a thread. */
struct tailgate_mark_local_ {
  tailgate_mark_thread* block;
  uint32_t full; /* there was no room for this thread */
};

__attribute__((weak, visibility("hidden"))) struct tailgate_mark_process_ tailgate_mark_process_;
__attribute__((weak,
               visibility("hidden"))) __thread struct tailgate_mark_local_ tailgate_mark_local_;

#ifndef __cplusplus
extern long syscall(long number, ...);
#endif

static inline uint64_t tailgate_mark_os_ticks_(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Reads the clock; the second one after all earlier instructions. */
static inline uint64_t tailgate_mark_ticks_(void) {
#if defined(__x86_64__)
  if (__builtin_expect(tailgate_mark_process_.uses_tsc != 0, 1)) return __builtin_ia32_rdtsc();
#endif
  return tailgate_mark_os_ticks_();
}

static inline uint64_t tailgate_mark_ticks_after_(void) {
#if defined(__x86_64__)
  uint32_t processor;
  if (__builtin_expect(tailgate_mark_process_.uses_tsc != 0, 1)) {
    return __builtin_ia32_rdtscp(&processor);
  }
#endif
  return tailgate_mark_os_ticks_();
}

static inline uint64_t tailgate_mark_ns_(uint64_t ticks) {
#ifdef __SIZEOF_INT128__
  if (__builtin_expect(tailgate_mark_process_.uses_tsc != 0, 1)) {
    __extension__ typedef unsigned __int128 tailgate_mark_wide;
    return (uint64_t)((tailgate_mark_wide)ticks * tailgate_mark_process_.multiplier >> 64);
  }
#endif
  return ticks;
}

/* Opens the memory that the environment names; null if there is none that fits. */
static inline tailgate_mark_memory* tailgate_mark_open_(void) {
  /* Whoever starts a program with more rights than their own does not choose what it writes to. */
  const char* const path = getauxval(AT_SECURE) == 0 ? getenv(TAILGATE_MARK_VARIABLE) : 0;
  const int file = path == 0 || *path == 0 ? -1 : open(path, O_RDWR);
  struct stat status;
  tailgate_mark_memory* memory = 0;
  if (file < 0) return 0;
  if (fstat(file, &status) == 0 && status.st_size >= (off_t)TAILGATE_MARK_PAGE) {
    memory = (tailgate_mark_memory*)mmap(0, (size_t)status.st_size, PROT_READ | PROT_WRITE,
                                         MAP_SHARED, file, 0);
  }
  close(file);
  if (memory == 0 || memory == (tailgate_mark_memory*)MAP_FAILED) return 0;
  if (memory->magic == TAILGATE_MARK_MAGIC && memory->version == TAILGATE_MARK_VERSION &&
      memory->size_bytes == (uint64_t)status.st_size) {
    return memory;
  }
  if (memory->magic == TAILGATE_MARK_MAGIC) {
    __atomic_store_n(&memory->other_version, TAILGATE_MARK_VERSION, __ATOMIC_RELAXED);
  }
  munmap(memory, (size_t)status.st_size);
  return 0;
}

/* Opens the memory for this process. Threads may race: the first one's mapping stays. */
static inline tailgate_mark_memory* tailgate_mark_start_(void) {
  tailgate_mark_memory* none = 0;
  tailgate_mark_memory* const memory = tailgate_mark_open_();
  uint64_t* alive;
  if (memory == 0) {
    __atomic_store_n(&tailgate_mark_process_.off, 1u, __ATOMIC_RELAXED);
    return 0;
  }
  alive = (uint64_t*)mmap(0, TAILGATE_MARK_PAGE, PROT_READ | PROT_WRITE,
                          0x02 /* MAP_PRIVATE */ | 0x20 /* MAP_ANONYMOUS */, -1, 0);
  if (alive == (uint64_t*)MAP_FAILED) return 0;
  syscall(SYS_madvise, alive, TAILGATE_MARK_PAGE, 18 /* MADV_WIPEONFORK */);
  *alive = 1;
  __atomic_store_n(&tailgate_mark_process_.multiplier, memory->multiplier, __ATOMIC_RELAXED);
  __atomic_store_n(&tailgate_mark_process_.uses_tsc, (uint32_t)memory->uses_tsc, __ATOMIC_RELAXED);
  /* Whichever of two racing pages stays, it says the same. */
  __atomic_store_n(&tailgate_mark_process_.process_alive, alive, __ATOMIC_RELEASE);
  if (__atomic_compare_exchange_n(&tailgate_mark_process_.memory, &none, memory, 0,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    __atomic_fetch_add(&memory->processes, 1u, __ATOMIC_RELAXED);
    return memory;
  }
  munmap(memory, memory->size_bytes);
  return none;
}

static inline tailgate_mark_thread* tailgate_mark_block_(tailgate_mark_memory* memory,
                                                         uint32_t number) {
  char* const first = (char*)memory + TAILGATE_MARK_PAGE;
  return (tailgate_mark_thread*)(first + number * memory->thread_bytes);
}

static inline tailgate_mark_slow_call* tailgate_mark_slow_calls_(tailgate_mark_thread* block) {
  return (tailgate_mark_slow_call*)(block + 1);
}

static inline tailgate_mark_heap_entry* tailgate_mark_heap_(const tailgate_mark_memory* memory,
                                                            tailgate_mark_thread* block) {
  return (tailgate_mark_heap_entry*)(tailgate_mark_slow_calls_(block) + memory->slowest);
}

/* The histograms lie at the end of the thread's memory. */
static inline uint64_t* tailgate_mark_histogram_(const tailgate_mark_memory* memory,
                                                 tailgate_mark_thread* block, uint32_t which) {
  char* const end = (char*)block + memory->thread_bytes;
  return (uint64_t*)(end - (3u - which) * memory->histogram_bytes);
}

/* Gives each entry of a new block's heap its slot. */
static inline void tailgate_mark_fill_heap_(const tailgate_mark_memory* memory,
                                            tailgate_mark_thread* block) {
  tailgate_mark_heap_entry* const heap = tailgate_mark_heap_(memory, block);
  uint32_t i;
  if (block->started != 0) return;
  for (i = 0; i < memory->slowest; ++i) heap[i].slot = i;
}

/* A new block, or that of a thread that has ended; null if there is none. */
static inline tailgate_mark_thread* tailgate_mark_take_(tailgate_mark_memory* memory,
                                                        uint32_t thread, uint32_t process) {
  uint32_t used = __atomic_load_n(&memory->threads_used, __ATOMIC_ACQUIRE);
  uint32_t i;
  while (used < memory->threads) {
    if (__atomic_compare_exchange_n(&memory->threads_used, &used, used + 1u, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      tailgate_mark_thread* const block = tailgate_mark_block_(memory, used);
      __atomic_store_n(&block->os_thread, thread, __ATOMIC_RELEASE);
      block->process = process;
      return block;
    }
  }
  for (i = 0; i < memory->threads; ++i) {
    tailgate_mark_thread* const block = tailgate_mark_block_(memory, i);
    uint32_t owner = __atomic_load_n(&block->os_thread, __ATOMIC_ACQUIRE);
    /* A block that is just being taken has no owner yet. */
    if (owner == 0 || syscall(SYS_tgkill, (long)block->process, (long)owner, 0L) == 0) continue;
    if (__atomic_compare_exchange_n(&block->os_thread, &owner, thread, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      block->process = process;
      return block;
    }
  }
  return 0;
}

static inline tailgate_mark_thread* tailgate_mark_new_block_(void) {
  struct tailgate_mark_local_* const local = &tailgate_mark_local_;
  tailgate_mark_memory* memory = __atomic_load_n(&tailgate_mark_process_.memory, __ATOMIC_ACQUIRE);
  uint64_t* histogram;
  uint32_t i;
  if (memory == 0) memory = tailgate_mark_start_();
  if (memory == 0) return 0;
  if (*tailgate_mark_process_.process_alive == 0) {
    __atomic_fetch_add(&memory->processes, 1u, __ATOMIC_RELAXED);
    *tailgate_mark_process_.process_alive = 1;
    local->full = 0;
  }
  local->block = 0;
  if (!local->full) {
    local->block = tailgate_mark_take_(memory, (uint32_t)syscall(SYS_gettid), (uint32_t)getpid());
    if (local->block == 0) {
      local->full = 1;
      __atomic_fetch_add(&memory->threads_not_timed, 1u, __ATOMIC_RELAXED);
    }
  }
  if (local->block == 0) {
    __atomic_fetch_add(&memory->calls_not_timed, UINT64_C(1), __ATOMIC_RELAXED);
    return 0;
  }
  /* Maps the pages now, so that no later call waits for them. */
  histogram = tailgate_mark_histogram_(memory, local->block, 0);
  for (i = 0; i < memory->histogram_bytes / sizeof(uint64_t); i += TAILGATE_MARK_PAGE / 8u) {
    __atomic_fetch_add(histogram + i, UINT64_C(0), __ATOMIC_RELAXED);
  }
  tailgate_mark_fill_heap_(memory, local->block);
  return local->block;
}

/* A thread's first mark, and the first one of the thread that returned from fork in the child. */
__attribute__((noinline, unused)) static tailgate_mark_thread* tailgate_mark_join_(void) {
  const int error = errno;
  tailgate_mark_thread* const block = tailgate_mark_new_block_();
  errno = error;
  return block;
}

/* The calling thread's block; null if its calls are not timed. */
static inline tailgate_mark_thread* tailgate_mark_block_of_thread_(void) {
  tailgate_mark_thread* const block = tailgate_mark_local_.block;
  if (__builtin_expect(block != 0, 1) &&
      __builtin_expect(*tailgate_mark_process_.process_alive != 0, 1)) {
    return block;
  }
  return tailgate_mark_process_.off ? 0 : tailgate_mark_join_();
}

/* One writer: a load and a store lose nothing, and readers see whole words. */
static inline void tailgate_mark_increment_(uint64_t* word) {
  __atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) + 1u, __ATOMIC_RELAXED);
}

static inline void tailgate_mark_count_(uint64_t* histogram, uint64_t ns) {
  const uint64_t bits = ns | 2047u;
  const uint64_t top_bit = (uint64_t)__builtin_clzll(bits) ^ 63u;
  const uint64_t slot = (ns >> (top_bit - 10u)) + top_bit * 1024u - 10240u;
  tailgate_mark_increment_(
      histogram + (slot < TAILGATE_MARK_HISTOGRAM_SLOTS ? slot : TAILGATE_MARK_HISTOGRAM_SLOTS));
}

static inline int32_t tailgate_mark_cpu_(void) {
  const int error = errno;
  unsigned cpu = 0;
  const long failed = syscall(SYS_getcpu, &cpu, 0, 0);
  errno = error;
  return failed == 0 ? (int32_t)cpu : -1;
}

/* Keeps the call in place of the shortest of those kept, the heap's top. */
__attribute__((noinline, unused)) static void tailgate_mark_keep_(
    const tailgate_mark_memory* memory, tailgate_mark_thread* block, uint64_t late_ns,
    uint64_t service_ns, uint64_t end_ns, int32_t cpu) {
  tailgate_mark_heap_entry* const heap = tailgate_mark_heap_(memory, block);
  const tailgate_mark_heap_entry added = {service_ns, heap[0].slot};
  tailgate_mark_slow_call* const slow = tailgate_mark_slow_calls_(block) + added.slot;
  uint32_t at = 0;
  uint32_t child;
  __atomic_store_n(&slow->end_ns, UINT64_C(0), __ATOMIC_RELEASE);
  __atomic_store_n(&slow->start_ns, end_ns - service_ns, __ATOMIC_RELEASE);
  __atomic_store_n(&slow->late_ns, late_ns, __ATOMIC_RELAXED);
  __atomic_store_n(&slow->sequence, block->finished, __ATOMIC_RELAXED);
  __atomic_store_n(&slow->os_thread, block->os_thread, __ATOMIC_RELAXED);
  __atomic_store_n(&slow->cpu, cpu, __ATOMIC_RELAXED);
  __atomic_store_n(&slow->end_ns, end_ns, __ATOMIC_RELEASE);
  while ((child = 2u * at + 1u) < memory->slowest) {
    if (child + 1u < memory->slowest && heap[child + 1u].service_ns < heap[child].service_ns) {
      ++child;
    }
    if (heap[child].service_ns >= service_ns) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = added;
  block->least_kept_ns = heap[0].service_ns;
}

/* Counts a call that has ended, at end_ns of the run clock. */
static inline void tailgate_mark_record_(const tailgate_mark_memory* memory,
                                         tailgate_mark_thread* block, tailgate_mark mark,
                                         uint32_t refused, uint64_t service_ns, uint64_t end_ns) {
  if (__builtin_expect(mark.has_due != 0, 0)) {
    tailgate_mark_count_(tailgate_mark_histogram_(memory, block, 1), service_ns);
    tailgate_mark_count_(tailgate_mark_histogram_(memory, block, 2), service_ns + mark.late_ns);
  } else {
    tailgate_mark_count_(tailgate_mark_histogram_(memory, block, 0), service_ns);
  }
  tailgate_mark_increment_(&block->kinds[mark.kind]);
  tailgate_mark_increment_(&block->finished);
  if (refused) tailgate_mark_increment_(&block->refused);
  if (__builtin_expect(block->first_start_ns == 0, 0)) {
    __atomic_store_n(&block->first_start_ns, end_ns - service_ns, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&block->last_end_ns, end_ns, __ATOMIC_RELAXED);
}

static inline tailgate_mark tailgate_mark_begin_(uint32_t kind, uint64_t late_ns,
                                                 uint32_t has_due) {
  tailgate_mark mark;
  tailgate_mark_thread* const block = tailgate_mark_block_of_thread_();
  mark.start_ticks = 0;
  mark.late_ns = late_ns;
  mark.kind = kind < TAILGATE_MARK_KINDS ? kind : TAILGATE_MARK_KINDS - 1u;
  mark.has_due = has_due;
  if (__builtin_expect(block == 0, 0)) return mark;
  tailgate_mark_increment_(&block->started);
  mark.start_ticks = tailgate_mark_ticks_();
  return mark;
}

/* Begins a call of this kind. */
static inline tailgate_mark tailgate_mark_begin(uint32_t kind) {
  return tailgate_mark_begin_(kind, 0, 0);
}

/* Begins a call that was due late_ns ago by the program's own schedule: its response time counts
 * from then. The program reads the time by any clock. */
static inline tailgate_mark tailgate_mark_begin_late(uint32_t kind, uint64_t late_ns) {
  return tailgate_mark_begin_(kind, late_ns, 1u);
}

static inline void tailgate_mark_end_(tailgate_mark mark, uint32_t refused) {
  uint64_t end_ticks;
  uint64_t service_ns;
  uint64_t end_ns;
  const tailgate_mark_memory* memory;
  tailgate_mark_thread* block;
  if (__builtin_expect(mark.start_ticks == 0, 0)) return;
  end_ticks = tailgate_mark_ticks_after_();
  block = tailgate_mark_block_of_thread_();
  if (__builtin_expect(block == 0, 0)) return;
  memory = tailgate_mark_process_.memory;
  service_ns = tailgate_mark_ns_(end_ticks - mark.start_ticks);
  end_ns = tailgate_mark_ns_(end_ticks - memory->base_ticks);
  tailgate_mark_record_(memory, block, mark, refused, service_ns, end_ns);
  if (__builtin_expect(service_ns > block->least_kept_ns, 0)) {
    tailgate_mark_keep_(memory, block, mark.late_ns, service_ns, end_ns, tailgate_mark_cpu_());
  }
}

/* Ends the call. */
static inline void tailgate_mark_end(tailgate_mark mark) {
  tailgate_mark_end_(mark, 0);
}

/* The same for a call that refused its event: the event counts as lost. */
static inline void tailgate_mark_end_refused(tailgate_mark mark) {
  tailgate_mark_end_(mark, 1u);
}

#else /* not Linux */

static inline tailgate_mark tailgate_mark_begin_late(uint32_t kind, uint64_t late_ns) {
  tailgate_mark mark;
  mark.start_ticks = 0;
  mark.late_ns = late_ns;
  mark.kind = kind;
  mark.has_due = 1u;
  return mark;
}

static inline tailgate_mark tailgate_mark_begin(uint32_t kind) {
  return tailgate_mark_begin_late(kind, 0);
}

static inline void tailgate_mark_end(tailgate_mark mark) {
  (void)mark;
}

static inline void tailgate_mark_end_refused(tailgate_mark mark) {
  (void)mark;
}

#endif

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */
#endif
