#include "harness/etl/modules.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "harness/etl/bytes.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxImages = 65'536;
constexpr std::size_t kMaxOutside = 16'384;
constexpr std::size_t kMaxModuleNamesBytes = 4u << 20;

}  // namespace

std::string pdb_id(const Guid& guid, std::uint32_t age) {
  const std::uint8_t* at = guid.bytes.data();
  std::string text = fmt::format("{:08X}{:04X}{:04X}", load<std::uint32_t>(at),
                                 load<std::uint16_t>(at + 4), load<std::uint16_t>(at + 6));
  for (unsigned i = 8; i < 16; ++i) text += fmt::format("{:02X}", at[i]);
  return text + fmt::format("{:X}", age);
}

std::optional<std::uint32_t> Modules::module_of(const Module& module, std::size_t max_bytes) {
  std::string key = fmt::format("{}\n{}\n{}", module.name, module.pdb, module.pdb_id);
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  if (name_bytes_ + key.size() > max_bytes) return std::nullopt;
  name_bytes_ += key.size();
  numbers_.emplace(std::move(key), size());
  modules_.push_back(module);
  return size() - 1;
}

void Modules::add_image(std::uint32_t process, std::uint64_t base, std::uint64_t size,
                        std::string_view name) {
  const Key key = images_.key_of(process, base);
  const bool has_room = images_.size() < kMaxImages || images_.contains(key);
  Module module;
  module.name = name;
  const auto number = has_room ? module_of(module, kMaxModuleNamesBytes) : std::nullopt;
  if (number) {
    images_.set(key, {size, *number});
  } else {
    ++over_limit_;
  }
}

void Modules::add_pdb(std::uint32_t process, std::uint64_t base, std::string_view pdb,
                      std::string id) {
  const Key key = images_.key_of(process, base);
  const auto known = pdbs_.find(key);
  const std::size_t known_bytes = known == pdbs_.end() ? 0 : known->second.name.size();
  const bool has_room = pdbs_.size() < kMaxImages || known != pdbs_.end();
  if (!has_room || name_bytes_ - known_bytes + pdb.size() > kMaxModuleNamesBytes) {
    ++over_limit_;
    return;
  }
  name_bytes_ = name_bytes_ - known_bytes + pdb.size();
  pdbs_[key] = {std::string(pdb), std::move(id)};
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
  name_bytes_ = 0;
  for (auto& [key, image] : images_) {
    Module module = named[image.number];
    const Pdb* pdb = pdb_of(key);
    if (pdb != nullptr) {
      module.pdb = pdb->name;
      module.pdb_id = pdb->id;
    }
    auto number = module_of(module, kMaxModuleNamesBytes);
    if (!number) {
      if (pdb != nullptr) ++over_limit_;
      // The names alone were within the limit.
      number = module_of(named[image.number], std::numeric_limits<std::size_t>::max());
    }
    image.number = *number;
  }
  numbers_.clear();
  shared_pdbs_.clear();
  pdbs_.clear();
}

std::uint32_t Modules::outside_of(std::uint32_t process) {
  const bool has_room = outside_.size() < kMaxOutside || outside_.contains(process);
  const std::uint32_t owner = has_room ? process : Module::kNoProcess;
  const auto [at, is_new] = outside_.try_emplace(owner, size());
  if (is_new) {
    Module& module = modules_.emplace_back();
    module.name = "unknown";
    module.process = owner;
  }
  return at->second;
}

Modules::Place Modules::place_of(std::uint32_t process, std::uint64_t address) {
  if (const auto place = images_.find(process, address)) return {place->number, place->offset};
  return {outside_of(images_.key_of(process, address).first), address};
}

}  // namespace tailgate::etl
