#include "providers/etw/enable_account.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace tailgate::etw {
namespace {

using Commands = std::vector<EnableCommand>;

bool switches(const EnableCommand& command) {
  return command.code != EnableCode::capture_state;
}

Commands switches_in(const Commands& all) {
  Commands switching;
  std::copy_if(all.begin(), all.end(), std::back_inserter(switching), switches);
  return switching;
}

bool same_code(const EnableCommand& sent, const EnableCommand& told) {
  return sent.code == told.code && (told.number == 0 || told.number == sent.number);
}

// To Windows, no keyword means all (Microsoft's documentation of EnableTraceEx2). A disable has no
// arguments.
bool same_arguments(const EnableCommand& sent, const EnableCommand& told) {
  if (!same_code(sent, told)) return false;
  const auto any = [](const EnableCommand& one) { return one.any == 0 ? ~one.any : one.any; };
  return sent.code == EnableCode::disable ||
         (sent.level == told.level && any(sent) == any(told) && sent.all == told.all);
}

// The most pairs of a sent and a told command that are the same and in order: the length of their
// longest common subsequence.
template <class Same>
std::uint64_t pairs_in_order(const Commands& sent, const Commands& told, Same same) {
  std::vector<std::uint64_t> before(told.size() + 1);  // of the commands sent so far
  for (const EnableCommand& one : sent) {
    std::vector<std::uint64_t> pairs(told.size() + 1);
    for (std::size_t i = 0; i < told.size(); ++i) {
      pairs[i + 1] = same(one, told[i]) ? before[i] + 1 : std::max(before[i + 1], pairs[i]);
    }
    before = std::move(pairs);
  }
  return before.back();
}

std::uint64_t captures_in(const Commands& all) {
  return static_cast<std::uint64_t>(std::count_if(
      all.begin(), all.end(), [](const EnableCommand& one) { return !switches(one); }));
}

bool has_number(const Commands& all, std::uint32_t number) {
  return std::any_of(all.begin(), all.end(),
                     [&](const EnableCommand& one) { return one.number == number; });
}

}  // namespace

CommandsTold account_of(const std::vector<EnableCommand>& all_sent, const Told& told) {
  Commands sent;
  std::copy_if(all_sent.begin(), all_sent.end(), std::back_inserter(sent),
               [&](const EnableCommand& one) { return one.sent_ns < told.closed_ns; });
  const Commands switches_sent = switches_in(sent);
  const Commands switches_told = switches_in(told.commands);
  CommandsTold account;
  account.sent = switches_sent.size();
  account.arrived = pairs_in_order(switches_sent, switches_told, same_code);
  account.with_arguments = pairs_in_order(switches_sent, switches_told, same_arguments);
  for (const EnableCommand& one : sent) {
    if (one.number == 0) continue;
    ++account.filters_sent;
    account.filters_arrived += has_number(told.commands, one.number) ? 1 : 0;
  }
  account.captures_sent = captures_in(sent);
  account.captures_arrived = std::min(account.captures_sent, captures_in(told.commands));
  return account;
}

void write_told(const std::filesystem::path& path, const Told& told) {
  std::ofstream file(path);
  file << told.closed_ns << '\n';
  for (const EnableCommand& one : told.commands) {
    file << static_cast<std::uint32_t>(one.code) << ' ' << unsigned{one.level} << ' ' << one.any
         << ' ' << one.all << ' ' << one.number << '\n';
  }
}

std::optional<Told> read_told(const std::filesystem::path& path) {
  std::ifstream file(path);
  Told told;
  if (!(file >> told.closed_ns)) return std::nullopt;
  std::uint32_t code = 0;
  unsigned level = 0;
  EnableCommand one;
  while (file >> code >> level >> one.any >> one.all >> one.number) {
    one.code = static_cast<EnableCode>(code);
    one.level = static_cast<std::uint8_t>(level);
    told.commands.push_back(one);
  }
  return told;
}

}  // namespace tailgate::etw
