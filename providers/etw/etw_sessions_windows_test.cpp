// Several sessions, and what a session sends its provider, against the library that stands in for
// Windows' event tracing. They test the sink's logic, not the behaviour of Windows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "harness/base/testing/test_directory.h"
#include "harness/etl/record.h"
#include "harness/etl/trace_file.h"
#include "harness/etl/trace_reader.h"
#include "harness/etw/properties_windows.h"
#include "providers/etw/testing/stand_in_trial.h"
#include "providers/testing/test_trial.h"

using namespace tailgate;
using namespace tailgate::etw;

namespace {

// At 2,000 events per second: 1,200.
LoadPlan slow_load(unsigned sessions, unsigned processes = 1) {
  LoadPlan load = stand_in_load(2'000);
  load.sessions = sessions;
  load.processes = processes;
  load.threads = processes;
  return load;
}
constexpr std::uint64_t kEvents = 1'200;

// The events in each file of a folder.
std::vector<std::uint64_t> events_of_files(const std::filesystem::path& folder) {
  std::vector<std::uint64_t> counts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const etl::TraceFile file(entry.path());
    etl::TraceReader reader({&file}, etl::ReadOrder::file, 0);
    std::uint64_t events = 0;
    while (const etl::Record* record = reader.next()) {
      if (record->kind == etl::RecordKind::event) ++events;
    }
    counts.push_back(events);
  }
  return counts;
}

Trial toggled(const std::string& sink, const wchar_t* fault = L"") {
  const TrialAction off{.what = ActionKind::disable,
                        .who = ActionTarget::session,
                        .at_s = 0.05,
                        .for_s = 0.05,
                        .every_s = 0.1};
  return run_on_stand_in(sink, slow_load(1), stand_in_settings({off}), fault);
}

SwitchCommands commands_with(const wchar_t* fault) {
  const Trial trial = toggled("etw:commands=all", fault);
  INFO(trial.outcome << " " << trial.outcome_detail << " " << remarks(trial));
  REQUIRE(trial.switching);
  REQUIRE(trial.switching->commands);
  return *trial.switching->commands;
}

}  // namespace

TEST_CASE("a provider in several sessions is in the files of all, and the first is read back") {
  const TestDirectory folder;
  const std::string sink = "etw:keep_in=" + folder.path().string();
  check_balanced(sink, run_on_stand_in(sink, slow_load(3), stand_in_settings()), kEvents);
  CHECK(events_of_files(folder.path()) == std::vector<std::uint64_t>(3, kEvents));
}

TEST_CASE("provider processes have a session each, or write into one together") {
  LoadPlan own = slow_load(2, 2);
  own.own_sessions = 1;
  check_balanced("own", run_on_stand_in("etw", own, stand_in_settings()), kEvents);
  check_balanced("one", run_on_stand_in("etw", slow_load(1, 2), stand_in_settings()), kEvents);
}

TEST_CASE("the stand-in has as many sessions as Microsoft documents, by name and by handle") {
  plant(L"");
  const TestDirectory folder;
  std::vector<TRACEHANDLE> handles;
  const auto name = [](std::size_t number) { return L"tailgate-test-" + std::to_wstring(number); };
  const auto start = [&] {
    Properties wanted;
    wanted->BufferSize = 64;
    wanted->LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL;
    wanted.set_file(folder.path() / (std::to_string(handles.size()) + ".etl"));
    TRACEHANDLE handle = 0;
    const ULONG error =
        api().start_trace(&handle, name(handles.size()).c_str(), &wanted.properties());
    if (error == ERROR_SUCCESS) handles.push_back(handle);
    return error;
  };
  while (handles.size() < 64) REQUIRE(start() == ERROR_SUCCESS);
  CHECK(start() == ERROR_NO_SYSTEM_RESOURCES);

  const GUID provider = {1, 2, 3, {4}};
  const auto enable = [&](TRACEHANDLE session) {
    return api().enable_trace(session, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 4, 1, 0, 0,
                              nullptr);
  };
  for (std::size_t i = 0; i < 8; ++i) CHECK(enable(handles[i]) == ERROR_SUCCESS);
  CHECK(enable(handles[8]) == ERROR_NO_SYSTEM_RESOURCES);
  CHECK(enable(handles[7]) == ERROR_SUCCESS);  // it has it already

  for (std::size_t i = 0; i < handles.size(); ++i) {
    Properties ended;
    const bool by_name = i % 2 == 0;
    CHECK(api().control_trace(by_name ? 0 : handles[i], by_name ? name(i).c_str() : nullptr,
                              &ended.properties(), EVENT_TRACE_CONTROL_STOP) == ERROR_SUCCESS);
    CHECK(std::filesystem::path(ended.file()).filename() == std::to_string(i) + ".etl");
  }
  const TRACEHANDLE stopped = handles.front();
  handles.clear();
  REQUIRE(start() == ERROR_SUCCESS);
  Properties ignored;
  CHECK(api().control_trace(stopped, nullptr, &ignored.properties(), EVENT_TRACE_CONTROL_QUERY) ==
        kInstanceNotFound);
  CHECK(api().control_trace(handles.front(), nullptr, &ignored.properties(),
                            EVENT_TRACE_CONTROL_STOP) == ERROR_SUCCESS);
}

