#include "providers/plugin/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "providers/plugin/described.h"
#include "providers/shared/readback/event_stream.h"
#include "providers/shared/readback/line_events.h"

namespace tailgate::plugin_detail {
namespace {

// The buffer for an error's text. Behind it lie bytes that a plugin must not write.
class ErrorText {
 public:
  ErrorText() { guard_.fill(kGuard); }

  char* data() { return text_.data(); }
  std::size_t size() const { return text_.size(); }

  bool overrun() const {
    return std::any_of(guard_.begin(), guard_.end(), [](char byte) { return byte != kGuard; });
  }
  std::string text() const { return {text_.data(), strnlen(text_.data(), text_.size())}; }

 private:
  static constexpr char kGuard = 0x5A;
  std::array<char, 512> text_{};
  std::array<char, 512> guard_;
};

// Makes one call that may fail: part(error, error_bytes) returns 0 if it did its work.
template <class Part>
void call(const tailgate_sink& table, const char* function, Part part) {
  ErrorText error;
  const char* const remedy = "see the documentation of the plugin";
  int code = 0;
  try {
    code = part(error.data(), error.size());
  } catch (const std::exception& exception) {
    throw Error(fmt::format("the plugin '{}' let an exception out of {}: {}", table.name, function,
                            exception.what()),
                "catch it in the plugin");
  } catch (...) {
    throw Error(fmt::format("the plugin '{}' let an exception out of {}", table.name, function),
                "catch it in the plugin");
  }
  if (error.overrun()) {
    throw Error(fmt::format("the plugin '{}' wrote over the end of the buffer of {} bytes that {} "
                            "was given",
                            table.name, error.size(), function),
                "write at most error_bytes");
  }
  if (code == 0) return;
  const std::string text = error.text();
  throw Error(
      fmt::format(
          "{}: {}", table.name,
          text.empty() ? fmt::format("{} failed with code {} and no text", function, code) : text),
      remedy);
}

std::string text_of(const char* text) {
  constexpr std::size_t kMaxBytes = 4096;
  return text == nullptr ? std::string() : std::string(text, strnlen(text, kMaxBytes));
}

using Texts = std::vector<std::pair<std::string, std::string>>;

Texts texts_of(void* part, void (*ask)(void*, tailgate_take_text, void*)) {
  Texts texts;
  if (ask == nullptr) return texts;
  const tailgate_take_text take = [](void* to, const char* name, const char* value) {
    static_cast<Texts*>(to)->emplace_back(text_of(name), text_of(value));
  };
  ask(part, take, &texts);
  return texts;
}

std::vector<Loss> losses_of(void* part, void (*ask)(void*, tailgate_take_number, void*)) {
  std::vector<Loss> losses;
  if (ask == nullptr) return losses;
  const tailgate_take_number take = [](void* to, const char* cause, std::uint64_t events) {
    if (events > 0) static_cast<std::vector<Loss>*>(to)->push_back({text_of(cause), events});
  };
  ask(part, take, &losses);
  return losses;
}

class PluginSession : public Session {
 public:
  PluginSession(const tailgate_sink& table, const TrialContext& context)
      : table_(table), context_(context) {}

  void start() override {
    call(table_, "session_start", [&](char* error, std::size_t error_bytes) {
      return table_.session_start(&context_.get(), &session_, error, error_bytes);
    });
    started_ = true;
  }
  Texts granted() const override { return texts_of(session_, table_.session_granted); }
  Texts environment() const override { return texts_of(session_, table_.session_environment); }
  std::vector<DaemonProcess> daemons() const override {
    std::vector<DaemonProcess> daemons;
    if (table_.session_daemons == nullptr) return daemons;
    const tailgate_take_number take = [](void* to, const char* name, std::uint64_t pid) {
      if (pid == 0 || pid > INT32_MAX) return;
      static_cast<std::vector<DaemonProcess>*>(to)->push_back(
          {text_of(name), static_cast<int>(pid)});
    };
    table_.session_daemons(session_, take, &daemons);
    return daemons;
  }
  void stop() override {
    if (!std::exchange(started_, false)) return;
    call(table_, "session_stop", [&](char* error, std::size_t error_bytes) {
      return table_.session_stop(session_, error, error_bytes);
    });
  }
  std::vector<Loss> losses() const override { return losses_of(session_, table_.session_losses); }

 private:
  const tailgate_sink& table_;
  ContextTexts context_;
  void* session_ = nullptr;
  bool started_ = false;
};

class PluginProvider : public Provider {
 public:
  PluginProvider(const tailgate_sink& table, const TrialContext& context)
      : emit_(table.emit), table_(table) {
    const ContextTexts texts(context);
    call(table, "provider_open", [&](char* error, std::size_t error_bytes) {
      return table.provider_open(&texts.get(), &provider_, error, error_bytes);
    });
  }
  ~PluginProvider() override { table_.provider_free(provider_); }
  PluginProvider(const PluginProvider&) = delete;
  PluginProvider& operator=(const PluginProvider&) = delete;

