// Takes events and drops them, in C++; the benchmark's plugin.
#include <tailgate/sink.hpp>

namespace {

using namespace tailgate::plugin;

class Null : public Provider {
 public:
  explicit Null(const Context&) {}
  std::uint8_t emit(unsigned, Event) { return closed_ ? 1 : kAccepted; }
  void close() override { closed_ = true; }

 private:
  bool closed_ = false;
};

}  // namespace

TAILGATE_PLUGIN(Null, {.name = "null_cpp", .description = "takes events and drops them"})
