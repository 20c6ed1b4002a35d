#include "providers/fields/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/sink/wrapped_sink.h"
#include "providers/fields/formatted_fields.h"

namespace tailgate {
namespace {

constexpr std::string_view kPrefix = "fields_";

OptionTable fields_options() {
  return {
      {"fields_count", OptionType::integer, "0", "fields that each call formats into its event", 0,
       kMaxFields},
      {"fields_as", OptionType::choice, "text",
       "what a value is before it is formatted: 10 letters, a whole number of 10 digits, or one "
       "with up to three decimals",
       0, 0, enum_choices<FieldKind>()},
  };
}

struct FieldsPlan {
  explicit FieldsPlan(const TrialContext& context)
      : encoding(context.encoding),
        kind(*enum_value<FieldKind>(context.options.text("fields_as"))),
        count(static_cast<std::size_t>(context.options.integer("fields_count"))),
        least_bytes(min_event_bytes(encoding) + room_for_fields(count)) {}

  EventEncoding encoding;
  FieldKind kind;
  std::size_t count;
  std::size_t least_bytes;  // of an event that has room for its fields
};

class FieldsProvider : public Provider {
 public:
  FieldsProvider(std::unique_ptr<Provider> provider, const TrialContext& context)
      : provider_(std::move(provider)), plan_(context), causes_(provider_->refusal_causes()) {
    if (context.max_event_bytes < plan_.least_bytes) {
      throw Error(fmt::format("events of {} bytes have no room for fields_count = {}",
                              context.max_event_bytes, plan_.count),
                  fmt::format("give {} bytes or more, or fewer fields", plan_.least_bytes));
    }
    too_short_ = static_cast<EmitStatus>(std::min(causes_.size() + 1, kMaxRefusalCauses));
    causes_.resize(too_short_ - 1u);
    causes_.emplace_back("too short for its fields");
    for (unsigned thread = 0; thread < context.threads; ++thread) {
      buffers_.emplace_back(context.max_event_bytes);
    }
  }

  void warm_up(unsigned thread) override { provider_->warm_up(thread); }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    if (event.size() < plan_.least_bytes) return too_short_;
    const std::span<std::byte> copy(buffers_[thread].data(), event.size());
    std::memcpy(copy.data(), event.data(), event.size());
    format_fields(copy, plan_.encoding, plan_.kind, plan_.count);
    return provider_->emit(thread, copy);
  }

  std::vector<std::string> refusal_causes() const override { return causes_; }
  void close() override { provider_->close(); }
  std::vector<Loss> losses() const override { return provider_->losses(); }

 private:
  std::unique_ptr<Provider> provider_;
  FieldsPlan plan_;
  std::vector<std::string> causes_;
  EmitStatus too_short_ = 1;
  std::vector<std::vector<std::byte>> buffers_;  // one per thread
};

// Hands events on without their fields, with the pattern in their place, so that they are checked
// as all others are. An event whose fields are not those that the call formatted is handed on as it
// is: its body is wrong.
class FieldsVisitor : public EventVisitor {
 public:
  FieldsVisitor(EventVisitor& visitor, const FieldsPlan& plan, std::span<const std::byte> pattern)
      : visitor_(visitor), plan_(plan), pattern_(pattern) {}

  void event(std::span<const std::byte> bytes) override { visitor_.event(without_fields(bytes)); }
  void damage(std::size_t bytes) override { visitor_.damage(bytes); }
  void copy(std::size_t number, std::span<const std::byte> bytes) override {
    visitor_.copy(number, without_fields(bytes));
  }

 private:
  std::span<const std::byte> without_fields(std::span<const std::byte> bytes) {
    if (bytes.size() < plan_.least_bytes || bytes.size() > pattern_.size()) return bytes;
    event_.assign(bytes.begin(), bytes.end());
    const std::size_t end = format_fields(event_, plan_.encoding, plan_.kind, plan_.count);
    if (!std::equal(event_.begin(), event_.end(), bytes.begin())) return bytes;
    const std::size_t body = min_event_bytes(plan_.encoding);
    std::memcpy(event_.data() + body, pattern_.data() + body, end - body);
    return event_;
  }

  EventVisitor& visitor_;
  const FieldsPlan& plan_;
  std::span<const std::byte> pattern_;
  std::vector<std::byte> event_;
};

class FieldsConsumer : public Consumer {
 public:
  FieldsConsumer(std::unique_ptr<Consumer> consumer, const TrialContext& context)
      : consumer_(std::move(consumer)),
        plan_(context),
        pattern_(prepare_event(context.encoding, context.max_event_bytes)) {}

  std::size_t poll(EventVisitor& visitor) override {
    FieldsVisitor without(visitor, plan_, pattern_);
    return consumer_->poll(without);
  }
  void finish(EventVisitor& visitor) override {
    FieldsVisitor without(visitor, plan_, pattern_);
    consumer_->finish(without);
  }
  std::vector<Loss> losses(std::uint64_t missing) const override {
    return consumer_->losses(missing);
  }

 private:
  std::unique_ptr<Consumer> consumer_;
  FieldsPlan plan_;
  std::vector<std::byte> pattern_;
};

class FieldsSink : public WrappedSink {
 public:
  explicit FieldsSink(std::shared_ptr<const SinkType> sink)
      : WrappedSink(std::move(sink), "fields", fields_options()) {}

  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return std::make_unique<FieldsProvider>(WrappedSink::open_provider(context), context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return std::make_unique<FieldsConsumer>(WrappedSink::open_consumer(context), context);
  }
};

}  // namespace

bool is_fields_option(std::string_view name) {
  return name.starts_with(kPrefix);
}

std::unique_ptr<const SinkType> give_fields(std::shared_ptr<const SinkType> sink) {
  return std::make_unique<FieldsSink>(std::move(sink));
}

}  // namespace tailgate
