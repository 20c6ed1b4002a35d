// Enters the namespaces of another process (Linux).
#pragma once

namespace tailgate {

// Holds the user, network and mount namespaces of a process open, so that a child can enter them
// between fork and exec. Skips namespaces that this process is in already.
class OtherNamespaces {
 public:
  // pid 0: stays in this process's namespaces. Throws Error if the process does not exist.
  explicit OtherNamespaces(int pid);
  ~OtherNamespaces();
  OtherNamespaces(const OtherNamespaces&) = delete;
  OtherNamespaces& operator=(const OtherNamespaces&) = delete;

  // Moves the calling thread into the namespaces, using system calls only. If it returns false,
  // errno says why. Only a process with a single thread can enter a user namespace.
  bool enter() const;

 private:
  int user_ = -1;
  int network_ = -1;
  int mount_ = -1;
};

}  // namespace tailgate
