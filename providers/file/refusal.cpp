#include "providers/file/refusal.h"

#include <cerrno>

namespace tailgate::file {

std::vector<std::string> refusal_causes() {
  return {"closed", "file full", "ENOSPC", "EDQUOT", "EFBIG", "EIO", "other error"};
}

EmitStatus refusal_of(int error_number) {
  switch (error_number) {
    case 0:
      return kAccepted;
    case ENOSPC:
      return kNoSpace;
#ifdef EDQUOT
    case EDQUOT:
      return kQuota;
#endif
    case EFBIG:
      return kTooBig;
    case EIO:
      return kInputOutput;
    default:
      return kOther;
  }
}

std::vector<Loss> LossCounts::losses() const {
  const std::vector<std::string> names = refusal_causes();
  std::vector<Loss> losses;
  for (std::size_t cause = 1; cause < counts_.size(); ++cause) {
    const std::uint64_t events = counts_[cause].load(std::memory_order_relaxed);
    if (events > 0) losses.push_back({names[cause - 1], events});
  }
  return losses;
}

}  // namespace tailgate::file
