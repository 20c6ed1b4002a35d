// Files of budgets.
#include <fmt/format.h>

#include "harness/base/toml_reader.h"
#include "harness/gate/budget.h"

namespace tailgate {
namespace {

constexpr const char* kBudgetFileForm =
    "write [[budget]], sink = \"file\", rate = \"20k\", bounds = [\"p99 < 50us\", \"lost = 0\"]";

std::string name_at(const TomlNode& node, const char* what) {
  std::string text = node.text(what);
  if (text.empty()) node.fail(fmt::format("{} is empty", what), "name it, or leave the line out");
  return text;
}

std::vector<BudgetBound> bounds_at(const TomlNode& node) {
  if (!node.is_list()) {
    node.fail("bounds is not a list", "write bounds = [\"p99 < 50us\", \"lost = 0\"]");
  }
  std::vector<BudgetBound> bounds;
  for (const TomlNode& entry : node.entries()) {
    const std::string text = entry.text("a bound");
    bounds.push_back(entry.placed([&] { return parse_bound(text); }));
  }
  node.placed([&] { check_bounds(bounds); });
  return bounds;
}

Budget budget_at(const TomlNode& node) {
  node.check_keys({"sink", "scenario", "rate", "bounds"});
  Budget budget;
  budget.sink =
      name_at(node.required("sink", "the sink, as given to --sink or by its name alone"), "sink");
  if (const TomlNode* scenario = node.find("scenario")) {
    budget.scenario = name_at(*scenario, "scenario");
  }
  if (const TomlNode* rate = node.find("rate")) {
    const auto text = rate->option_text();
    if (!text) rate->fail("rate is neither a number nor a text", "write rate = \"20k\" or 20000");
    budget.rate_hz = rate->placed([&] { return parse_budget_rate(*text); });
  }
  budget.bounds = bounds_at(node.required("bounds", "a list, [\"p99 < 50us\", \"lost = 0\"]"));
  return budget;
}

}  // namespace

std::vector<Budget> parse_budgets(std::string_view text, const std::string& origin) {
  const TomlNode root = parse_toml(text, origin);
  root.check_keys({"budget"});
  std::vector<Budget> budgets;
  for (const TomlNode* node : root.tables_at("budget")) budgets.push_back(budget_at(*node));
  if (budgets.empty()) root.fail("it holds no budget", kBudgetFileForm);
  return budgets;
}

std::vector<Budget> load_budgets(const std::filesystem::path& file) {
  return parse_budgets(
      read_toml_file(file, "file of budgets", "name an existing file, or give --budget"),
      file.string());
}

}  // namespace tailgate
