// For tests that play a session's provider and consumer in their own process.
#pragma once

namespace tailgate {

// This thread, and the threads that it starts, are in the mount namespace of
// Session::namespace_pid() for as long as this lives; pid 0: nothing changes. Throws Error: a
// namespace that hides in a user namespace can be entered, but not left again.
class EnteredNamespace {
 public:
  explicit EnteredNamespace(int pid);
  ~EnteredNamespace();
  EnteredNamespace(const EnteredNamespace&) = delete;
  EnteredNamespace& operator=(const EnteredNamespace&) = delete;

 private:
  int own_ = -1;
};

}  // namespace tailgate
