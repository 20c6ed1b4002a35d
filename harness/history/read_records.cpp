#include "harness/history/read_records.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/history/dates.h"
#include "harness/history/record_maker.h"
#include "harness/os/machine.h"
#include "harness/result/json.h"

namespace tailgate::history {
namespace {

// The value of the first field 'format' in a text: documents begin with it. Empty: there is none.
std::string_view stated_format(std::string_view text) {
  constexpr std::string_view kField = "\"format\"";
  constexpr std::string_view kBetween = " \t\r\n:";
  const std::size_t field = text.find(kField);
  if (field == std::string_view::npos) return {};
  const std::size_t begin = text.find_first_not_of(kBetween, field + kField.size());
  if (begin == std::string_view::npos || text[begin] != '"') return {};
  const std::size_t end = text.find('"', begin + 1);
  if (end == std::string_view::npos) return {};
  return text.substr(begin + 1, end - begin - 1);
}

// Databases index these texts, and PostgreSQL takes 2704 bytes an entry. What is longer than any
// name of tailgate's own ends in a hash.
void make_keepable(std::string& text) {
  constexpr std::size_t kMaxBytes = 200;
  if (text.size() > kMaxBytes) text = text.substr(0, kMaxBytes) + "~" + fnv1a_hex(text);
  make_printable(text);
}

void make_keepable(Series& series) {
  for (std::string* text : {&series.scenario, &series.preset, &series.sink, &series.load,
                            &series.part, &series.metric, &series.unit}) {
    make_keepable(*text);
  }
}

void make_keepable(Record& record) {
  for (std::string* text :
       {&record.id, &record.fingerprint, &record.label, &record.revision, &record.version,
        &record.scenario, &record.preset, &record.sink, &record.duet_id, &record.reference}) {
    make_keepable(*text);
  }
  for (Distribution& one : record.distributions) make_keepable(one.series);
  for (Figure& one : record.figures) make_keepable(one.series);
}

std::vector<Record> records_of(std::string_view text, const std::string& origin) {
  const std::string_view format = stated_format(text);
  if (format == kResultFormat) return {record_of(read_result(text, origin), origin)};
  if (format == kDuetFormat) return {record_of(read_duet(text, origin), origin)};
  if (format == kCommandDuetFormat) return {record_of(read_command_duet(text, origin), origin)};
  std::vector<Record> records;
  if (format == kVerdictFormat) {
    for (const Verdict& verdict : read_verdicts(text, origin)) {
      records.push_back(record_of(verdict));
    }
    return records;
  }
  throw Error(fmt::format("{}: neither a result, a duet nor a verdict{}", origin,
                          format.empty() ? std::string(": no field 'format'")
                                         : fmt::format(": its 'format' is '{}'", format)),
              "give files of 'tailgate run', 'tailgate duet' or 'tailgate gate --json'");
}

}  // namespace

bool is_document(std::string_view text) {
  const std::string_view format = stated_format(text);
  return format == kResultFormat || format == kDuetFormat || format == kCommandDuetFormat ||
         format == kVerdictFormat;
}

std::vector<Record> read_records(std::string_view text, const std::string& origin) {
  std::vector<Record> records;
  try {
    records = records_of(text, origin);
  } catch (const Error& error) {
    // Errors of a distribution do not name the file.
    if (error.what_failed().starts_with(origin)) throw;
    throw Error(fmt::format("{}: {}", origin, error.what_failed()), error.remedy());
  }
  // 64 bits of FNV-1a and the size: among ten million documents, two of one size would share a
  // hash by chance once in 400,000 histories.
  const std::string hash = fmt::format("{}-{}", fnv1a_hex(std::string(text)), text.size());
  for (Record& record : records) {
    make_keepable(record);
    record.hash = hash;
    if (record.night.empty() && record.started_ms != 0) record.night = date_of(record.started_ms);
    record.machine = record.fingerprint;
  }
  return records;
}

}  // namespace tailgate::history