  void warm_up(unsigned thread) override {
    if (table_.provider_warm_up == nullptr) return;
    call(table_, "provider_warm_up", [&](char* error, std::size_t error_bytes) {
      return table_.provider_warm_up(provider_, thread, error, error_bytes);
    });
  }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    return emit_(provider_, thread, event.data(), event.size());
  }

  std::vector<std::string> refusal_causes() const override {
    std::vector<std::string> causes;
    for (const char* const* cause = table_.refusal_causes; *cause != nullptr; ++cause) {
      causes.emplace_back(*cause);
    }
    return causes;
  }

  void close() override {
    call(table_, "provider_close", [&](char* error, std::size_t error_bytes) {
      return table_.provider_close(provider_, error, error_bytes);
    });
  }

  std::vector<Loss> losses() const override { return losses_of(provider_, table_.provider_losses); }

 private:
  decltype(tailgate_sink::emit) emit_;
  void* provider_ = nullptr;
  const tailgate_sink& table_;
};

class PluginConsumer : public Consumer {
 public:
  PluginConsumer(const tailgate_sink& table, const TrialContext& context) : table_(table) {
    const ContextTexts texts(context);
    call(table, "consumer_open", [&](char* error, std::size_t error_bytes) {
      return table.consumer_open(&texts.get(), &consumer_, error, error_bytes);
    });
  }
  ~PluginConsumer() override { table_.consumer_free(consumer_); }
  PluginConsumer(const PluginConsumer&) = delete;
  PluginConsumer& operator=(const PluginConsumer&) = delete;

  std::size_t poll(EventVisitor& visitor) override {
    std::int64_t events = 0;
    const tailgate_visitor handed = visitor_of(visitor);
    call(table_, "consumer_poll", [&](char* error, std::size_t error_bytes) {
      events = table_.consumer_poll(consumer_, &handed, error, error_bytes);
      return events < 0 ? static_cast<int>(-1) : 0;
    });
    return static_cast<std::size_t>(events);
  }

  void finish(EventVisitor& visitor) override {
    if (table_.consumer_finish == nullptr) return;
    const tailgate_visitor handed = visitor_of(visitor);
    call(table_, "consumer_finish", [&](char* error, std::size_t error_bytes) {
      return table_.consumer_finish(consumer_, &handed, error, error_bytes);
    });
  }

  std::vector<Loss> losses(std::uint64_t) const override {
    return losses_of(consumer_, table_.consumer_losses);
  }

 private:
  static tailgate_visitor visitor_of(EventVisitor& visitor) {
    return {.struct_bytes = sizeof(tailgate_visitor),
            .to = &visitor,
            .event =
                [](void* to, const void* bytes, std::size_t size_bytes) {
                  static_cast<EventVisitor*>(to)->event(
                      {static_cast<const std::byte*>(bytes), size_bytes});
                },
            .damage =
                [](void* to, std::size_t size_bytes) {
                  static_cast<EventVisitor*>(to)->damage(size_bytes);
                }};
  }

  const tailgate_sink& table_;
  void* consumer_ = nullptr;
};

}  // namespace

void check_usable(const tailgate_sink& table, const TrialContext& context) {
  if (table.probe == nullptr) return;
  const ContextTexts texts(context);
  call(table, "probe", [&](char* error, std::size_t error_bytes) {
    return table.probe(&texts.get(), error, error_bytes);
  });
}

std::unique_ptr<Session> make_session(const tailgate_sink& table, const TrialContext& context) {
  return std::make_unique<PluginSession>(table, context);
}

std::unique_ptr<Provider> open_provider(const tailgate_sink& table, const TrialContext& context) {
  return std::make_unique<PluginProvider>(table, context);
}

std::unique_ptr<Consumer> open_log(std::uint32_t read_back, const std::string& name,
                                   const TrialContext& context) {
  switch (read_back) {
    case TAILGATE_READ_LINES:
      return std::make_unique<LineEventsConsumer>(log_path(context));
    case TAILGATE_READ_STREAM:
      return std::make_unique<EventStreamConsumer>(log_path(context), context.encoding,
                                                   FileGrowth::append);
    default:
      throw Error(fmt::format("sink '{}' cannot be read back", name), "use --consume none");
  }
}

std::unique_ptr<Consumer> open_consumer(const tailgate_sink& table, const TrialContext& context) {
  const std::uint32_t read_back = abilities_with(table, context).read_back;
  if (read_back == TAILGATE_READ_CONSUMER) return std::make_unique<PluginConsumer>(table, context);
  return open_log(read_back, table.name, context);
}

}  // namespace tailgate::plugin_detail
