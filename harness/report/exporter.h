// The interface of the exporters, which turn documents into text: for people and for other tools.
// README.md says how to add an exporter.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "harness/base/quoting.h"
#include "harness/report/document.h"
#include "harness/report/exporter_list.h"
#include "harness/report/latency_kind.h"
#include "harness/report/printable_document.h"

namespace tailgate {

// What the user asks for. An exporter ignores the options that mean nothing in its format.
struct ExportOptions {
  bool colour = false;       // ANSI colours; the caller knows whether the output is a terminal
  bool trials = false;       // a row for each trial of a result, or for each round of a duet
  bool roles = false;        // overhead of every role; else several results show only logging's
  std::string sort = "p99";  // column by which paths are ranked (ranking_columns())
  unsigned calls = 3;        // how many of the worst calls are shown as timelines
  LatencyKind metric = LatencyKind::response;  // for formats that hold one distribution
};

// What kind of text a format is. It decides how the texts of a document, which may come from
// anywhere, are kept from controlling the output (harness/base/quoting.h).
enum class Form {
  text,      // the exporter gets a document with printable texts only
  markdown,  // the exporter writes every text by markdown_text()
  csv,       // by csv_cell()
  xml,       // by xml_attribute()
  json,      // what the exporter returns goes through json_text()
};

// One format of one kind of document.
struct Exporter {
  std::string_view format;     // its name on the command line, unique among the exporters of
                               // one kind of document
  std::string_view help;       // one line, no full stop
  std::string_view extension;  // of a file's name, with the dot
  DocumentKind takes;
  Form form;
  bool takes_several;  // of results: a document may contain any number of them
  bool one_metric;     // it holds one distribution of each trial, which ExportOptions::metric names
  // Returns the document as text. The document must be of the kind that the exporter takes. Throws
  // Error when the document holds nothing that the format can show.
  std::string (*render)(const Document& document, const ExportOptions& options);
};

namespace exporters {
#define TAILGATE_DECLARE_EXPORTER(name) extern const Exporter name;
TAILGATE_EXPORTERS(TAILGATE_DECLARE_EXPORTER)
#undef TAILGATE_DECLARE_EXPORTER
}  // namespace exporters

// All exporters, sorted by kind of document, then by format.
const std::vector<const Exporter*>& all_exporters();

// The exporters for one kind of document.
std::vector<const Exporter*> exporters_of(DocumentKind kind);

// The exporter for this kind of document and format. Throws Error that lists the valid formats.
const Exporter& find_exporter(DocumentKind kind, std::string_view format);

// The document in this format. Throws as find_exporter and Exporter::render do.
std::string render(const Document& document, std::string_view format,
                   const ExportOptions& options = {});

// The only result of the list. Throws Error when there are several, or none.
const Result& only_result(const Results& results);

// Makes an exporter of a render function. The function's first parameter decides which documents
// the exporter takes: it is a const reference to an alternative of Document, or to a Result for a
// format that holds one result.
template <auto kRender, Form kForm>
struct ExporterOf;

template <class T, std::string (*kRender)(const T&, const ExportOptions&), Form kForm>
struct ExporterOf<kRender, kForm> {
  using Taken = std::conditional_t<std::is_same_v<T, Result>, Results, T>;
  static constexpr DocumentKind kTakes = kKindOf<Taken>;
  static constexpr bool kTakesSeveral = std::is_same_v<T, Results>;

  static std::string render(const Document& document, const ExportOptions& options) {
    const Taken& taken = std::get<Taken>(document);
    if constexpr (kForm == Form::text) {
      Taken shown = taken;
      make_printable(shown);
      return call(shown, options);
    } else if constexpr (kForm == Form::json) {
      return json_text(call(taken, options));
    } else {
      return call(taken, options);
    }
  }

 private:
  static std::string call(const Taken& taken, const ExportOptions& options) {
    if constexpr (std::is_same_v<T, Result>) {
      return kRender(only_result(taken), options);
    } else {
      return kRender(taken, options);
    }
  }
};

template <auto kRender, Form kForm>
constexpr Exporter exporter_of(std::string_view format, std::string_view help,
                               std::string_view extension, bool one_metric = false) {
  using Of = ExporterOf<kRender, kForm>;
  return {format, help, extension, Of::kTakes, kForm, Of::kTakesSeveral, one_metric, Of::render};
}

}  // namespace tailgate
