#include "harness/sink/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/sink/unknown_sink.h"

namespace tailgate {
namespace {

// The colon of a drive separates no options: "C:\\mine.dll:dir=C:\\logs".
bool is_drive(std::string_view text, std::size_t colon) {
  const bool one_letter =
      colon == 1 || (colon >= 2 && (text[colon - 2] == '=' || text[colon - 2] == ','));
  return text[colon] == ':' && one_letter && colon + 1 < text.size() &&
         (text[colon + 1] == '\\' || text[colon + 1] == '/');
}

std::size_t next_separator(std::string_view text, char separator) {
  std::size_t at = text.find(separator);
  while (at != std::string_view::npos && is_drive(text, at)) at = text.find(separator, at + 1);
  return at;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = next_separator(text, separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

void SinkCatalog::add(std::unique_ptr<const SinkType> sink) {
  for (const auto& other : sinks_) {
    if (other->name() == sink->name()) {
      throw std::logic_error("two sinks are named " + sink->name());
    }
  }
  sinks_.push_back(std::move(sink));
}

std::shared_ptr<const SinkType> SinkCatalog::find(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& sink : sinks_) {
    if (sink->name() == name) return sink;
    names.push_back(sink->name());
  }
  throw unknown_sink(name, names);
}

SinkChoice SinkCatalog::choice(std::string_view text, SinkUse use) const {
  const std::vector<std::string_view> parts = split(text, ':');
  std::shared_ptr<const SinkType> type =
      loader_.is_library(parts.front()) ? loader_.load(parts.front(), use) : find(parts.front());
  for (const SinkWrapper& wrapper : wrappers_) {
    const bool wrapped = std::any_of(parts.begin() + 1, parts.end(), [&](std::string_view part) {
      return wrapper.has_option(part.substr(0, part.find('=')));
    });
    if (wrapped) type = wrapper.wrap(std::move(type));
  }
  Options options(type->options(), fmt::format("sink '{}'", type->name()));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos) {
      throw Error(fmt::format("'{}' in sink '{}' is not an option", parts[i], text),
                  "write options as name=value, each after a colon: file:mode=mmap");
    }
    const std::string_view name = parts[i].substr(0, equals);
    if (options.given(name)) {
      throw Error(fmt::format("'{}' in sink '{}' is given twice", name, text),
                  "keep one of the two");
    }
    options.set(name, parts[i].substr(equals + 1));
  }
  return {std::move(type), std::move(options), std::string(text)};
}

std::vector<SinkChoice> SinkCatalog::choices(std::string_view text) const {
  std::vector<SinkChoice> choices;
  for (std::string_view part : split(text, ',')) {
    choices.push_back(choice(part));
    const auto same = [&](const SinkChoice& other) { return other.text == choices.back().text; };
    if (std::count_if(choices.begin(), choices.end(), same) > 1) {
      throw Error(fmt::format("sink '{}' is listed twice", part), "name it once; use --trials");
    }
  }
  return choices;
}

void SinkCatalog::sweep_dead_sessions() const {
  for (const auto& sink : sinks_) {
    try {
      sink->sweep();
    } catch (const Error&) {
    }
  }
}

}  // namespace tailgate
