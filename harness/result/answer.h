// What a scenario's question was answered with: one sentence, and the figures behind it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tailgate {

// A figure with the interval that its trials give it.
struct AnswerFigure {
  std::string name;
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
  unsigned trials = 0;
  std::string about;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &AnswerFigure::name, "what it is, the unit last");
    v("value", &AnswerFigure::value, "the estimate");
    v("low", &AnswerFigure::low, "lower end of its interval; absent: open");
    v("high", &AnswerFigure::high, "upper end of its interval; absent: open");
    v("trials", &AnswerFigure::trials, "trials that it was computed from");
    v("about", &AnswerFigure::about, "what value and interval are");
  }
};

struct Answer {
  std::string question;
  std::string sentence;
  std::optional<bool> holds;
  std::vector<AnswerFigure> figures;
  std::vector<std::string> cannot;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("question", &Answer::question, "the scenario that judged the trials");
    v("sentence", &Answer::sentence, "the answer, for people");
    v("holds", &Answer::holds,
      "whether what the scenario demands holds; absent where it only measures, and where it cannot "
      "be told");
    v("figures", &Answer::figures, "the figures of the sentence; scenarios/README.md lists them");
    v("cannot", &Answer::cannot, "what the sink cannot do, or could not be done to it");
  }
};

}  // namespace tailgate
