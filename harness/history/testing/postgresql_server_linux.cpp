#include "harness/history/testing/postgresql_server.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "harness/base/error.h"
#include "harness/base/file_text.h"
#include "harness/history/database.h"

namespace tailgate::history {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{60};
constexpr const char* kUser = "tailgate";

// The folder of initdb and postgres. Debian has one a version, which is not in the PATH.
std::optional<fs::path> programs() {
  if (const auto found = find_program("initdb")) return found->parent_path();
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    if (fs::exists(version.path() / "bin/initdb")) return version.path() / "bin";
  }
  return {};
}

}  // namespace

std::string PostgresqlServer::missing() {
  if (!programs()) return "initdb is not installed (Debian: postgresql)";
  if (geteuid() == 0 && !find_program("setpriv")) return "root needs setpriv to start a server";
  return "";
}

PostgresqlServer::PostgresqlServer() {
  if (geteuid() == 0) {
    fs::permissions(folder_.path(), fs::perms::all);
  }
  run("initdb", {"-D", (folder_ / "data").string(), "-U", kUser, "-A", "trust", "-E", "UTF8",
                 "--locale=C", "--no-sync"});
  start();
}

PostgresqlServer::~PostgresqlServer() {
  if (!server_) return;
  ::kill(server_->pid(), SIGINT);  // ends its connections, and removes its shared memory
  server_->wait_for(kPatience);
}

Child PostgresqlServer::started(const std::string& program, std::vector<std::string> arguments) {
  ChildOptions options;
  options.program = *programs() / program;
  options.output = folder_ / "output";
  if (geteuid() == 0) {
    arguments.insert(arguments.begin(), options.program.string());
    options.program = *find_program("setpriv");
    arguments.insert(arguments.begin(), {"--reuid=nobody", "--regid=nogroup", "--clear-groups",
                                         "--pdeathsig=keep", "--"});
  }
  options.arguments = std::move(arguments);
  return Child::start(options);
}

void PostgresqlServer::run(const std::string& program, std::vector<std::string> arguments) {
  Child child = started(program, std::move(arguments));
  const auto end = child.wait_for(kPatience);
  if (end && end->exited && end->code == 0) return;
  throw Error(program + " failed: " + file_text(folder_ / "output"), "look at its output");
}

void PostgresqlServer::start() {
  server_ = started("postgres", {"-D", (folder_ / "data").string(), "-k", folder_.path().string(),
                                 "-c", "listen_addresses=", "-c", "fsync=off"});
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    try {
      open_postgresql("postgresql:///postgres?host=" + folder_.path().string() + "&user=" + kUser,
                      Access::write);
      return;
    } catch (const UnreachableError&) {
      if (server_->poll() || std::chrono::steady_clock::now() > end) {
        throw Error("postgres did not start: " + file_text(folder_ / "output"), "look at its log");
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void PostgresqlServer::stop() {
  ::kill(server_->pid(), SIGQUIT);
  server_->wait_for(kPatience);
  server_.reset();
}

std::string PostgresqlServer::make_database() {
  const std::string name = "night" + std::to_string(++databases_);
  const std::string rest = "?host=" + folder_.path().string() + "&user=" + kUser;
  open_postgresql("postgresql:///postgres" + rest, Access::write)->run("CREATE DATABASE " + name);
  return "postgresql:///" + name + rest;
}

}  // namespace tailgate::history
