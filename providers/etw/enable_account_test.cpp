#include "providers/etw/enable_account.h"

#include <catch2/catch.hpp>

#include "harness/base/testing/test_directory.h"

namespace tailgate::etw {
namespace {

constexpr EnableCommand kOff{.code = EnableCode::disable};

EnableCommand on(std::uint8_t level = 4, std::uint64_t any = 1, std::uint32_t number = 0) {
  return {.code = EnableCode::enable, .level = level, .any = any, .number = number};
}

constexpr EnableCommand kCapture{.code = EnableCode::capture_state, .level = 4, .any = 1};

CommandsTold account(const std::vector<EnableCommand>& sent,
                     const std::vector<EnableCommand>& told) {
  return account_of(sent, {.commands = told, .closed_ns = 1'000});
}

TEST_CASE("commands that all arrived as they were sent are counted as that") {
  const CommandsTold seen =
      account({on(), kOff, on(), kCapture, kOff}, {on(), kOff, on(), kCapture, kOff});
  CHECK(seen.sent == 4);
  CHECK(seen.arrived == 4);
  CHECK(seen.with_arguments == 4);
  CHECK(seen.captures_sent == 1);
  CHECK(seen.captures_arrived == 1);
  CHECK(seen.filters_sent == 0);
}

TEST_CASE("one lost command is one, whatever comes behind it") {
  const std::vector<EnableCommand> sent = {on(), kOff, on(), kOff, on(), kOff};
  for (std::size_t lost = 0; lost < sent.size(); ++lost) {
    std::vector<EnableCommand> told = sent;
    told.erase(told.begin() + static_cast<std::ptrdiff_t>(lost));
    INFO(lost);
    CHECK(account(sent, told).arrived == 5);
    CHECK(account(sent, told).with_arguments == 5);
  }
}

TEST_CASE("arguments other than those sent are counted, and no keyword means all") {
  const std::vector<EnableCommand> sent = {on(4, 1), kOff, on(4, 1), kOff, on(4, 0)};
  const CommandsTold seen =
      account(sent, {on(5, 1), kOff, on(4, 3), kOff, on(4, ~std::uint64_t{0})});
  CHECK(seen.arrived == 5);
  CHECK(seen.with_arguments == 3);
}

TEST_CASE("filter data is found by its number, and requests for the state are counted") {
  const std::vector<EnableCommand> sent = {on(4, 1, 1), kOff,        on(4, 1, 2), kCapture,
                                           kOff,        on(4, 1, 3), kCapture};
  const CommandsTold seen =
      account(sent, {on(4, 1, 1), kOff, on(4, 1, 0), kOff, on(4, 1, 3), kCapture});
  CHECK(seen.filters_sent == 3);
  CHECK(seen.filters_arrived == 2);
  CHECK(seen.captures_sent == 2);
  CHECK(seen.captures_arrived == 1);
  CHECK(seen.arrived == 5);
}

TEST_CASE("commands that were sent when the provider had gone do not count") {
  EnableCommand late = on();
  late.sent_ns = 1'000;
  const CommandsTold seen = account({on(), kOff, late}, {on(), kOff});
  CHECK(seen.sent == 2);
  CHECK(seen.arrived == 2);
  // One that was on its way may have arrived all the same.
  CHECK(account({on(), kOff, late}, {on(), kOff, on()}).arrived == 2);
}

TEST_CASE("what a provider was told is read as it was written") {
  const TestDirectory folder;
  const auto path = folder.path() / "told";
  CHECK_FALSE(read_told(path));
  write_told(path, {.commands = {on(5, ~std::uint64_t{0}, 7), kOff, kCapture}, .closed_ns = 42});
  const auto told = read_told(path);
  REQUIRE(told);
  CHECK(told->closed_ns == 42);
  REQUIRE(told->commands.size() == 3);
  CHECK(told->commands.front().code == EnableCode::enable);
  CHECK(told->commands.front().level == 5);
  CHECK(told->commands.front().any == ~std::uint64_t{0});
  CHECK(told->commands.front().number == 7);
  CHECK(told->commands.back().code == EnableCode::capture_state);
}

}  // namespace
}  // namespace tailgate::etw
