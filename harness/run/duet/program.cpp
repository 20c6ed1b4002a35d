#include "harness/run/duet/program.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/os/process.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kPatience{5};
constexpr std::size_t kMaxBytes = 10'000;
constexpr const char* kMark = "tailgate-program";

std::string read_start(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

[[noreturn]] void refuse(const std::filesystem::path& program, const std::string& why) {
  throw Error(fmt::format("'{}' cannot be a side of a duet: {}", program.string(), why),
              "give the path of a tailgate of the same protocol, as built by ci/gate or by hand");
}

json answer_of(const std::filesystem::path& program, const std::filesystem::path& scratch) {
  const std::filesystem::path output = scratch / "program.json";
  Child child = Child::start({.program = program,
                              .arguments = {kDescribeCommand},
                              .environment = {},
                              .inherited = {},
                              .output = output});
  const std::optional<ChildEnd> end = child.wait_for(kPatience);
  child.kill();
  const std::string text = read_start(output);
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  if (!end) refuse(program, fmt::format("it had not answered after {} s", kPatience.count()));
  const json answer = json::parse(text, nullptr, false);
  if (!answer.is_object() || answer.value("format", json()) != kMark) {
    refuse(program,
           fmt::format("it is not a tailgate that supports duets (it ended by {})", end->text()));
  }
  return answer;
}

}  // namespace

std::string describe_program(const Build& build) {
  const json answer = {{"format", kMark},
                       {"protocol", kTrialProtocol},
                       {"header_bytes", sizeof(TrialHeader)},
                       {"version", build.version},
                       {"revision", build.revision},
                       {"dirty", build.dirty},
                       {"compiler", build.compiler},
                       {"flags", build.flags},
                       {"type", build.type}};
  return answer.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Build ask_program(const std::filesystem::path& program, const std::filesystem::path& scratch) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::canonical(program, failed);
  if (failed) refuse(program, failed.message());
  const json answer = answer_of(absolute, scratch);
  try {
    const auto protocol = answer.at("protocol").get<std::uint32_t>();
    const auto header_bytes = answer.at("header_bytes").get<std::size_t>();
    if (protocol != kTrialProtocol || header_bytes != sizeof(TrialHeader)) {
      refuse(program, fmt::format("it shares memory by protocol {} with {} bytes of header, this "
                                  "program by protocol {} with {}",
                                  protocol, header_bytes, kTrialProtocol, sizeof(TrialHeader)));
    }
    return {.version = answer.at("version").get<std::string>(),
            .revision = answer.at("revision").get<std::string>(),
            .dirty = answer.at("dirty").get<bool>(),
            .compiler = answer.at("compiler").get<std::string>(),
            .flags = answer.at("flags").get<std::string>(),
            .type = answer.at("type").get<std::string>()};
  } catch (const json::exception& error) {
    refuse(program, std::string("its answer is not understood: ") + error.what());
  }
}

}  // namespace tailgate
