#include "harness/report/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "harness/report/human.h"

namespace tailgate {
namespace {

constexpr std::size_t kMaxListed = 8;
// Less than one sample in so many is not worth a line.
constexpr std::uint64_t kLeastPart = 200;

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

// The beginning of a name of a function, which may be very long, or the end of a file's.
std::string function_cells(const Profile& profile, std::uint32_t place) {
  if (place >= profile.functions.size()) return fmt::format("    {:<57}", "?");
  const ProfiledFunction& function = profile.functions[place];
  const std::string name = cut_to(function.name, 41);
  const std::string module = cut_to(function.module, 15);
  // fmt counts code points, as the columns are counted here.
  return fmt::format("    {:<42}{:<16}", name, module);
}

std::string words_for(const std::string& role) {
  if (role == "load") return "the load's threads";
  if (role == "provider") return "the provider's other threads";
  if (role == "daemons") return "the session's daemons";
  return cut_to(role, 40);
}

std::string role_text(const Profile& profile, const RoleProfile& role) {
  std::string text =
      paragraph(fmt::format("{}: {} samples", words_for(role.role), human_count(role.samples)));
  text += fmt::format("    {:<42}{:<16}{:>9}{:>9}\n", "function", "of", "itself", "in all");
  const std::size_t listed = std::min(role.functions.size(), kMaxListed);
  for (std::size_t i = 0; i < listed; ++i) {
    const FunctionSamples& one = role.functions[i];
    if (one.exclusive == 0 || one.exclusive < role.samples / kLeastPart) break;
    text += fmt::format("{}{:>9}{:>9}\n", function_cells(profile, one.function),
                        percent_of(one.exclusive, role.samples),
                        percent_of(one.inclusive, role.samples));
  }
  if (role.cut_stacks > role.samples / 10) {
    text += paragraph(fmt::format("the callers of {} of these samples are not known in full",
                                  human_count(role.cut_stacks)));
  }
  return text;
}

std::string tail_text(const Profile& profile, const ProfiledTail& tail) {
  std::string text = paragraph(fmt::format(
      "slow calls by {} time: {} samples, in {} of {} calls", tail.measure,
      human_count(tail.samples), human_count(tail.calls_sampled), human_count(tail.calls)));
  if (tail.samples == 0) return text;
  text += fmt::format("    {:<42}{:<16}{:>9}{:>9}\n", "function", "of", "samples", "calls");
  const std::size_t listed = std::min(tail.functions.size(), kMaxListed);
  for (std::size_t i = 0; i < listed; ++i) {
    const CallFunction& one = tail.functions[i];
    text += fmt::format("{}{:>9}{:>9}\n", function_cells(profile, one.function),
                        human_count(one.samples), human_count(one.calls));
  }
  return text;
}

}  // namespace

std::string profile_text(const Profile& profile) {
  if (profile.roles.empty()) {
    return "\n" + paragraph("no function was sampled" +
                            (profile.limits.empty() ? "" : ": " + profile.limits));
  }
  std::string text =
      "\n" + paragraph(fmt::format("functions, by {:g} samples a second of processor time ({}): {} "
                                   "samples, {} lost; callers by {}",
                                   profile.rate_hz, profile.method, human_count(profile.samples),
                                   human_count(profile.lost), profile.callers));
  if (!profile.limits.empty()) text += paragraph("not sampled: " + profile.limits);
  for (const RoleProfile& role : profile.roles) text += role_text(profile, role);
  for (const ProfiledTail& tail : profile.tails) text += tail_text(profile, tail);
  return text;
}

}  // namespace tailgate
