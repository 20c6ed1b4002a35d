#include "providers/plugin/plugin.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "harness/base/error.h"
#include "providers/plugin/calls.h"
#include "providers/plugin/described.h"
#include "providers/plugin/driver_sink.h"
#include "providers/plugin/host.h"
#include "providers/plugin/library.h"

namespace tailgate {
namespace plugin_detail {
namespace {

using nlohmann::json;
using Texts = std::vector<std::pair<std::string, std::string>>;

template <class Item>
std::vector<Item> list_from(const json& pairs) {
  std::vector<Item> list;
  for (const json& pair : pairs) list.push_back({pair.at(0), pair.at(1)});
  return list;
}

// The session in the plugin's own process, if it has one.
class HostedSession : public Session {
 public:
  HostedSession(std::filesystem::path library, const Described& described,
                const TrialContext& context)
      : library_(std::move(library)), described_(described), context_(context) {}

  void start() override {
    create_log(context_);
    if (!described_.has_session) return;
    // After an error no process may stay: its output lies in the folder that is removed next.
    auto host = std::make_unique<PluginHost>(library_, context_.directory / "session.log");
    const json started = host->ask(question_of("start", context_));
    granted_ = list_from<std::pair<std::string, std::string>>(started.at("granted"));
    environment_ = list_from<std::pair<std::string, std::string>>(started.at("environment"));
    daemons_ = list_from<DaemonProcess>(started.at("daemons"));
    daemons_.push_back({"session of " + described_.name, host->pid()});
    host_ = std::move(host);
  }

  Texts granted() const override {
    Texts granted = {{"plugin", checksum_of({library_})}};
    if (!described_.library.empty()) granted.emplace_back("library", described_.library);
    granted.insert(granted.end(), granted_.begin(), granted_.end());
    return granted;
  }
  Texts environment() const override { return environment_; }
  std::vector<DaemonProcess> daemons() const override { return daemons_; }

  void stop() override {
    const std::unique_ptr<PluginHost> host = std::move(host_);
    if (host) losses_ = list_from<Loss>(host->ask({{"do", "stop"}}).at("losses"));
  }

  std::vector<Loss> losses() const override { return losses_; }

 private:
  std::filesystem::path library_;
  Described described_;
  TrialContext context_;
  std::unique_ptr<PluginHost> host_;  // while the session runs
  Texts granted_;
  Texts environment_;
  std::vector<DaemonProcess> daemons_;
  std::vector<Loss> losses_;
};

TrialContext context_with(const Options& options) {
  return {.options = options};
}

class PluginSink : public SinkType {
 public:
  PluginSink(std::filesystem::path library, Described described)
      : library_(std::move(library)), described_(std::move(described)) {}

  std::string name() const override { return described_.name; }
  std::string description() const override { return described_.description; }
  OptionTable options() const override { return described_.options; }

 protected:
  const std::filesystem::path& library() const { return library_; }
  const Described& described() const { return described_; }

 private:
  std::filesystem::path library_;
  Described described_;
};

// For the program, which never loads the library.
class HostedPluginSink : public PluginSink {
 public:
  using PluginSink::PluginSink;

  Capabilities capabilities(const Options& options) const override {
    const json answer = once("abilities", options);
    return capabilities_of({.flags = answer.at("flags"), .read_back = answer.at("read_back")});
  }

  Probe probe(const Options& options) const override {
    try {
      once("probe", options);
      return {};
    } catch (const Error& error) {
      return {.available = false, .reason = error.what_failed(), .remedy = error.remedy()};
    }
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<HostedSession>(library(), described(), context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext&) const override { refuse(); }
  std::unique_ptr<Consumer> open_consumer(const TrialContext&) const override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw std::logic_error("a plugin opens in the provider or the consumer process alone");
  }

  // Asks each question once, since a process starts for it.
  json once(const char* what, const Options& options) const {
    const json question = question_of(what, context_with(options));
    const auto found = answers_.find(question.dump());
    if (found != answers_.end()) return found->second;
    return answers_[question.dump()] = PluginHost(library(), {}).ask(question);
  }

  mutable std::map<std::string, json> answers_;
};

// For the processes in which the plugin emits and reads back.
class LoadedPluginSink : public PluginSink {
 public:
  LoadedPluginSink(std::filesystem::path library, const tailgate_sink& table)
      : PluginSink(std::move(library), describe(table)), table_(table) {}

  Capabilities capabilities(const Options& options) const override {
    return capabilities_of(abilities_with(table_, context_with(options)));
  }
  Probe probe(const Options&) const override { return {}; }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return plugin_detail::make_session(table_, context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return plugin_detail::open_provider(table_, context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return plugin_detail::open_consumer(table_, context);
  }

 private:
  const tailgate_sink& table_;
};

bool is_library(std::string_view name) {
  return name.find_first_of("/\\") != std::string_view::npos || name.ends_with(".so") ||
         name.ends_with(".dll") || is_driver_file(name);
}

std::shared_ptr<const SinkType> load(std::string_view name, SinkUse use) {
  const std::filesystem::path library = name;
  if (is_driver_file(name)) return load_driver(library);
  if (use == SinkUse::open) {
    return std::make_shared<LoadedPluginSink>(library, load_table(library));
  }
  static std::map<std::filesystem::path, std::shared_ptr<const SinkType>> known;
  std::shared_ptr<const SinkType>& sink = known[library];
  if (!sink) {
    const json answer = PluginHost(library, {}).ask({{"do", "describe"}});
    sink = std::make_shared<HostedPluginSink>(library, described_from(answer));
  }
  return sink;
}

}  // namespace
}  // namespace plugin_detail

LibraryLoader plugin_loader() {
  return {.is_library = plugin_detail::is_library, .load = plugin_detail::load};
}

}  // namespace tailgate
