#include "harness/cli/history_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/cli/commands.h"
#include "harness/cli/history_findings.h"
#include "harness/cli/terminal.h"
#include "harness/history/charts.h"
#include "harness/history/findings.h"
#include "harness/history/fleet.h"
#include "harness/history/history.h"
#include "harness/history/read_records.h"
#include "harness/os/atomic_file.h"
#include "harness/os/machine.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;
using history::Access;
using history::Appended;
using history::History;
using history::Record;

// A file, and what the user said about it.
struct Document {
  fs::path path;
  std::string night;
  std::string machine;
  bool spooled = false;
};

// At most so many records are appended in one transaction. They cost a fraction of single ones, and
// another writer does not wait long for them.
constexpr std::size_t kMostRecords = 64;
constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // of the documents' text

// A file in the spool is named night@machine@hash.json, with "-" for what was not given.
Document spooled_document(const fs::path& path) {
  const std::string name = path.stem().string();
  const std::size_t first = name.find('@');
  const std::size_t second = name.find('@', first + 1);
  const auto word = [](const std::string& text) { return text == "-" ? "" : text; };
  if (first == std::string::npos || second == std::string::npos) return {path, "", "", true};
  return {path, word(name.substr(0, first)), word(name.substr(first + 1, second - first - 1)),
          true};
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Document> documents_of(const HistoryImport& request) {
  std::vector<Document> documents;
  if (history::is_server(request.place) && fs::is_directory(request.spool)) {
    for (const fs::path& path : json_files(request.spool)) {
      documents.push_back(spooled_document(path));
    }
  }
  for (const fs::path& path : request.paths) {
    if (!fs::exists(path)) {
      throw UsageError(Error(fmt::format("'{}' does not exist", path.string()),
                             "give files of results, duets and verdicts, or folders of them"));
    }
    if (!fs::is_directory(path)) {
      documents.push_back({path, request.night, request.machine});
      continue;
    }
    // Of a folder, what is a document: data of plots and the like lie there as well.
    for (const fs::path& file : json_files(path)) {
      if (history::is_document(read_document_text(file))) {
        documents.push_back({file, request.night, request.machine});
      }
    }
  }
  if (!documents.empty()) return documents;
  throw UsageError(Error("there is no result, duet or verdict in the folders given",
                         "give the folder that 'tailgate run --out' or 'tailgate gate --out' "
                         "wrote to"));
}

class Importer {
 public:
  explicit Importer(const HistoryImport& request) : request_(request) {}

  bool import() {
    for (const Document& document : documents_of(request_)) take(document);
    append_waiting();
    for (auto& [document, record] : verdicts_) {
      add(document, std::move(record));
      append_waiting();
    }
    std::vector<history::Finding> found;
    try {
      if (history_) found = charted();
      if (history_) history_->sync();
    } catch (const history::UnreachableError& error) {
      gone_ = error;
    }
    // What was appended may not have reached the disk.
    if (gone_) spool(std::exchange(taken_, {}), *gone_);
    for (const Document& document : taken_) {
      if (document.spooled) fs::remove(document.path);
    }
    report();
    if (!found.empty()) say_lines("\n" + history_findings_text(found));
    return left_out_ == 0 && spooled_ == 0;
  }

 private:
  // What the nights' charts found with these documents.
  std::vector<history::Finding> charted() {
    const std::vector<std::int64_t> made = history::update_charts(*history_);
    history::update_fleet(*history_);
    std::vector<history::Finding> found;
    if (!made.empty()) found = history::findings(*history_, {});
    std::erase_if(found, [&made](const history::Finding& one) {
      return std::find(made.begin(), made.end(), one.id) == made.end();
    });
    return found;
  }

  // Verdicts wait for their duets.
  void take(const Document& document) {
    std::vector<Record> records;
    try {
      const std::string text = read_document_text(document.path);
      records = history::read_records(text, document.path.string());
      waiting_bytes_ += text.size();
    } catch (const Error& error) {
      return leave_out(error);
    }
    for (Record& record : records) {
      if (!document.night.empty()) record.night = document.night;
      if (!document.machine.empty()) record.machine = document.machine;
      if (record.kind == history::Kind::verdict) {
        verdicts_.emplace_back(document, std::move(record));
      } else {
        add(document, std::move(record));
      }
    }
    if (waiting_records_.size() >= kMostRecords || waiting_bytes_ >= kMostBytes) append_waiting();
  }

  void add(const Document& document, Record record) {
    waiting_.push_back(document);
    waiting_records_.push_back(std::move(record));
  }

  void append_waiting() {
    const std::vector<Document> documents = std::exchange(waiting_, {});
    const std::vector<Record> records = std::exchange(waiting_records_, {});
    waiting_bytes_ = 0;
    if (documents.empty()) return;
    if (gone_) return spool(documents, *gone_);
    try {
      if (!history_) history_.emplace(History::open(request_.place, Access::write));
      const std::vector<Appended> appended = history_->append(records);
      for (std::size_t i = 0; i < documents.size(); ++i) {
        take_outcome(documents[i], records[i], appended[i]);
      }
    } catch (const history::UnreachableError& error) {
      gone_ = error;
      history_.reset();
      spool(documents, error);
    } catch (const history::NoNightError& error) {
      leave_out(error);
    }
  }

  void take_outcome(const Document& document, const Record& record, Appended appended) {
    ++counts_[appended];
    if (appended != Appended::different) return taken_.push_back(document);
    leave_out(
        Error(fmt::format("{}: the history holds this {} in the same state with another content",
                          document.path.string(), enum_text(record.kind)),
              "the first one stays; one of them was changed by hand"));
  }

  void spool(const std::vector<Document>& documents, const history::UnreachableError& why) {
    for (const Document& document : documents) spool(document, why);
  }

  void spool(const Document& document, const history::UnreachableError& why) {
    if (request_.spool.empty()) throw why;
    if (document.spooled) {
      ++spooled_;
      return;
    }
    const std::string text = read_document_text(document.path);
    const auto word = [](const std::string& given) { return given.empty() ? "-" : given; };
    fs::create_directories(request_.spool);
    const fs::path file = request_.spool / fmt::format("{}@{}@{}.json", word(document.night),
                                                       word(document.machine), fnv1a_hex(text));
    write_file_atomically(file, text);
    if (spooled_++ == 0) tell("tailgate: {}\n  {}\n", why.what_failed(), why.remedy());
  }

  void leave_out(const Error& error) {
    tell("left out: {}\n  {}\n", error.what_failed(), error.remedy());
    ++left_out_;
  }

  void report() {
    say("{}{} new, {} replaced an earlier state, {} were there already, {} left out\n",
        history_ ? history_->place() + ": " : "", counts_[Appended::added],
        counts_[Appended::replaced], counts_[Appended::present] + counts_[Appended::outdated],
        left_out_);
    if (spooled_ == 0) return;
    tell("{} documents wait in '{}'; the next import with this spool takes them along\n", spooled_,
         request_.spool.string());
  }

  const HistoryImport& request_;
  std::optional<History> history_;
  std::optional<history::UnreachableError> gone_;
  std::vector<Document> waiting_;  // each with the record of the same number
  std::vector<Record> waiting_records_;
  std::size_t waiting_bytes_ = 0;
  std::vector<std::pair<Document, Record>> verdicts_;
  std::vector<Document> taken_;
  std::map<Appended, std::size_t> counts_;
  std::size_t left_out_ = 0;
  std::size_t spooled_ = 0;
};

}  // namespace

bool import_documents(const HistoryImport& request) {
  return Importer(request).import();
}

}  // namespace tailgate
