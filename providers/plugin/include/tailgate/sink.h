/* A logging path as a plugin of tailgate: the interface between the program and a shared library.
 *
 * The library exports one function, tailgate_get_sink, which returns a table of functions. Only
 * this header is needed: C11 or C++, nothing to link. The README of tailgate's providers/plugin
 * shows a whole plugin; sink.hpp is the same for C++20 with less to write.
 *
 *     tailgate check ./libmine.so            does the plugin keep the contract?
 *     tailgate run steady --sink ./libmine.so:queue_events=8192
 *
 * Processes. The program itself never loads the library. A process of its own describes the sink
 * and holds the session (daemons, what must exist before the first event), another one is the
 * measured program (provider), a third one reads the events back (consumer). They share nothing but
 * the trial's folder and what the session puts into their environment.
 *
 * Errors. A function that returns int returns 0 if it did its work. Else it writes a text, one
 * sentence that names the cause and the value, into `error` (at most error_bytes with the ending 0)
 * and returns another value. No function may let an exception out.
 *
 * Texts are UTF-8 and end with 0. What the plugin returns must stay valid as long as the object
 * that it belongs to; the table and its texts, as long as the process.
 *
 * Compatibility. The table begins with a magic number, a version and its size. A program refuses
 * another version. Fields are only ever added at the end, so that an older plugin has a shorter
 * table; what it lacks counts as 0. Structures that the program hands over grow at the end, too.
 */
#ifndef TAILGATE_SINK_H
#define TAILGATE_SINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names of C, and a common prefix, in any program. NOLINTBEGIN(readability-identifier-naming) */

#define TAILGATE_SINK_MAGIC 0x4B4E5354u /* "TSNK" */
#define TAILGATE_SINK_VERSION 1u

#ifdef _WIN32
#define TAILGATE_EXPORT __declspec(dllexport)
#else
#define TAILGATE_EXPORT __attribute__((visibility("default")))
#endif

/* What the sink can do. The program decides by these alone. */
enum {
  /* Events can be read back while the load runs, so that delivery latency can be measured. */
  TAILGATE_LIVE_READ = 1,
  /* The sink counts every event that it loses after emit took it: emitted = delivered + lost. */
  TAILGATE_ACCOUNTS_LOSSES = 2,
  /* emit may return before the event has left this process. */
  TAILGATE_ASYNCHRONOUS = 4,
  /* Threads of this process, or daemons, work for an event after emit has returned. */
  TAILGATE_DEFERRED_WORK = 8,
  /* emit may refuse an event instead of waiting. */
  TAILGATE_MAY_REFUSE = 16,
  /* Only one thread may call emit. */
  TAILGATE_SINGLE_THREADED = 32,
  /* Events are text without spaces and line feeds, at least 64 bytes; else any bytes, at least 32.
   */
  TAILGATE_TEXT_EVENTS = 64,
  /* Every event that emit took survives the sudden death of this process. */
  TAILGATE_SURVIVES_KILL = 128,
  /* And the system's crash: emit returns when the storage has the event. Implies the one above. */
  TAILGATE_SURVIVES_CRASH = 256
};

/* How the program gets the events back. */
enum {
  TAILGATE_READ_NOTHING = 0,
  /* The plugin writes the file tailgate_context.log_path, one event a line; a line may begin with
   * anything that ends with a space (time, level), and the event is its last word; or the line is
   * structured, and the event is a field's value: {"level":"info","msg":"EVENT"}, msg=EVENT. */
  TAILGATE_READ_LINES = 1,
  /* The plugin writes that file, events one after another with nothing in between. */
  TAILGATE_READ_STREAM = 2,
  /* By the table's consumer functions. */
  TAILGATE_READ_CONSUMER = 3
};

typedef struct tailgate_abilities {
  uint32_t flags;     /* TAILGATE_LIVE_READ … */
  uint32_t read_back; /* TAILGATE_READ_… */
} tailgate_abilities;

enum {
  TAILGATE_INTEGER = 0,
  TAILGATE_REAL = 1,
  TAILGATE_BOOLEAN = 2, /* true, false */
  TAILGATE_CHOICE = 3,
  TAILGATE_TEXT = 4
};

/* An option that a user may set: ./libmine.so:NAME=VALUE. An array of them ends with one whose name
 * is null. */
typedef struct tailgate_option {
  const char* name; /* small letters, digits, '_'; a number's ends in its unit: buffer_bytes */
  uint32_t type;    /* TAILGATE_INTEGER … */
  const char* default_value;
  const char* help;           /* one line, no full stop */
  double min, max;            /* numbers: inclusive; both 0: any */
  const char* const* choices; /* TAILGATE_CHOICE: ends with a null; else null */
} tailgate_option;

/* An option's value as the user gave it, or its default: always valid by the option's type, range
 * and choices. Integers are decimal digits without suffix. */
typedef struct tailgate_setting {
  const char* name;
  const char* value;
} tailgate_setting;

