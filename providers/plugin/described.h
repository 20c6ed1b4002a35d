// What the program knows of a plugin without having loaded it: a process of its own loads it, and
// answers as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/sink/sink.h"
#include "providers/plugin/include/tailgate/sink.h"

namespace tailgate::plugin_detail {

struct Described {
  std::string name;
  std::string description;
  std::string library;  // of the logger; may be empty
  OptionTable options;
  bool has_session = false;
};

// A plugin's table has been checked (library.h).
Described describe(const tailgate_sink& table);
nlohmann::json to_json(const Described& described);
// Throws nlohmann::json::exception unless to_json wrote it.
Described described_from(const nlohmann::json& json);

Capabilities capabilities_of(const tailgate_abilities& abilities);

// Every option with its value, as sink.h promises it: digits without suffix, "true" or "false".
std::vector<std::pair<std::string, std::string>> settings_of(const Options& options);

// tailgate_context and the texts that it refers to.
class ContextTexts {
 public:
  explicit ContextTexts(const TrialContext& context);
  ContextTexts(const ContextTexts&) = delete;
  ContextTexts& operator=(const ContextTexts&) = delete;
  const tailgate_context& get() const { return context_; }

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<tailgate_setting> settings_;
  std::string directory_;
  std::string log_path_;
  tailgate_context context_{};
};

// The file that a plugin may write and have read back.
std::filesystem::path log_path(const TrialContext& context);

// Makes it, empty. Throws Error.
void create_log(const TrialContext& context);

// Tells two builds of a sink apart in results: a checksum of the files' contents.
std::string checksum_of(const std::vector<std::filesystem::path>& files);

// Throws Error unless the table's abilities with these options keep the rules of sink.h.
tailgate_abilities abilities_with(const tailgate_sink& table, const TrialContext& context);

}  // namespace tailgate::plugin_detail