TEST_CASE("a session beyond Windows' limits is an error that names the limit") {
  const Trial nine = run_on_stand_in("etw", slow_load(9), stand_in_settings());
  CHECK(nine.outcome == TrialOutcome::failed);
  CHECK_THAT(nine.outcome_detail,
             Catch::Contains("session 9 of 9: Windows' limit is reached: up to 8 sessions can "
                             "enable a provider"));
  // What had been started before it was stopped again.
  check_balanced("eight", run_on_stand_in("etw", slow_load(8), stand_in_settings()), kEvents);
}

TEST_CASE("the provider is told of each command, with its arguments") {
  const SwitchCommands told = commands_with(L"");
  CHECK(told.sent >= 6);  // the first enable, and two for each tenth of a second
  CHECK(told.arrived == told.sent);
  CHECK(told.with_arguments == told.sent);
  CHECK(told.filters_sent >= 3);
  CHECK(told.filters_arrived == told.filters_sent);
  CHECK(told.captures_sent + 2 >= told.filters_sent);
  CHECK(told.captures_arrived == told.captures_sent);
  const Trial plain = toggled("etw");
  REQUIRE(plain.switching);
  REQUIRE(plain.switching->commands);
  CHECK(plain.switching->commands->arrived == plain.switching->commands->sent);
  CHECK(plain.switching->commands->filters_sent + plain.switching->commands->captures_sent == 0);
}

TEST_CASE("a command that does not arrive, or with other arguments, is counted") {
  const SwitchCommands lost = commands_with(L"callback_lost");
  CHECK(lost.arrived < lost.sent);
  CHECK(lost.arrived >= lost.sent / 2);
  CHECK(lost.with_arguments == lost.arrived);
  const SwitchCommands wrong = commands_with(L"level_wrong");
  CHECK(wrong.arrived == wrong.sent);
  CHECK(wrong.with_arguments == wrong.sent / 2);  // only the disables
  const SwitchCommands no_filter = commands_with(L"filter_lost");
  CHECK(no_filter.arrived == no_filter.sent);
  CHECK(no_filter.filters_arrived == 0);
}

namespace {

// The stacks of the events in the trial's file.
std::vector<std::vector<std::uint64_t>> stacks_in(const std::filesystem::path& path) {
  std::vector<std::vector<std::uint64_t>> stacks;
  const etl::TraceFile file(path);
  etl::TraceReader reader({&file}, etl::ReadOrder::time, 0);
  while (const etl::Record* record = reader.next()) {
    if (record->kind != etl::RecordKind::event) continue;
    const etl::Bytes item =
        etl::find_extended(etl::decode_header(*record).extended, etl::ExtendedType::stack_trace64);
    std::vector<std::uint64_t>& stack = stacks.emplace_back();
    for (std::size_t at = sizeof(std::uint64_t); at + 8 <= item.size(); at += 8) {
      stack.push_back(0);
      std::memcpy(&stack.back(), item.data() + at, sizeof(std::uint64_t));
    }
  }
  return stacks;
}

// Whether the address is in this program's own code.
bool is_of_this_program(std::uint64_t address) {
  HMODULE module = nullptr;
  const DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  return GetModuleHandleExW(flags, reinterpret_cast<const wchar_t*>(address), &module) != 0 &&
         module == GetModuleHandleW(nullptr);
}

}  // namespace

TEST_CASE("with stack=true each event has its caller's stack, and without it none") {
  plant(L"");
  for (const bool stack : {true, false}) {
    TestTrial trial(std::string("etw:stack=") + (stack ? "true" : "false"));
    trial.open();
    for (int i = 0; i < 3; ++i) CHECK(trial.emit().empty());
    trial.provider().close();
    trial.session().stop();
    CHECK(trial.read_back().sequences.size() == 3);
    const auto stacks = stacks_in(trial.directory().path() / "trace.etl");
    REQUIRE(stacks.size() == 3);
    for (const std::vector<std::uint64_t>& frames : stacks) {
      CHECK(frames.empty() != stack);
      // The innermost ones are the library's own, then comes who called it.
      CHECK(std::any_of(frames.begin(), frames.end(), is_of_this_program) == stack);
    }
  }
}
