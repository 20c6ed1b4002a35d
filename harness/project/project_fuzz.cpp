// Any bytes end in a project or in an Error; what was read stays inside of the project.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/project/project.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  try {
    const Project project = parse_project(
        std::string_view(reinterpret_cast<const char*>(data), size), "/project/tailgate.toml");
    if (project.build.empty()) std::abort();
    for (const std::filesystem::path& path :
         {project.root() / project.made, project.policy, project.root()}) {
      if (!path.lexically_normal().string().starts_with("/project")) std::abort();
    }
    for (const std::filesystem::path& file : project.linked()) {
      const std::filesystem::path path = project.root() / file;
      if (!path.lexically_normal().string().starts_with("/project")) std::abort();
    }
    project.sink_of("plugin", project.root());
  } catch (const Error&) {
    // Refused: what the reader is there for.
  }
  return 0;
}
