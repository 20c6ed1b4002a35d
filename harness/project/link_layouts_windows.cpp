#include "harness/base/error.h"
#include "harness/project/link_layouts.h"

namespace tailgate {
namespace {

[[noreturn]] void refuse() {
  throw Error("layouts cannot be linked on Windows: they need GNU ld",
              "leave 'layouts' out of tailgate.toml here");
}

}  // namespace

std::filesystem::path layouts_of(const LayoutPlan& plan, const std::filesystem::path& file) {
  return plan.folder / file;
}

std::vector<std::pair<std::string, std::string>> layout_environment(const LayoutPlan&,
                                                                    const std::filesystem::path&) {
  refuse();
}

int link_layouts(const std::vector<std::string>&) {
  refuse();
}

}  // namespace tailgate
