/* Takes events and drops them, in C; the benchmark's plugin. */
#include "tailgate/sink.h"

static int closed;

static int open_it(const tailgate_context* context, void** provider, char* error,
                   size_t error_bytes) {
  (void)context, (void)error, (void)error_bytes;
  closed = 0;
  *provider = &closed;
  return 0;
}
static uint8_t emit(void* provider, uint32_t thread, const void* event, size_t size_bytes) {
  (void)thread, (void)event, (void)size_bytes;
  return *(int*)provider != 0;
}
static int close_it(void* provider, char* error, size_t error_bytes) {
  (void)error, (void)error_bytes;
  *(int*)provider = 1;
  return 0;
}
static void free_it(void* provider) {
  (void)provider;
}

static const char* const refusals[] = {"closed", NULL};

static const tailgate_sink sink = {
    .magic = TAILGATE_SINK_MAGIC,
    .version = TAILGATE_SINK_VERSION,
    .struct_bytes = sizeof sink,
    .name = "null_c",
    .description = "takes events and drops them",
    .refusal_causes = refusals,
    .provider_open = open_it,
    .emit = emit,
    .provider_close = close_it,
    .provider_free = free_it,
};

const tailgate_sink* tailgate_get_sink(void) {
  return &sink;
}
