// A logging path as a plugin of tailgate, in C++20: sink.h with less to write.
//
//     #include <tailgate/sink.hpp>
//     using namespace tailgate::plugin;
//
//     class MyLog : public Provider {
//      public:
//       explicit MyLog(const Context& context) : log_(context.log_path()) {}      // throws: cannot
//       std::uint8_t emit(unsigned, Event event) { log_.write(event.text()); return kAccepted; }
//       void close() override { log_.flush(); }
//     };
//
//     TAILGATE_PLUGIN(MyLog, {.name = "mylog",
//                             .description = "my logger, a line an event",
//                             .flags = TAILGATE_TEXT_EVENTS | TAILGATE_LIVE_READ,
//                             .read_back = TAILGATE_READ_LINES})
//
// What an exception says becomes the error's text. sink.h says what each function must do, and when
// it is called.
#pragma once

#include <tailgate/sink.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tailgate::plugin {

inline constexpr std::uint8_t kAccepted = 0;

// What is known of the trial. Valid during the call that it was given to.
class Context {
 public:
  explicit Context(const tailgate_context& context) : context_(&context) {}

  unsigned threads() const { return context_->threads; }
  std::string directory() const { return context_->directory; }
  std::string log_path() const { return context_->log_path; }
  std::uint64_t max_event_bytes() const { return context_->max_event_bytes; }
  std::uint64_t expected_bytes() const { return context_->expected_bytes; }

  // The value of an option of the sink's table. Throws std::logic_error for one that is not there.
  std::string text(std::string_view name) const {
    for (std::size_t i = 0; i < context_->setting_count; ++i) {
      if (context_->settings[i].name == name) return context_->settings[i].value;
    }
    throw std::logic_error("the sink has no option '" + std::string(name) + "'");
  }
  std::int64_t integer(std::string_view name) const {
    return std::strtoll(text(name).c_str(), nullptr, 10);
  }
  double real(std::string_view name) const { return std::strtod(text(name).c_str(), nullptr); }
  bool boolean(std::string_view name) const { return text(name) == "true"; }

 private:
  const tailgate_context* context_;
};

// One event, valid during the call.
struct Event {
  const void* data;
  std::size_t size_bytes;

  std::string_view text() const { return {static_cast<const char*>(data), size_bytes}; }
};

struct Loss {
  std::string cause;
  std::uint64_t events;
};

// The measured program's part. A class that derives from it also has
//     explicit Derived(const Context&);                     // opens the path, or throws
//     std::uint8_t emit(unsigned thread, Event event);      // kAccepted, or a refusal's number
// emit is no virtual function, so that the compiler can put it into the table's.
class Provider {
 public:
  virtual ~Provider() = default;
  virtual void warm_up(unsigned thread) { static_cast<void>(thread); }
  virtual void close() = 0;
  virtual std::vector<Loss> losses() { return {}; }
};

// What must exist before the provider opens. A derived class has a constructor like the provider's,
// which starts it.
class Session {
 public:
  virtual ~Session() = default;
  virtual std::vector<std::pair<std::string, std::string>> granted() { return {}; }
  virtual std::vector<std::pair<std::string, std::string>> environment() { return {}; }
  virtual std::vector<std::pair<std::string, std::uint64_t>> daemons() { return {}; }
  virtual void stop() = 0;
  virtual std::vector<Loss> losses() { return {}; }
};

class Visitor {
 public:
  explicit Visitor(const tailgate_visitor& visitor) : visitor_(&visitor) {}
  void event(std::string_view bytes) { visitor_->event(visitor_->to, bytes.data(), bytes.size()); }
  void damage(std::size_t size_bytes) { visitor_->damage(visitor_->to, size_bytes); }

 private:
  const tailgate_visitor* visitor_;
};

// Reads the events back, for TAILGATE_READ_CONSUMER. A constructor like the provider's.
class Consumer {
 public:
  virtual ~Consumer() = default;
  virtual std::int64_t poll(Visitor visitor) = 0;
  virtual void finish(Visitor visitor) { static_cast<void>(visitor); }
  virtual std::vector<Loss> losses() { return {}; }
};

// The texts and arrays must live as long as the process: string literals, static arrays.
struct Description {
  const char* name;
  const char* description;
  std::uint32_t flags = 0;      // TAILGATE_LIVE_READ …
  std::uint32_t read_back = 0;  // TAILGATE_READ_…
  const char* library = nullptr;
  const tailgate_option* options = nullptr;     // ends with {}
  const char* const* refusal_causes = nullptr;  // ends with nullptr
  tailgate_abilities (*abilities_with)(const tailgate_context*) = nullptr;
};

