// From a document's text to what the history keeps of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/history/record.h"

namespace tailgate::history {

// Reads what a file contains. Texts are made printable. `origin` begins every error. Throws Error
// like read_result (harness/result/json.h), also for a distribution that cannot be decoded and for
// a time that is none; accepts any bytes.
std::vector<Record> read_records(std::string_view text, const std::string& origin);

// Whether the text looks like a document that read_records takes.
bool is_document(std::string_view text);

}  // namespace tailgate::history
