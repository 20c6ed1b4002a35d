// A journald of our own: started in a private view of the file system, watched, ended.
#pragma once

#include <memory>
#include <string>

#include "providers/daemon/private_daemon.h"
#include "providers/daemon/private_namespace.h"
#include "providers/sink.h"

namespace tailgate::journald {

class JournaldSession : public Session {
 public:
  explicit JournaldSession(const TrialContext& context) : context_(context) {}

  void start() override;
  std::vector<std::pair<std::string, std::string>> granted() const override { return granted_; }
  std::vector<DaemonProcess> daemons() const override;
  int namespace_pid() const override { return view_ ? view_->pid() : 0; }
  // Lets the daemon store what it has received, and compares that with what it was given. Throws
  // Error when the daemon had ended before.
  void stop() override;
  std::vector<Loss> losses() const override { return losses_; }

 private:
  MountPlan mount_plan() const;
  void start_daemon();
  bool learn_base();
  void count_losses();

  const TrialContext context_;
  std::unique_ptr<PrivateNamespace> view_;
  std::unique_ptr<PrivateDaemon> daemon_;
  std::uint64_t base_ = 0;
  bool stopped_ = false;
  std::vector<std::pair<std::string, std::string>> granted_;
  std::vector<Loss> losses_;
};

// The text of the configuration file that these options make; journald.conf(5).
std::string configuration(const Options& options);

}  // namespace tailgate::journald
