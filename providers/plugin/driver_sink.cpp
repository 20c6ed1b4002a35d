#include "providers/plugin/driver_sink.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/error.h"
#include "harness/base/toml_reader.h"
#include "providers/plugin/calls.h"
#include "providers/plugin/described.h"
#include "providers/plugin/driver_file.h"

namespace tailgate::plugin_detail {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

class DriverSession : public Session {
 public:
  DriverSession(TrialContext context, Texts granted)
      : context_(std::move(context)), granted_(std::move(granted)) {}

  void start() override { create_log(context_); }
  void stop() override {}
  Texts granted() const override { return granted_; }

 private:
  TrialContext context_;
  Texts granted_;
};

class DriverSink : public SinkType {
 public:
  DriverSink(std::filesystem::path path, DriverFile file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string name() const override { return file_.described.name; }
  std::string description() const override { return file_.described.description; }
  OptionTable options() const override { return file_.described.options; }

  Capabilities capabilities(const Options&) const override {
    Capabilities can = capabilities_of(file_.abilities);
    can.driver_language = file_.language;
    return can;
  }

  Probe probe(const Options&) const override {
    return probe_program(file_.command.front(), directory());
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    Texts granted = {{"driver", file_.language}, {"program", checksum_of(files())}};
    if (!file_.described.library.empty()) granted.emplace_back("library", file_.described.library);
    if (!file_.note.empty()) granted.emplace_back("note", file_.note);
    return std::make_unique<DriverSession>(context, std::move(granted));
  }

  std::unique_ptr<Provider> open_provider(const TrialContext&) const override {
    throw Error(fmt::format("sink '{}' is a program in {}, which makes its calls itself", name(),
                            file_.language),
                "use it alone: not below another sink, nor with a planted change");
  }

  DriverProgram driver(const TrialContext& context) const override {
    return {.command = file_.command,
            .directory = directory(),
            .log_path = log_path(context),
            .refusal_causes = file_.refusal_causes,
            .settings = settings_of(context.options)};
  }

  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return open_log(file_.abilities.read_back, name(), context);
  }

 private:
  std::filesystem::path directory() const { return std::filesystem::absolute(path_).parent_path(); }

  // The description and, of the command, what are files beside it.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> files = {path_};
    for (const std::string& argument : file_.command) {
      std::error_code error;
      const std::filesystem::path path = directory() / argument;
      if (std::filesystem::is_regular_file(path, error)) files.push_back(path);
    }
    return files;
  }

  std::filesystem::path path_;
  DriverFile file_;
};

}  // namespace

bool is_driver_file(std::string_view name) {
  return name.ends_with(".toml");
}

std::shared_ptr<const SinkType> load_driver(const std::filesystem::path& file) {
  const std::string text = read_toml_file(
      file, "sink file", "name a TOML file that describes a sink in another language");
  return std::make_shared<DriverSink>(file, parse_driver_file(text, file.string()));
}

}  // namespace tailgate::plugin_detail
