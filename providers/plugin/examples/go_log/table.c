/* The table of go_log.go. A handle of Go's is a number, which the table carries as a pointer. */
#include <tailgate/sink.h>

#include "_cgo_export.h"

static int provider_open(const tailgate_context* context, void** provider, char* error,
                         size_t error_bytes) {
  uintptr_t handle = 0;
  const int code = goOpen((tailgate_context*)context, &handle, error, error_bytes);
  *provider = (void*)handle;
  return code;
}

static int provider_warm_up(void* provider, uint32_t thread, char* error, size_t error_bytes) {
  (void)provider, (void)thread, (void)error, (void)error_bytes;
  goWarmUp();
  return 0;
}

static uint8_t emit(void* provider, uint32_t thread, const void* event, size_t size_bytes) {
  (void)thread;
  return goEmit((uintptr_t)provider, (void*)event, size_bytes);
}

static int provider_close(void* provider, char* error, size_t error_bytes) {
  return goClose((uintptr_t)provider, error, error_bytes);
}

static void provider_free(void* provider) {
  goFree((uintptr_t)provider);
}

static const tailgate_option options[] = {
    {"sleep_us", TAILGATE_INTEGER, "0",
     "microseconds by which each call is delayed, to see that the measurement shows them", 0, 1e6,
     0},
    {0, 0, 0, 0, 0, 0, 0}};

static const char* const refusals[] = {"closed", "write failed", 0};

static const tailgate_sink sink = {
    .magic = TAILGATE_SINK_MAGIC,
    .version = TAILGATE_SINK_VERSION,
    .struct_bytes = sizeof sink,
    .name = "go_log",
    .description = "Go's log package with a file, a line an event",
    .options = options,
    .refusal_causes = refusals,
    .abilities = {TAILGATE_TEXT_EVENTS | TAILGATE_LIVE_READ, TAILGATE_READ_LINES},
    .provider_open = provider_open,
    .provider_warm_up = provider_warm_up,
    .emit = emit,
    .provider_close = provider_close,
    .provider_free = provider_free,
};

const tailgate_sink* tailgate_get_sink(void) {
  return &sink;
}
