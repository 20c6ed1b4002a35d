// Rust's tracing, which rust/tracing.rs opens and calls.
#include "logger.hpp"

extern "C" {
bool tracing_open(const char* path, bool buffered);
void tracing_log(const void* event, std::size_t size_bytes);
bool tracing_close();
}

namespace {

using namespace loggers;

const tailgate_option kOptions[] = {
    kDestination,
    {"buffered", TAILGATE_BOOLEAN, "false", "write through a BufWriter", 0, 0, nullptr},
    {}};

class Tracing : public Provider {
 public:
  explicit Tracing(const Context& context) : open_(true) {
    const std::string path = destination(context);
    if (!tracing_open(path.c_str(), context.boolean("buffered"))) {
      throw std::runtime_error("the log '" + path + "' cannot be opened");
    }
  }

  std::uint8_t emit(unsigned, Event event) {
    if (!open_) return kClosed;
    tracing_log(event.data, event.size_bytes);
    return kAccepted;
  }

  void close() override {
    if (std::exchange(open_, false) && !tracing_close()) {
      throw std::runtime_error("the buffered end of the log could not be written");
    }
  }

 private:
  bool open_;
};

tailgate_abilities abilities(const tailgate_context* context) {
  return lines(context, Context(*context).boolean("buffered") ? +TAILGATE_ASYNCHRONOUS : 0u);
}

}  // namespace

TAILGATE_PLUGIN(Tracing, {.name = "tracing",
                          .description = "Rust's tracing and its fmt subscriber with a file",
                          .flags = TAILGATE_TEXT_EVENTS,
                          .read_back = TAILGATE_READ_LINES,
                          .library = kVersion,
                          .options = kOptions,
                          .abilities_with = abilities})
