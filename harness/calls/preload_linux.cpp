// The library that `tailgate exec --calls write,fsync` preloads: its functions stand in front of
// those of the same name, and record how long they take (tailgate/mark.h). It uses nothing but the
// C library, starts nothing, and changes neither results nor errno. Functions that are not to be
// timed pass through.
//
// A call within a timed call of the same thread is part of it: it is counted, not timed.
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "harness/calls/wrapped_functions.h"
#define TAILGATE_MARK_VARIABLE TAILGATE_WRAPPED_VARIABLE
#include "harness/calls/include/tailgate/mark.h"

// The functions' own headers may define them as macros or inline, or give them attributes; types
// that are only passed on are left incomplete.
struct msghdr;
struct mmsghdr;
struct sockaddr;

namespace {

enum Function {
#define TAILGATE_ENUMERATE(name) k_##name,
  TAILGATE_WRAPPED_FUNCTIONS(TAILGATE_ENUMERATE)
#undef TAILGATE_ENUMERATE
      kFunctions
};

constexpr const char* kNames[] = {
#define TAILGATE_NAME_OF(name) #name,
    TAILGATE_WRAPPED_FUNCTIONS(TAILGATE_NAME_OF)
#undef TAILGATE_NAME_OF
};

constexpr int kNotTimed = -1;
int kinds[kFunctions];  // kNotTimed, or the place in the list; 0 before the list was read
bool list_read = false;

__thread int depth __attribute__((tls_model("initial-exec")));

int kind_in(const char* list, const char* name) {
  const size_t length = strlen(name);
  int kind = 0;
  for (const char* at = list; at != nullptr; ++kind) {
    const char* const comma = strchr(at, ',');
    const size_t bytes = comma == nullptr ? strlen(at) : static_cast<size_t>(comma - at);
    if (bytes == length && memcmp(at, name, length) == 0) return kind;
    at = comma == nullptr ? nullptr : comma + 1;
  }
  return kNotTimed;
}

__attribute__((constructor)) void read_list() {
  const char* const list = getenv(TAILGATE_CALLS_VARIABLE);
  for (int i = 0; i < kFunctions; ++i) kinds[i] = kind_in(list, kNames[i]);
  __atomic_store_n(&list_read, true, __ATOMIC_RELEASE);
}

// The function that this one stands in front of. A plugin's libraries are not among the next ones,
// though this library stands in front of them, too.
template <class Type>
Type* next_function(Type** known, const char* name) {
  Type* next = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (__builtin_expect(next != nullptr, 1)) return next;
  next = reinterpret_cast<Type*>(dlsym(RTLD_NEXT, name));
  if (next == nullptr) {
    void* const journal = dlopen("libsystemd.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (journal != nullptr) next = reinterpret_cast<Type*>(dlsym(journal, name));
  }
  if (next == nullptr) abort();
  __atomic_store_n(known, next, __ATOMIC_RELAXED);
  return next;
}

// The time of one call, from its construction to its end.
class Timed {
 public:
  explicit Timed(Function function) {
    if (__builtin_expect(!__atomic_load_n(&list_read, __ATOMIC_ACQUIRE), 0)) read_list();
    const int kind = kinds[function];
    if (kind == kNotTimed) return;
    counts_ = true;
    if (depth++ == 0) {
      mark_ = tailgate_mark_begin(static_cast<uint32_t>(kind));
    } else if (tailgate_mark_thread* block = tailgate_mark_local_.block) {
      tailgate_mark_increment_(&block->inner);
    }
  }
  ~Timed() {
    if (!counts_) return;
    tailgate_mark_end(mark_);
    --depth;
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  tailgate_mark mark_ = {0, 0, 0, 0};
  bool counts_ = false;
};

// The result of a call, which outlives the list of its arguments.
template <class Result>
class Formatted {
 public:
  template <class Call>
  void call(Call call) {
    result_ = call();
  }
  Result get() const { return result_; }

 private:
  Result result_ = 0;
};

template <>
class Formatted<void> {
 public:
  template <class Call>
  void call(Call call) {
    call();
  }
  void get() const {}
};

}  // namespace

// Types and lists of parameters take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses)

// TAILGATE_WRAP(Result, name, of, parameters, arguments): the function `name`, timed as `of`.
#define TAILGATE_WRAP(Result, name, of, parameters, arguments)               \
  extern "C" __attribute__((visibility("default"))) Result name parameters { \
    static Result(*known) parameters;                                        \
    const auto next = next_function(&known, #name);                          \
    const Timed timed(k_##of);                                               \
    return next arguments;                                                   \
  }

// A function that takes a format and its arguments, timed as `of`: calls the one that takes a list.
#define TAILGATE_WRAP_FORMAT(Result, name, of, list_name, parameters, list_parameters, arguments) \
  extern "C" __attribute__((visibility("default"))) Result name parameters {                      \
    static Result(*known) list_parameters;                                                        \
    const auto next = next_function(&known, #list_name);                                          \
    va_list list;                                                                                 \
    va_start(list, format);                                                                       \
    Formatted<Result> result;                                                                     \
    {                                                                                             \
      const Timed timed(k_##of);                                                                  \
      result.call([&] { return next arguments; });                                                \
    }                                                                                             \
    va_end(list);                                                                                 \
    return result.get();                                                                          \
  }

// NOLINTEND(bugprone-macro-parentheses)

TAILGATE_WRAP(ssize_t, write, write, (int file, const void* bytes, size_t size),
              (file, bytes, size))
TAILGATE_WRAP(ssize_t, writev, writev, (int file, const struct iovec* parts, int count),
              (file, parts, count))
TAILGATE_WRAP(ssize_t, pwrite, pwrite, (int file, const void* bytes, size_t size, off_t at),
              (file, bytes, size, at))
TAILGATE_WRAP(ssize_t, pwritev, pwritev, (int file, const struct iovec* parts, int count, off_t at),
              (file, parts, count, at))
TAILGATE_WRAP(ssize_t, pwrite64, pwrite, (int file, const void* bytes, size_t size, off64_t at),
              (file, bytes, size, at))
TAILGATE_WRAP(ssize_t, pwritev64, pwritev,
              (int file, const struct iovec* parts, int count, off64_t at),
              (file, parts, count, at))
TAILGATE_WRAP(int, fsync, fsync, (int file), (file))
TAILGATE_WRAP(int, fdatasync, fdatasync, (int file), (file))

TAILGATE_WRAP(size_t, fwrite, fwrite, (const void* bytes, size_t size, size_t count, FILE* stream),
              (bytes, size, count, stream))
TAILGATE_WRAP(size_t, fwrite_unlocked, fwrite,
              (const void* bytes, size_t size, size_t count, FILE* stream),
              (bytes, size, count, stream))
TAILGATE_WRAP(int, fputs, fputs, (const char* text, FILE* stream), (text, stream))
TAILGATE_WRAP(int, fputs_unlocked, fputs, (const char* text, FILE* stream), (text, stream))
TAILGATE_WRAP(int, fflush, fflush, (FILE * stream), (stream))
TAILGATE_WRAP(int, fflush_unlocked, fflush, (FILE * stream), (stream))

TAILGATE_WRAP(ssize_t, send, send, (int file, const void* bytes, size_t size, int flags),
              (file, bytes, size, flags))
TAILGATE_WRAP(ssize_t, sendto, sendto,
              (int file, const void* bytes, size_t size, int flags, const struct sockaddr* to,
               unsigned to_bytes),
              (file, bytes, size, flags, to, to_bytes))
TAILGATE_WRAP(ssize_t, sendmsg, sendmsg, (int file, const struct msghdr* message, int flags),
              (file, message, flags))
TAILGATE_WRAP(int, sendmmsg, sendmmsg,
              (int file, struct mmsghdr* messages, unsigned count, int flags),
              (file, messages, count, flags))

TAILGATE_WRAP_FORMAT(void, syslog, syslog, vsyslog, (int priority, const char* format, ...),
                     (int, const char*, va_list), (priority, format, list))
TAILGATE_WRAP_FORMAT(void, __syslog_chk, syslog, __vsyslog_chk,
                     (int priority, int flag, const char* format, ...),
                     (int, int, const char*, va_list), (priority, flag, format, list))
TAILGATE_WRAP(void, vsyslog, vsyslog, (int priority, const char* format, va_list list),
              (priority, format, list))
TAILGATE_WRAP(void, __vsyslog_chk, vsyslog,
              (int priority, int flag, const char* format, va_list list),
              (priority, flag, format, list))

TAILGATE_WRAP_FORMAT(int, sd_journal_print, sd_journal_print, sd_journal_printv,
                     (int priority, const char* format, ...), (int, const char*, va_list),
                     (priority, format, list))
TAILGATE_WRAP_FORMAT(int, sd_journal_print_with_location, sd_journal_print,
                     sd_journal_printv_with_location,
                     (int priority, const char* file, const char* line, const char* function,
                      const char* format, ...),
                     (int, const char*, const char*, const char*, const char*, va_list),
                     (priority, file, line, function, format, list))
TAILGATE_WRAP(int, sd_journal_printv, sd_journal_printv,
              (int priority, const char* format, va_list list), (priority, format, list))
TAILGATE_WRAP(int, sd_journal_printv_with_location, sd_journal_printv,
              (int priority, const char* file, const char* line, const char* function,
               const char* format, va_list list),
              (priority, file, line, function, format, list))
TAILGATE_WRAP(int, sd_journal_sendv, sd_journal_sendv, (const struct iovec* fields, int count),
              (fields, count))
TAILGATE_WRAP(int, sd_journal_sendv_with_location, sd_journal_sendv,
              (const char* file, const char* line, const char* function, const struct iovec* fields,
               int count),
              (file, line, function, fields, count))

TAILGATE_WRAP(void, tailgate_nothing, tailgate_nothing, (), ())