/* What all functions know of a trial. Valid during the call only. */
typedef struct tailgate_context {
  uint32_t struct_bytes;
  uint32_t threads;                 /* load threads, numbered from 0 */
  const tailgate_setting* settings; /* every option of the table, in its order */
  size_t setting_count;
  const char* directory;    /* private to the trial; exists; removed after it */
  const char* log_path;     /* a file in it; exists and is empty when the provider opens */
  uint64_t max_event_bytes; /* the largest event that will be emitted */
  uint64_t expected_bytes;  /* about how many will be emitted by all threads; for sizing */
} tailgate_context;

/* Takes a name and a value, a daemon's name and process id, a cause and a number of events. */
typedef void (*tailgate_take_text)(void* to, const char* name, const char* value);
typedef void (*tailgate_take_number)(void* to, const char* name, uint64_t number);

/* What a consumer hands the events to: the bytes as they were emitted, without any framing, and the
 * number of bytes that should have been events but could not be taken apart. */
typedef struct tailgate_visitor {
  uint32_t struct_bytes;
  void* to;
  void (*event)(void* to, const void* bytes, size_t size_bytes);
  void (*damage)(void* to, size_t size_bytes);
} tailgate_visitor;

typedef struct tailgate_sink {
  uint32_t magic;        /* TAILGATE_SINK_MAGIC */
  uint32_t version;      /* TAILGATE_SINK_VERSION */
  uint32_t struct_bytes; /* sizeof(tailgate_sink) */
  uint32_t reserved;     /* 0 */

  const char* name;               /* small letters, digits, '_' */
  const char* description;        /* one line, no full stop */
  const char* library;            /* the logger's name and version, for the result; may be null */
  const tailgate_option* options; /* null: none */
  /* Names of what emit may return, at most 8, ended by null: {"closed", "queue full", 0}. */
  const char* const* refusal_causes;
  tailgate_abilities abilities;

  /* With these settings, where they differ by mode; null: always `abilities`. */
  tailgate_abilities (*abilities_with)(const tailgate_context* context);
  /* Whether the path can be used on this machine: 0, or an error that says what is missing and what
   * to do. Changes nothing. Null: always. */
  int (*probe)(const tailgate_context* context, char* error, size_t error_bytes);

  /* The session, in a process of its own from before the provider is opened until after it is
   * closed. session_start null: the sink needs none, and the next five are not called. */
  int (*session_start)(const tailgate_context* context, void** session, char* error,
                       size_t error_bytes);
  /* The settings that the path really runs with; environment variables for provider and consumer;
   * processes that work for the session, whose cost is measured. Each may be null. */
  void (*session_granted)(void* session, tailgate_take_text take, void* to);
  void (*session_environment)(void* session, tailgate_take_text take, void* to);
  void (*session_daemons)(void* session, tailgate_take_number take, void* to);
  /* Flushes and ends it; leaves nothing outside of the trial's folder. The process then ends. */
  int (*session_stop)(void* session, char* error, size_t error_bytes);
  /* Events that the session lost, by cause; after session_stop. May be null. */
  void (*session_losses)(void* session, tailgate_take_number take, void* to);

  /* The measured program. */
  int (*provider_open)(const tailgate_context* context, void** provider, char* error,
                       size_t error_bytes);
  /* Called once by each load thread before its first event. May be null. */
  int (*provider_warm_up)(void* provider, uint32_t thread, char* error, size_t error_bytes);
  /* The timed call. Hands one event to the path: 0, or the index into refusal_causes + 1. Calls
   * with one thread's number never overlap, calls with different numbers may. It does what an
   * application would pay for, and nothing for tailgate. After provider_close it refuses. */
  uint8_t (*emit)(void* provider, uint32_t thread, const void* event, size_t size_bytes);
  /* Called after the last event: hands on what is buffered, waits for it, closes. A second call
   * does nothing. */
  int (*provider_close)(void* provider, char* error, size_t error_bytes);
  /* Events that were lost in this process after emit took them; after provider_close. May be null.
   */
  void (*provider_losses)(void* provider, tailgate_take_number take, void* to);
  void (*provider_free)(void* provider);

  /* The consumer, for TAILGATE_READ_CONSUMER; else null. */
  int (*consumer_open)(const tailgate_context* context, void** consumer, char* error,
                       size_t error_bytes);
  /* Hands over what has become readable since the last call, a few milliseconds of work at most,
   * and returns the number of events; 0: nothing at this moment, which after the session's end
   * means the end; negative: an error. */
  int64_t (*consumer_poll)(void* consumer, const tailgate_visitor* visitor, char* error,
                           size_t error_bytes);
  /* What only the end can tell, such as a cut-off last event. May be null. */
  int (*consumer_finish)(void* consumer, const tailgate_visitor* visitor, char* error,
                         size_t error_bytes);
  /* Losses that only reading back reveals. May be null. */
  void (*consumer_losses)(void* consumer, tailgate_take_number take, void* to);
  void (*consumer_free)(void* consumer);
} tailgate_sink;

/* The one function that the library exports. */
TAILGATE_EXPORT const tailgate_sink* tailgate_get_sink(void);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif
#endif
