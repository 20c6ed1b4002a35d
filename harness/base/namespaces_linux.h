// Entering the namespaces of another process (Linux).
#pragma once

namespace tailgate {

// The user, network and mount namespaces of a process, held open, so that a child can enter them
// between fork and exec. Those that are ours anyway are left alone.
class OtherNamespaces {
 public:
  // pid 0: ours. Throws Error when the process is gone.
  explicit OtherNamespaces(int pid);
  ~OtherNamespaces();
  OtherNamespaces(const OtherNamespaces&) = delete;
  OtherNamespaces& operator=(const OtherNamespaces&) = delete;

  // Enters them with the calling thread; system calls only. False: errno says why. A user namespace
  // can be entered by a process of one thread only.
  bool enter() const;

 private:
  int user_ = -1;
  int network_ = -1;
  int mount_ = -1;
};

}  // namespace tailgate
