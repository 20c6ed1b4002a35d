// Which image an address of a process is in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace tailgate::etl {

// Images by process and address. Of several that were at one address at different times it keeps
// the last. The kernel's images are in every process.
class ImageRanges {
 public:
  // Process and base; the kernel's process is 0.
  using Key = std::pair<std::uint32_t, std::uint64_t>;
  struct Image {
    std::uint64_t size = 0;
    std::uint32_t number = 0;  // the caller's
  };
  struct Place {
    std::uint32_t number = 0;
    std::uint64_t offset = 0;
  };

  // pointer_bytes: of the machine that recorded. A machine with 64 bits is the default.
  void set_pointer_bytes(unsigned pointer_bytes) {
    if (pointer_bytes == 4) kernel_from_ = 0x8000'0000;
  }

  Key key_of(std::uint32_t process, std::uint64_t address) const {
    return {address >= kernel_from_ ? 0 : process, address};
  }
  bool is_kernel(std::uint64_t address) const { return address >= kernel_from_; }
  bool contains(const Key& key) const { return images_.contains(key); }
  void set(const Key& key, const Image& image) { images_[key] = image; }
  std::size_t size() const { return images_.size(); }
  auto begin() { return images_.begin(); }
  auto end() { return images_.end(); }

  // Nothing for an address in no image.
  std::optional<Place> find(std::uint32_t process, std::uint64_t address) const {
    const Key key = key_of(process, address);
    const auto above = images_.upper_bound(key);
    if (above == images_.begin()) return std::nullopt;
    const auto& [start, image] = *std::prev(above);
    const std::uint64_t offset = address - start.second;
    if (start.first != key.first || offset >= image.size) return std::nullopt;
    return Place{image.number, offset};
  }

 private:
  std::uint64_t kernel_from_ = 0xFFFF'8000'0000'0000;
  std::map<Key, Image> images_;
};

}  // namespace tailgate::etl
