#include "providers/journald/journal_reader.h"

#include <systemd/sd-journal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "harness/base/error.h"
#include "providers/journald/cursor.h"

namespace tailgate::journald {
namespace {

constexpr const char* kRemedy = "look at the files with journalctl --verify --directory";

// libsystemd reports an error as a negative errno.
int checked(int result, const char* call, const std::string& directory) {
  if (result < 0) throw system_error(call, directory, -result, kRemedy);
  return result;
}

}  // namespace

JournalReader::JournalReader(const std::filesystem::path& directory)
    : directory_(directory.string()) {
  checked(sd_journal_open_directory(&journal_, directory_.c_str(), 0), "sd_journal_open_directory",
          directory_);
  // 0: values of any length are returned whole.
  sd_journal_set_data_threshold(journal_, 0);
  // libsystemd watches the directory once it was asked for the descriptor.
  const int watched = sd_journal_get_fd(journal_);
  if (watched < 0) {
    sd_journal_close(journal_);
    throw system_error("sd_journal_get_fd", directory_, -watched,
                       "raise the sysctl fs.inotify.max_user_instances");
  }
}

JournalReader::~JournalReader() {
  sd_journal_close(journal_);
}

bool JournalReader::next() {
  return checked(sd_journal_next(journal_), "sd_journal_next", directory_) > 0;
}

void JournalReader::refresh() {
  checked(sd_journal_process(journal_), "sd_journal_process", directory_);
}

std::span<const std::byte> JournalReader::field(const char* name) const {
  const void* data = nullptr;
  std::size_t size = 0;
  if (sd_journal_get_data(journal_, name, &data, &size) < 0) return {};
  const std::size_t name_bytes = std::strlen(name) + 1;  // of "NAME="
  if (size < name_bytes) return {};
  return {static_cast<const std::byte*>(data) + name_bytes, size - name_bytes};
}

std::span<const std::byte> JournalReader::field_with_retry(const char* name) const {
  std::span<const std::byte> value = field(name);
  for (int retry = 0; value.empty() && retry < kRetries; ++retry) {
    std::this_thread::sleep_for(kRetryInterval);
    value = field(name);
  }
  return value;
}

std::string JournalReader::text(const char* name) const {
  const std::span<const std::byte> value = field(name);
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

void JournalReader::each_field(const std::function<void(std::span<const std::byte>)>& visit) const {
  const void* data = nullptr;
  std::size_t size = 0;
  sd_journal_restart_data(journal_);
  while (sd_journal_enumerate_data(journal_, &data, &size) > 0) {
    visit({static_cast<const std::byte*>(data), size});
  }
}

bool JournalReader::written_by_journald() const {
  constexpr std::string_view kDriver = "driver";
  return std::ranges::equal(field_with_retry("_TRANSPORT"), std::as_bytes(std::span(kDriver)));
}

std::uint64_t JournalReader::sequence() const {
  char* cursor = nullptr;
  checked(sd_journal_get_cursor(journal_, &cursor), "sd_journal_get_cursor", directory_);
  const std::string text = cursor;
  std::free(cursor);
  const std::optional<std::uint64_t> number = cursor_sequence(text);
  if (!number) throw Error("the journal's cursor '" + text + "' has no sequence number", kRemedy);
  return *number;
}

std::uint64_t JournalReader::last_client_sequence() {
  checked(sd_journal_seek_tail(journal_), "sd_journal_seek_tail", directory_);
  std::uint64_t before = 0;
  while (checked(sd_journal_previous(journal_), "sd_journal_previous", directory_) > 0) {
    const std::uint64_t number = sequence();
    if (!written_by_journald()) return number;
    before = number - 1;
  }
  return before;
}

}  // namespace tailgate::journald
