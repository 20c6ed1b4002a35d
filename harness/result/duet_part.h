// A part of a duet's rounds, which one call of the program ran: those after the part before.
#pragma once

#include <string>

namespace tailgate {

struct DuetPart {
  std::string started_utc;
  unsigned rounds = 0;
  bool stopped = false;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("started_utc", &DuetPart::started_utc, "ISO 8601");
    v("rounds", &DuetPart::rounds, "number of the duet's rounds at the end of this part");
    v("stopped", &DuetPart::stopped,
      "whether it ended by itself, when it was decided, when its time was up or after the planned "
      "rounds: then its end counts as an interim analysis, if it lies between two. false if the "
      "user interrupted");
  }
};

}  // namespace tailgate
