// Files of claims.
#include <fmt/format.h>

#include "harness/base/toml_reader.h"
#include "harness/gate/claim.h"

namespace tailgate {
namespace {

constexpr const char* kClaimFileForm =
    "write [[claim]], claim = \"...\", source = \"https://...\", run = { scenario = \"steady\", "
    "sink = \"lttng\", rate = \"10k\" }, holds = \"service p50 <= 300ns\"";

std::string text_at(const TomlNode& node, const char* what) {
  std::string text = node.text(what);
  if (text.empty()) node.fail(fmt::format("{} is empty", what), "write it, or leave it out");
  return text;
}

std::vector<Setting> settings_at(const TomlNode& node) {
  if (!node.is_table()) node.fail("set is no table", "write set = { threads = 4 }");
  std::vector<Setting> settings;
  for (const TomlNode& entry : node.entries()) {
    const auto value = entry.option_text();
    if (!value) {
      entry.fail(fmt::format("{} is no option's value", entry.key()),
                 "write a text, a number, true or false");
    }
    settings.push_back({entry.key(), *value});
  }
  return settings;
}

// What the table says; the rest stays as it is.
void read_run(const TomlNode& node, ClaimRun& run) {
  if (!node.is_table()) {
    node.fail(fmt::format("{} is no table", node.key()),
              "write run = { scenario = \"steady\", sink = \"lttng\", rate = \"10k\" }");
  }
  node.check_keys({"scenario", "sink", "rate", "set"});
  if (const TomlNode* scenario = node.find("scenario")) {
    run.scenario = text_at(*scenario, "scenario");
  }
  if (const TomlNode* sink = node.find("sink")) run.sink = text_at(*sink, "sink");
  if (const TomlNode* rate = node.find("rate")) {
    const auto text = rate->option_text();
    if (!text) rate->fail("rate is neither a number nor a text", "write rate = \"20k\" or 20000");
    run.rate_hz = rate->placed([&] { return parse_budget_rate(*text); });
  }
  if (const TomlNode* set = node.find("set")) run.set = settings_at(*set);
}

std::vector<ClaimBound> bounds_at(const TomlNode& node, bool is_ratio) {
  std::vector<ClaimBound> bounds;
  const auto add = [&](const TomlNode& entry) {
    const std::string text = entry.text("holds");
    bounds.push_back(entry.placed([&] { return parse_claim_bound(text, is_ratio); }));
  };
  if (!node.is_list()) add(node);
  for (const TomlNode& entry : node.entries()) add(entry);
  if (bounds.empty()) node.fail("holds names no figure", "write holds = \"service p50 <= 300ns\"");
  return bounds;
}

Claim claim_at(const TomlNode& node) {
  node.check_keys({"claim", "source", "means", "run", "than", "holds"});
  Claim claim;
  claim.place = node.place();
  claim.text = text_at(node.required("claim", "what is claimed, a text"), "claim");
  claim.source = text_at(node.required("source", "the address of who claims it"), "source");
  if (const TomlNode* means = node.find("means")) claim.means = text_at(*means, "means");
  const TomlNode& run = node.required("run", "{ scenario = \"steady\", sink = \"lttng\" }");
  read_run(run, claim.run);
  if (claim.run.scenario.empty() || claim.run.sink.empty()) {
    run.fail("run names no scenario or no sink",
             "write run = { scenario = \"steady\", sink = \"lttng\" }");
  }
  if (const TomlNode* than = node.find("than")) {
    claim.than = claim.run;
    read_run(*than, *claim.than);
    if (claim.than->subject() == claim.run.subject()) {
      than->fail("than is the same run as run", "name another sink, rate or setting");
    }
  }
  claim.bounds = bounds_at(node.required("holds", "what must hold, \"service p50 <= 300ns\""),
                           claim.than.has_value());
  return claim;
}

}  // namespace

std::vector<Claim> parse_claims(std::string_view text, const std::string& origin) {
  const TomlNode root = parse_toml(text, origin);
  root.check_keys({"claim"});
  std::vector<Claim> claims;
  for (const TomlNode* node : root.tables_at("claim")) claims.push_back(claim_at(*node));
  if (claims.empty()) root.fail("it holds no claim", kClaimFileForm);
  return claims;
}

std::vector<Claim> load_claims(const std::filesystem::path& file) {
  return parse_claims(read_toml_file(file, "file of claims", "name an existing file, or none"),
                      file.string());
}

}  // namespace tailgate
