#include "harness/base/error.h"
#include "harness/exec/program_process.h"

namespace tailgate {
namespace {

[[noreturn]] void refuse() {
  throw Error("'tailgate exec' measures programs on Linux only",
              "make the logger a plugin ('tailgate check --help'), or compare whole runs with "
              "'tailgate duet --command'");
}

}  // namespace

std::filesystem::path program_path(const std::string&) {
  refuse();
}

ProgramProcess::ProgramProcess(const ProgramOptions&) {
  refuse();
}

ProgramProcess::~ProgramProcess() = default;

void ProgramProcess::begin() {
  refuse();
}

bool ProgramProcess::ended_within(std::chrono::milliseconds) const {
  refuse();
}

ChildEnd ProgramProcess::end() {
  refuse();
}

}  // namespace tailgate
