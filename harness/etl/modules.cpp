#include "harness/etl/modules.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "harness/etl/bytes.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxImages = 65'536;
constexpr std::size_t kMaxNameBytes = 4u << 20;

}  // namespace

std::string pdb_id(const Guid& guid, std::uint32_t age) {
  const std::uint8_t* at = guid.bytes.data();
  std::string text = fmt::format("{:08X}{:04X}{:04X}", load<std::uint32_t>(at),
                                 load<std::uint16_t>(at + 4), load<std::uint16_t>(at + 6));
  for (unsigned i = 8; i < 16; ++i) text += fmt::format("{:02X}", at[i]);
  return text + fmt::format("{:X}", age);
}

bool Modules::has_room(std::size_t count, std::size_t name_bytes) {
  if (count < kMaxImages && name_bytes_ + name_bytes <= kMaxNameBytes) {
    name_bytes_ += name_bytes;
    return true;
  }
  ++over_limit_;
  return false;
}

std::uint32_t Modules::module_of(const Module& module) {
  std::string key =
      fmt::format("{}\n{}\n{}\n{}", module.process, module.name, module.pdb, module.pdb_id);
  auto [at, is_new] = numbers_.try_emplace(std::move(key), size());
  if (is_new) modules_.push_back(module);
  return at->second;
}

void Modules::add_image(std::uint32_t process, std::uint64_t base, std::uint64_t size,
                        std::string_view name) {
  if (!has_room(images_.size(), name.size())) return;
  Module module;
  module.name = name;
  images_[key_of(process, base)] = {size, module_of(module)};
}

void Modules::add_pdb(std::uint32_t process, std::uint64_t base, std::string_view pdb,
                      std::string id) {
  if (!has_room(pdbs_.size(), pdb.size())) return;
  pdbs_[key_of(process, base)] = {std::string(pdb), std::move(id)};
}

const Modules::Pdb* Modules::pdb_of(const Key& key) const {
  if (auto own = pdbs_.find(key); own != pdbs_.end()) return &own->second;
  auto shared = shared_pdbs_.find(key.second);
  return shared == shared_pdbs_.end() ? nullptr : shared->second;
}

void Modules::finish() {
  for (const auto& [key, pdb] : pdbs_) {
    auto [at, is_new] = shared_pdbs_.try_emplace(key.second, &pdb);
    if (is_new || at->second == nullptr) continue;
    if (at->second->id != pdb.id || at->second->name != pdb.name) at->second = nullptr;
  }
  const std::vector<Module> named = std::exchange(modules_, {});
  numbers_.clear();
  for (auto& [key, image] : images_) {
    Module module = named[image.module];
    if (const Pdb* pdb = pdb_of(key)) {
      module.pdb = pdb->name;
      module.pdb_id = pdb->id;
    }
    image.module = module_of(module);
  }
  shared_pdbs_.clear();
  pdbs_.clear();
}

Modules::Place Modules::place_of(std::uint32_t process, std::uint64_t address) {
  const Key key = key_of(process, address);
  auto above = images_.upper_bound(key);
  if (above != images_.begin()) {
    const auto& [start, image] = *std::prev(above);
    const std::uint64_t offset = address - start.second;
    if (start.first == key.first && offset < image.size) return {image.module, offset};
  }
  Module outside;
  outside.name = "unknown";
  outside.process = key.first;
  return {module_of(outside), address};
}

}  // namespace tailgate::etl
