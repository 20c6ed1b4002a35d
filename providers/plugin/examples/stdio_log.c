/* A plugin in C: the C library's streams, a line an event, without read-back code of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tailgate/sink.h"

static int open_log(const tailgate_context* context, void** provider, char* error,
                    size_t error_bytes) {
  FILE* log = fopen(context->log_path, "w");
  if (log == NULL) {
    snprintf(error, error_bytes, "fopen of '%s' failed: %s", context->log_path, strerror(errno));
    return 1;
  }
  FILE** opened = malloc(sizeof *opened);
  *opened = log;
  *provider = opened;
  return 0;
}

static uint8_t emit(void* provider, uint32_t thread, const void* event, size_t size_bytes) {
  FILE* log = *(FILE**)provider;
  (void)thread;
  if (log == NULL) return 1; /* closed */
  flockfile(log);            /* the event and its line feed belong together */
  const int failed =
      fwrite_unlocked(event, 1, size_bytes, log) != size_bytes || putc_unlocked('\n', log) == EOF;
  funlockfile(log);
  return failed ? 2 : 0;
}

static int close_log(void* provider, char* error, size_t error_bytes) {
  FILE* log = *(FILE**)provider;
  if (log == NULL) return 0;
  *(FILE**)provider = NULL;
  if (fclose(log) == 0) return 0;
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
