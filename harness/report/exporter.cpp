#include "harness/report/exporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/options.h"

namespace tailgate {

const std::vector<const Exporter*>& all_exporters() {
  static const std::vector<const Exporter*> all = [] {
#define TAILGATE_LIST_EXPORTER(name) &exporters::name,
    std::vector<const Exporter*> listed = {TAILGATE_EXPORTERS(TAILGATE_LIST_EXPORTER)};
#undef TAILGATE_LIST_EXPORTER
    std::sort(listed.begin(), listed.end(), [](const Exporter* a, const Exporter* b) {
      return std::tie(a->takes, a->format) < std::tie(b->takes, b->format);
    });
    return listed;
  }();
  return all;
}

std::vector<const Exporter*> exporters_of(DocumentKind kind) {
  std::vector<const Exporter*> found;
  for (const Exporter* exporter : all_exporters()) {
    if (exporter->takes == kind) found.push_back(exporter);
  }
  return found;
}

const Exporter& find_exporter(DocumentKind kind, std::string_view format) {
  std::vector<std::string> formats;
  for (const Exporter* exporter : exporters_of(kind)) {
    if (exporter->format == format) return *exporter;
    formats.emplace_back(exporter->format);
  }
  throw Error(fmt::format("there is no export format '{}' for {}", format, enum_text(kind)),
              choice_remedy(format, formats));
}

std::string render(const Document& document, std::string_view format,
                   const ExportOptions& options) {
  return find_exporter(kind_of(document), format).render(document, options);
}

const Result& only_result(const Results& results) {
  if (results.size() != 1) {
    throw Error(fmt::format("the format holds one result, and there are {}", results.size()),
                "export one at a time");
  }
  return results.front().result;
}

}  // namespace tailgate