namespace detail {

// Runs a part and gives what it throws to the program.
template <class Part>
int guarded(char* error, std::size_t error_bytes, Part part) noexcept {
  const char* text = "an exception that is no std::exception";
  try {
    part();
    return 0;
  } catch (const std::exception& exception) {
    std::snprintf(error, error_bytes, "%s", exception.what());
  } catch (...) {
    std::snprintf(error, error_bytes, "%s", text);
  }
  return 1;
}

template <class Part>
int open(const tailgate_context* context, void** made, char* error,
         std::size_t error_bytes) noexcept {
  return guarded(error, error_bytes,
                 [&] { *made = std::make_unique<Part>(Context(*context)).release(); });
}

template <class Part>
void destroy(void* part) noexcept {
  delete static_cast<Part*>(part);
}

template <class Part>
void losses(void* part, tailgate_take_number take, void* to) noexcept {
  for (const Loss& loss : static_cast<Part*>(part)->losses()) {
    take(to, loss.cause.c_str(), loss.events);
  }
}

template <class P>
void fill_provider(tailgate_sink& table) {
  static_assert(std::is_base_of_v<Provider, P>, "derive the class from tailgate::plugin::Provider");
  table.provider_open = open<P>;
  table.provider_warm_up = [](void* provider, std::uint32_t thread, char* error,
                              std::size_t bytes) {
    return guarded(error, bytes, [&] { static_cast<P*>(provider)->warm_up(thread); });
  };
  table.emit = [](void* provider, std::uint32_t thread, const void* event,
                  std::size_t size_bytes) -> std::uint8_t {
    return static_cast<P*>(provider)->P::emit(thread, {event, size_bytes});
  };
  table.provider_close = [](void* provider, char* error, std::size_t bytes) {
    return guarded(error, bytes, [&] { static_cast<P*>(provider)->close(); });
  };
  table.provider_losses = losses<P>;
  table.provider_free = destroy<P>;
}

template <class S>
void fill_session(tailgate_sink& table) {
  static_assert(std::is_base_of_v<Session, S>, "derive the class from tailgate::plugin::Session");
  table.session_start = open<S>;
  table.session_granted = [](void* session, tailgate_take_text take, void* to) {
    for (const auto& [name, value] : static_cast<S*>(session)->granted()) {
      take(to, name.c_str(), value.c_str());
    }
  };
  table.session_environment = [](void* session, tailgate_take_text take, void* to) {
    for (const auto& [name, value] : static_cast<S*>(session)->environment()) {
      take(to, name.c_str(), value.c_str());
    }
  };
  table.session_daemons = [](void* session, tailgate_take_number take, void* to) {
    for (const auto& [name, pid] : static_cast<S*>(session)->daemons()) take(to, name.c_str(), pid);
  };
  table.session_stop = [](void* session, char* error, std::size_t bytes) {
    return guarded(error, bytes, [&] { static_cast<S*>(session)->stop(); });
  };
  table.session_losses = losses<S>;
}

template <class C>
void fill_consumer(tailgate_sink& table) {
  static_assert(std::is_base_of_v<Consumer, C>, "derive the class from tailgate::plugin::Consumer");
  table.consumer_open = open<C>;
  table.consumer_poll = [](void* consumer, const tailgate_visitor* visitor, char* error,
                           std::size_t bytes) -> std::int64_t {
    std::int64_t events = 0;
    const auto poll = [&] { events = static_cast<C*>(consumer)->poll(Visitor(*visitor)); };
    return guarded(error, bytes, poll) == 0 ? events : -1;
  };
  table.consumer_finish = [](void* consumer, const tailgate_visitor* visitor, char* error,
                             std::size_t bytes) {
    return guarded(error, bytes, [&] { static_cast<C*>(consumer)->finish(Visitor(*visitor)); });
  };
  table.consumer_losses = losses<C>;
  table.consumer_free = destroy<C>;
}

inline const char* const* only_closed() {
  static const char* const causes[] = {"closed", nullptr};
  return causes;
}

}  // namespace detail

// The table of a plugin. Session and Consumer: void if it has none.
template <class P, class S = void, class C = void>
tailgate_sink table_of(const Description& about) {
  tailgate_sink table{};
  table.magic = TAILGATE_SINK_MAGIC;
  table.version = TAILGATE_SINK_VERSION;
  table.struct_bytes = sizeof table;
  table.name = about.name;
  table.description = about.description;
  table.library = about.library;
  table.options = about.options;
  table.refusal_causes =
      about.refusal_causes != nullptr ? about.refusal_causes : detail::only_closed();
  table.abilities = {about.flags, about.read_back};
  table.abilities_with = about.abilities_with;
  detail::fill_provider<P>(table);
  if constexpr (!std::is_void_v<S>) detail::fill_session<S>(table);
  if constexpr (!std::is_void_v<C>) detail::fill_consumer<C>(table);
  return table;
}

}  // namespace tailgate::plugin

// Defines the library's one exported function, for a plugin with a provider alone.
#define TAILGATE_PLUGIN(PROVIDER, ...) \
  TAILGATE_PLUGIN_TABLE(               \
      tailgate::plugin::table_of<PROVIDER>(tailgate::plugin::Description __VA_ARGS__))

// The same for any table: TAILGATE_PLUGIN_TABLE(table_of<P, S, C>({.name = …})).
#define TAILGATE_PLUGIN_TABLE(...)                                          \
  extern "C" TAILGATE_EXPORT const tailgate_sink* tailgate_get_sink(void) { \
    static const tailgate_sink made = __VA_ARGS__;                          \
    return &made;                                                           \
  }
