// Reads .evtx files by libevtx.
#include <fmt/format.h>
#include <libevtx/features.h>
// Debian's package does not bring libbfio's header, which libevtx.h includes for functions that are
// not called here.
#undef LIBEVTX_HAVE_BFIO
#include <libevtx.h>

#include <algorithm>
#include <memory>
#include <string>

#include "harness/base/error.h"
#include "harness/etl/event_log.h"

namespace tailgate::etl {
namespace {

// libevtx's description of a failure.
class Failure {
 public:
  Failure() = default;
  ~Failure() { clear(); }
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;

  libevtx_error_t** place() {
    clear();
    return &error_;
  }
  std::string text() const {
    std::string text(512, '\0');
    const int size = libevtx_error_sprint(error_, text.data(), text.size());
    text.resize(size > 0 ? static_cast<std::size_t>(size) - 1 : 0);
    if (text.ends_with('.')) text.pop_back();
    return text.empty() ? "it is damaged" : text;
  }

 private:
  void clear() {
    if (error_ != nullptr) libevtx_error_free(&error_);
    error_ = nullptr;
  }
  libevtx_error_t* error_ = nullptr;
};

struct CloseFile {
  void operator()(libevtx_file_t* file) const { libevtx_file_free(&file, nullptr); }
};
struct FreeRecord {
  void operator()(libevtx_record_t* record) const { libevtx_record_free(&record, nullptr); }
};

// The XML of a record; empty when it cannot be read or is too long.
std::string xml_of(libevtx_file_t* file, int index) {
  Failure failure;
  libevtx_record_t* found = nullptr;
  if (libevtx_file_get_record_by_index(file, index, &found, failure.place()) != 1) return {};
  const std::unique_ptr<libevtx_record_t, FreeRecord> record(found);
  std::size_t size = 0;
  if (libevtx_record_get_utf8_xml_string_size(record.get(), &size, failure.place()) != 1 ||
      size < 2 || size > kMaxEventXmlBytes) {
    return {};
  }
  std::string xml(size, '\0');
  if (libevtx_record_get_utf8_xml_string(record.get(), reinterpret_cast<std::uint8_t*>(xml.data()),
                                         size, failure.place()) != 1) {
    return {};
  }
  xml.resize(std::min(xml.find('\0'), xml.size()));
  return xml;
}

}  // namespace

std::uint64_t read_evtx(const std::filesystem::path& path, const EventXmlSink& sink) {
  Failure failure;
  libevtx_file_t* made = nullptr;
  const bool initialized = libevtx_file_initialize(&made, failure.place()) == 1;
  const std::unique_ptr<libevtx_file_t, CloseFile> file(made);
  int records = 0;
  if (!initialized ||
      libevtx_file_open(file.get(), path.string().c_str(), libevtx_get_access_flags_read(),
                        failure.place()) != 1 ||
      libevtx_file_get_number_of_records(file.get(), &records, failure.place()) != 1) {
    throw Error(fmt::format("cannot read the event log '{}': {}", path.string(), failure.text()),
                "copy it again from where it was recorded, or export it as XML: "
                "wevtutil qe FILE.evtx /lf:true /f:XML");
  }
  std::uint64_t unreadable = 0;
  for (int index = 0; index < records; ++index) {
    const std::string xml = xml_of(file.get(), index);
    if (xml.empty()) {
      ++unreadable;
    } else {
      sink(xml);
    }
  }
  return unreadable;
}

}  // namespace tailgate::etl
