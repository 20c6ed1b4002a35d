/* Plugins that cannot be described, each by what DAMAGE names, for tests. */
#include <stdlib.h>

#include "tailgate/sink.h"

#define WRONG_MAGIC 1
#define OF_THE_FUTURE 2
#define NO_TABLE 3
#define CRASHES 4
#define HAS_NO_EMIT 5
#define CONTROLS_THE_TERMINAL 6
#define OLDER 7 /* is none: a table without the last fields */

static int open_nothing(const tailgate_context* context, void** provider, char* error,
                        size_t error_bytes) {
  (void)context, (void)error, (void)error_bytes;
  *provider = calloc(1, sizeof(int)); /* whether it is closed */
  return *provider == NULL;
}
static uint8_t emit(void* provider, uint32_t thread, const void* event, size_t size_bytes) {
  (void)thread, (void)event, (void)size_bytes;
  return *(int*)provider;
}
static int close_nothing(void* provider, char* error, size_t error_bytes) {
  (void)error, (void)error_bytes;
  *(int*)provider = 1;
  return 0;
}
static const char* const refusals[] = {"closed", NULL};

const tailgate_sink* tailgate_get_sink(void) {
  static tailgate_sink sink = {
      .magic = DAMAGE == WRONG_MAGIC ? 0x12345678 : TAILGATE_SINK_MAGIC,
      .version = DAMAGE == OF_THE_FUTURE ? 7 : TAILGATE_SINK_VERSION,
      .struct_bytes =
          DAMAGE == OLDER ? (uint32_t)offsetof(tailgate_sink, consumer_open) : sizeof sink,
      .name = "damaged",
      .description = DAMAGE == CONTROLS_THE_TERMINAL ? "\033[2Jgone" : "cannot be used",
      .refusal_causes = refusals,
      .provider_open = open_nothing,
      .emit = DAMAGE == HAS_NO_EMIT ? NULL : emit,
      .provider_close = close_nothing,
      .provider_free = free,
  };
  if (DAMAGE == CRASHES) abort();
  return DAMAGE == NO_TABLE ? NULL : &sink;
}
