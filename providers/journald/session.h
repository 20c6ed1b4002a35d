// Runs a private journald: starts it in a private view of the file system, watches and ends it.
#pragma once

#include <memory>
#include <string>

#include "harness/sink/sink.h"
#include "providers/shared/daemon/private_daemon.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate::journald {

class JournaldSession : public Session {
 public:
  explicit JournaldSession(const TrialContext& context) : context_(context) {}

  void start() override;
  std::vector<std::pair<std::string, std::string>> granted() const override { return granted_; }
  std::vector<DaemonProcess> daemons() const override;
  int namespace_pid() const override { return view_ ? view_->pid() : 0; }
  void rotate() override;
  std::optional<std::filesystem::path> own_disk() const override;
  // Lets the daemon store what it received, and compares that with the number of accepted events.
  // Throws Error when the daemon ended before, or when the private view's holder did.
  void stop() override;
  std::vector<Loss> losses() const override { return losses_; }

 private:
  MountPlan mount_plan() const;
  void start_daemon();
  bool learn_base();
  bool said_disk_full() const;
  std::uint64_t own_entries(std::uint64_t last) const;
  void count_losses(bool disk_full);

  const TrialContext context_;
  std::unique_ptr<PrivateNamespace> view_;
  std::unique_ptr<PrivateDaemon> daemon_;
  std::uint64_t base_ = 0;
  bool stopped_ = false;
  bool rotated_ = false;
  std::vector<std::pair<std::string, std::string>> granted_;
  std::vector<Loss> losses_;
};

// The configuration file for these options; see journald.conf(5).
std::string configuration(const Options& options);

}  // namespace tailgate::journald
