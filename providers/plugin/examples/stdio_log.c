/* A plugin in C: the C library's streams, a line an event, without read-back code of its own. */
#define _DEFAULT_SOURCE /* fwrite_unlocked, also with -std=c11 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tailgate/sink.h"

struct log {
  FILE* file; /* NULL once it is closed */
};

static int open_log(const tailgate_context* context, void** provider, char* error,
                    size_t error_bytes) {
  FILE* file = fopen(context->log_path, "w");
  if (file == NULL) {
    snprintf(error, error_bytes, "fopen of '%s' failed: %s", context->log_path, strerror(errno));
    return 1;
  }
  struct log* log = malloc(sizeof *log);
  if (log == NULL) {
    fclose(file);
    snprintf(error, error_bytes, "no memory for the log");
    return 1;
  }
  log->file = file;
  *provider = log;
  return 0;
}

static uint8_t emit(void* provider, uint32_t thread, const void* event, size_t size_bytes) {
  FILE* file = ((const struct log*)provider)->file;
  (void)thread;
  if (file == NULL) return 1; /* closed */
  flockfile(file);            /* the event and its line feed belong together */
  const int failed =
      fwrite_unlocked(event, 1, size_bytes, file) != size_bytes || putc_unlocked('\n', file) == EOF;
  funlockfile(file);
  return failed ? 2 : 0;
}

static int close_log(void* provider, char* error, size_t error_bytes) {
  struct log* log = provider;
  FILE* file = log->file;
  if (file == NULL) return 0;
  log->file = NULL;
  if (fclose(file) == 0) return 0;
  snprintf(error, error_bytes, "fclose failed: %s", strerror(errno));
  return 1;
}

static const char* const refusals[] = {"closed", "write failed", NULL};

static const tailgate_sink sink = {
    .magic = TAILGATE_SINK_MAGIC,
    .version = TAILGATE_SINK_VERSION,
    .struct_bytes = sizeof sink,
    .name = "stdio_log",
    .description = "the C library's streams, a line an event",
    .refusal_causes = refusals,
    .abilities = {TAILGATE_TEXT_EVENTS | TAILGATE_LIVE_READ | TAILGATE_ASYNCHRONOUS,
                  TAILGATE_READ_LINES},
    .provider_open = open_log,
    .emit = emit,
    .provider_close = close_log,
    .provider_free = free,
};

const tailgate_sink* tailgate_get_sink(void) {
  return &sink;
}
