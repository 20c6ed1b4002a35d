// How long the traced rounds of a duet go on.
#pragma once

#include <chrono>

namespace tailgate {

class TracedTime {
 public:
  // Begins now.
  TracedTime(double max_s, unsigned max_rounds);

  // Whether another round is to run: as many as fit by the longest one so far, at least one, unless
  // two have failed or the user interrupts.
  bool goes_on() const;

  // Returns the round's number, from 0.
  unsigned begin_round();
  void end_round();
  void note_failure() { ++failed_; }

  double passed_s() const;

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const double max_s_;
  const unsigned max_rounds_;
  unsigned rounds_ = 0;
  unsigned failed_ = 0;
  double round_began_s_ = 0;
  double longest_s_ = 0;
};

}  // namespace tailgate
