// Catch2's XML: -r xml, its BenchmarkResults.
//
// A process gives one estimate of each benchmark's mean; its samples stay inside of Catch2.
#include <fmt/format.h>

#include <cstring>
#include <pugixml.hpp>

#include "harness/base/error.h"
#include "harness/samples/format.h"

namespace tailgate {
namespace {

// Visits the nodes in order, without recursion: the text decides how deep they nest.
class Walker : public pugi::xml_tree_walker {
 public:
  explicit Walker(SampleCollector& into) : into_(into) {}

  bool for_each(pugi::xml_node& node) override {
    const char* name = node.name();
    if (std::strcmp(name, "TestCase") == 0) test_case_ = node.attribute("name").value();
    if (std::strcmp(name, "BenchmarkResults") == 0) read_results(node);
    return true;
  }

 private:
  void read_results(const pugi::xml_node& node) {
    const std::string name = test_case_ + ": " + node.attribute("name").value();
    if (const pugi::xml_node failed = node.child("failed")) {
      throw Error(fmt::format("{}: benchmark '{}' failed: {}", into_.origin(), name,
                              failed.attribute("message").value()),
                  "correct it, or name the test cases that should run");
    }
    const pugi::xml_attribute mean = node.child("mean").attribute("value");
    if (mean) into_.add({name, "mean", "ns"}, mean.as_double());
  }

  SampleCollector& into_;
  std::string test_case_;
};

// An element takes three bytes of text and some seventy of memory.
constexpr std::size_t kMaxDocumentBytes = std::size_t{8} << 20;

void read_catch2_process(std::string_view text, SampleCollector& into) {
  if (text.size() > kMaxDocumentBytes) {
    throw Error(
        fmt::format("{}: a document of more than {} MiB", into.origin(), kMaxDocumentBytes >> 20),
        "run fewer test cases at once");
  }
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) {
    throw Error(fmt::format("{}: not XML: {} at byte {}", into.origin(), parsed.description(),
                            parsed.offset),
                "give what Catch2 printed with -r xml");
  }
  Walker walker(into);
  document.traverse(walker);
  into.end_process();
}

// Each process begins with an XML declaration.
void read_catch2(std::string_view text, SampleCollector& into) {
  constexpr std::string_view kDeclaration = "<?xml";
  std::size_t begin = text.find(kDeclaration);
  while (begin != std::string_view::npos) {
    const std::size_t next = text.find(kDeclaration, begin + kDeclaration.size());
    read_catch2_process(text.substr(begin, next - begin), into);
    begin = next;
  }
}

}  // namespace

constinit const SampleFormat sample_formats::catch2 = {
    "catch2", "Catch2's XML (-r xml) of its BENCHMARKs, one process per document",
    "start the program once per repetition with -r xml: a file each, or all after each other in "
    "one "
    "file",
    read_catch2};

}  // namespace tailgate
