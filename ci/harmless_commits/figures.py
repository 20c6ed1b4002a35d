"""What a duet of a harmless commit says: over its layouts, and what one layout alone would say."""

import math
import statistics

METRICS = {"response_ns_p50": lambda side: side["response"]["p50_ns"],
           "service_ns_mean": lambda side: side["trimmed_mean_ns"]}


def effects_by_pair(duet, metric):
    """The logarithms of B / A of each pair of layouts; without layouts all rounds are of one."""
    value = METRICS[metric]
    pairs = {}
    for each in duet["rounds"]:
        if each["a"]["outcome"] != "completed" or each["b"]["outcome"] != "completed":
            continue
        a, b = value(each["a"]), value(each["b"])
        if a > 0 and b > 0:
            pairs.setdefault(each.get("layout_pair"), []).append(math.log(b / a))
    return pairs


class Spread:
    """How the effects of pairs of layouts scatter, as standard deviations of logarithms.

    `pairs` is of the pairs' means as they are; `layouts` is without what the rounds add to it
    (analysis of variance), which takes two rounds of some pair."""

    def __init__(self, pairs):
        means = [statistics.fmean(effects) for effects in pairs.values()]
        self.pairs = statistics.stdev(means) if len(means) > 1 else None
        self.largest = max(map(abs, means), default=None)
        self.layouts = None
        repeated = [effects for effects in pairs.values() if len(effects) > 1]
        if self.pairs is None or not repeated:
            return
        within = (sum(sum((one - statistics.fmean(effects)) ** 2 for one in effects)
                      for effects in repeated)
                  / sum(len(effects) - 1 for effects in repeated))
        of_rounds = statistics.fmean(within / len(effects) for effects in pairs.values())
        self.layouts = math.sqrt(max(0.0, self.pairs ** 2 - of_rounds))


def beyond(pairs, margin):
    """In how many pairs the effect is beyond the margin: what duets of one layout would find."""
    return sum(statistics.fmean(effects) > math.log1p(margin) for effects in pairs.values())
