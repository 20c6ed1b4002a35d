#include "harness/etl/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <string_view>

#include "harness/os/private_folder.h"
#include "harness/os/remove_folder.h"

namespace tailgate::etl {
namespace {

using namespace std::literals;

// Each format's first bytes: APPNOTE.TXT, [MS-CAB], 7zFormat.txt, RFC 1952, the xz file format,
// bzip2's and RFC 8878.
constexpr std::string_view kSignatures[] = {"PK\x03\x04"sv,
                                            "MSCF\0\0\0\0"sv,
                                            "7z\xBC\xAF\x27\x1C"sv,
                                            "\x1F\x8B"sv,
                                            "BZh"sv,
                                            "\xFD"
                                            "7zXZ\0"sv,
                                            "\x28\xB5\x2F\xFD"sv};

constexpr std::uint64_t kMaxRatio = 1000;
constexpr std::uint64_t kMinLimitBytes = 256u << 20;

}  // namespace

std::filesystem::path new_temporary_folder() {
  std::random_device random;
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("tailgate-etl-{:08x}", random());
  make_private_folder(folder);
  return folder;
}

bool is_container(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 8> head{};
  in.read(head.data(), head.size());
  const std::string_view begin(head.data(), static_cast<std::size_t>(in.gcount()));
  for (std::string_view signature : kSignatures) {
    if (begin.starts_with(signature)) return true;
  }
  return false;
}

UnpackedTraces::UnpackedTraces(const std::filesystem::path& container)
    : folder_(new_temporary_folder()) {
  try {
    bytes_.packed = std::filesystem::file_size(container);
    const std::uint64_t max_bytes = std::max(kMinLimitBytes, kMaxRatio * bytes_.packed);
    const UnpackedMembers members = unpack_container(container, folder_, max_bytes);
    bytes_.other_members = members.others;
    for (const UnpackedMember& member : members.traces) {
      files_.push_back(
          std::make_unique<TraceFile>(member.file, container.string() + "/" + member.name));
      bytes_.unpacked += files_.back()->bytes().size();
    }
  } catch (...) {
    files_.clear();
    remove_folder(folder_);
    throw;
  }
  // A mapped file may lose its name, but not on every system.
  remove_folder(folder_);
}

UnpackedTraces::~UnpackedTraces() {
  files_.clear();
  remove_folder(folder_);
}

}  // namespace tailgate::etl
