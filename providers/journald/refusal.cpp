#include <cerrno>

#include "providers/journald/provider.h"

namespace tailgate::journald {

std::vector<std::string> refusal_causes() {
  return {"closed", "EAGAIN", "ECONNREFUSED", "ENOENT", "EMSGSIZE", "ENOBUFS", "other error"};
}

EmitStatus refusal_of(int error_number) {
  switch (error_number) {
    case 0:
      return kAccepted;
    case EAGAIN:
      return kWouldBlock;
    case ECONNREFUSED:
      return kRefused;
    case ENOENT:
      return kNoSocket;
    case EMSGSIZE:
      return kTooBig;
    case ENOBUFS:
      return kNoBuffers;
    default:
      return kOther;
  }
}

}  // namespace tailgate::journald
