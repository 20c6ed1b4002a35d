"""The text around a plot: its title, the runs' names, and notes that warn the reader."""
import re
from collections import Counter
from dataclasses import dataclass, field

from printable import drawable
from results import Run
from units import format_rate

MAX_NOTES = 10
MOST_NAMES = 4  # in one note
# The program's remark on a machine that was busy before a trial (harness/trial/collector.cpp).
NOISE = re.compile("an idle thread on the load's processor did not run for "
                   "([0-9]+[.]?[0-9]*) % of the time before the load"
                   "(?:; then and during the load others used, of one processor: (.*))?")
# The program's remark on a step that it ran again (harness/run/attempts.cpp).
AGAIN = re.compile("at .* events/s it ran [0-9]+ times, since (.*) took the load's processor;.*")
SATURATED = "saturated"
BY_MACHINE = "saturated by machine"
SATURATIONS = {
    SATURATED: "Saturated: the sink did not reach the target rate, so its response times are lower "
               "bounds.",
    BY_MACHINE: "Saturated by machine: others took so much of the load's processor that the rate "
                "was missed by their fault, not the sink's.",
}
MOST_IN_NAME = 200  # a file's name has at most 255 bytes


class Skip(Exception):
    """The results lack data for the plot; the message says which."""


@dataclass(frozen=True)
class Part:
    """The part of a run that a plot shows: one step, all its trials, and its name in the legend,
    which may end with the step's rate."""

    run: Run
    name: str
    step: dict
    at: str = ""  # the end of the name that says the rate

    @property
    def sink(self):
        """The name without the rate."""
        return self.name.removesuffix(self.at)

    @property
    def trials(self):
        """The completed trials, from which the step's summary is computed."""
        return [t for t in self.run.trials(self.step["step"]) if t["outcome"] == "completed"]

    @property
    def p99_ns(self):
        return self.step["response"]["p99_ns"]

    @property
    def has_times(self):
        """Whether there are times to show: those of calls whose events were all lost say nothing of
        the sink."""
        return self.step["response"]["count"] > 0 and self.lost_share < 1

    @property
    def lost_share(self):
        """The share of the emitted events that are known to be lost, 0 to 1."""
        return lost_share(self.run.trials(self.step["step"]))

    @property
    def marks(self):
        """What restricts the figures of this step, in one or two words each."""
        found = [self.saturation] if self.saturation else []
        return found + loss_marks(self.run.trials(self.step["step"]))

    @property
    def saturation(self):
        """Whether it missed the target rate, and by whose fault; empty if not."""
        if not self.step["saturated"]:
            return ""
        return BY_MACHINE if self.step.get("saturated_by_machine") else SATURATED

    @property
    def title(self):
        """The name with its marks."""
        return f"{self.name} ({', '.join(self.marks)})" if self.marks else self.name

    @property
    def load(self):
        trials = self.run.trials(self.step["step"])
        return trials[0]["load"] if trials else None


@dataclass
class Caption:
    """title and subtitle: lines above the plot; banner: a restriction on the use of the figures;
    notes: lines below the plot."""

    title: str
    subtitle: str
    banner: str = ""
    notes: list = field(default_factory=list)
    title_color: str = "black"

    @property
    def shown_notes(self):
        """The first notes, and how many more there are."""
        if len(self.notes) <= MAX_NOTES:
            return self.notes
        return [*self.notes[:MAX_NOTES - 1],
                f"! … and {len(self.notes) - MAX_NOTES + 1} more remarks: see 'tailgate show'."]


def names(runs, beside=None):
    """A different name for each run: the sink, its label if not all runs have it, and if that is
    not enough, what differs. beside: a text of each run that is shown beside its name, so that runs
    with different ones may have the same name."""
    beside = beside or [""] * len(runs)
    restricted = len({run.data["label"] for run in runs}) > 1
    made = [f"{run.label} [{run.data['label']}]" if restricted and run.data["label"] else run.label
            for run in runs]
    tells = (lambda run: drawable(run.path.parent.name),
             lambda run: run.data["build"]["revision"][:10],
             lambda run: drawable(run.path.stem), lambda run: run.data["id"][:8])
    for tell in tells:
        shown = list(zip(made, beside))
        count = Counter(shown)
        words = {}
        for name, run in zip(shown, runs):
            words.setdefault(name, set()).add(tell(run))
        made = [f"{name[0]} ({tell(run)})" if count[name] > 1 and len(words[name]) > 1 else name[0]
                for name, run in zip(shown, runs)]
    shown = list(zip(made, beside))
    count, seen = Counter(shown), Counter()
    for place, name in enumerate(shown):
        seen[name] += 1
        made[place] = f"{name[0]} #{seen[name]}" if count[name] > 1 else name[0]
    return made


def lost_share(trials):
    """The share of the events of these trials that are known to be lost, 0 to 1."""
    emitted = sum(trial["ledger"]["emitted"] for trial in trials)
    return min(1.0, sum(trial["ledger"]["lost"] for trial in trials) / emitted) if emitted else 0.0


def unaccounted(trials):
    """Events of these trials that disappeared without a report."""
    return sum(abs(trial["ledger"]["unaccounted"]) for trial in trials
               if trial["ledger"]["checked"])


def loss_marks(trials):
    """What these trials' ledgers say against them."""
    share = lost_share(trials)
    found = [f"lost {percent_text(share)}"] if share else []
    return found + (["INVALID"] if unaccounted(trials) else [])


def percent_text(share):
    """A share, 0 to 1, as text with two or three digits; never 0 % or 100 % by rounding."""
    percent = 100 * share
    if share >= 1 or percent == 0:
        return f"{percent:.0f} %"
    if percent < 0.001:
        return "< 0.001 %"
    if percent > 99.9:
        return "> 99.9 %"
    return f"{percent:.3g} %" if percent >= 10 else f"{percent:.2g} %"


def by_tail(parts):
    """The parts in the order of all plots: the shortest p99 first, those without times last."""
    return sorted(parts, key=lambda part: (not part.has_times, part.p99_ns))


def is_rate(rate_hz, wanted_hz):
    """Whether a step has the rate that the user gave, rounded."""
    return abs(rate_hz - wanted_hz) <= 0.001 * wanted_hz


def choose(runs, rate_hz=None):
    """One Part per run, the shortest p99 first: its only step; or of several rates the step at
    `rate_hz`, else at the highest rate that all runs sustain (if there is none, each run's own
    highest)."""
    common = None
    several = [run for run in runs if len(run.data["summary"]) > 1]
    if several:
        sustained = [{s["rate_hz"] for s in run.data["summary"] if not s["saturated"]}
                     for run in several]
        common = max(set.intersection(*sustained), default=None)
    chosen = []
    for run in runs:
        wanted = rate_hz if rate_hz is not None or run not in several else common
        steps = [s for s in run.data["summary"]
                 if wanted is None or is_rate(s["rate_hz"], wanted)]
        if steps:
            best = max(steps, key=lambda s: (not s["saturated"], s["rate_hz"], s["step"]))
            chosen.append((run, best))
    if not chosen:
        rates = sorted({s["rate_hz"] for run in runs for s in run.data["summary"]})
        raise Skip(f"no run has the rate {rate_hz:g} events/s; there are "
                   f"{', '.join(f'{rate:g}' for rate in rates)}" if rates else
                   "no trial was summarised")
    usual_hz = usual_rate(step["rate_hz"] for _, step in chosen)
    rates = ["" if step["rate_hz"] == usual_hz else f" at {rate_text(step['rate_hz'])}"
             for _, step in chosen]
    named = zip(names([run for run, _ in chosen], rates), rates, chosen)
    parts = by_tail([Part(run, name + rate, step, rate) for name, rate, (run, step) in named])
    # Sinks are compared at one rate only: those at the usual rate come first.
    return sorted(parts, key=lambda part: (bool(part.at), -part.step["rate_hz"]))


def usual_rate(rates_hz):
    """The rate of more than half of them, which no name has to say; None if there is none."""
    rates_hz = list(rates_hz)
    rate_hz, number = Counter(rates_hz).most_common(1)[0]
    return rate_hz if 2 * number > len(rates_hz) else None


def between_rates(parts):
    """The numbers of the parts before which another rate begins."""
    return [number for number, (above, below) in enumerate(zip(parts, parts[1:]), start=1)
            if above.step["rate_hz"] != below.step["rate_hz"]]


def order_note(parts):
    """How the rows of `choose` are ordered."""
    apart = "; sinks at another rate are below the line" if between_rates(parts) else ""
    return f"Ordered by p99, the shortest on top{apart}."


def loads_text(parts):
    """The load of these parts, for a title."""
    texts = {load_text(part.load) for part in parts if part.load}
    usual = {load_text(part.load) for part in parts if part.load and not part.at}
    if len(texts) > 1 and len(usual) == 1:
        return f"{usual.pop()} or as named"
    return _common(texts, "rates as named" if all(part.at for part in parts) else
                   "different loads")


def is_closed(parts):
    """Whether every call waited for the one before it."""
    return not any(part.step["rate_hz"] for part in parts)


def closed_note(parts):
    return ["Closed loop: calls follow each other, so what a slow call delays does not show."
            ] if is_closed(parts) else []


def rate_text(rate_hz):
    return f"{format_rate(rate_hz)} events/s" if rate_hz else "maximum rate (closed loop)"


def rates_text(rates_hz):
    """Several rates: 1k, 10k, 100k events/s."""
    rates_hz = list(rates_hz)
    if 0 in rates_hz:
        return listed(map(rate_text, rates_hz), MOST_NAMES)
    return listed(map(format_rate, rates_hz), 2 * MOST_NAMES) + " events/s"


def load_text(load):
    """The planned load as text, without duration and threads."""
    rate = rate_text(load["rate_hz"])
    if load["shape"] == "burst":
        return (f"bursts of {load['burst_events']} events every {load['burst_gap_s']:g} s "
                f"({rate})")
    if load["shape"] == "max" and load["burst_events"]:
        return (f"batches of {load['burst_events']} calls, then a pause of "
                f"{load['burst_gap_s']:g} s (closed loop)")
    if load["shape"] == "ramp":
        return f"ramp from {format_rate(load['rate_hz'])} to {rate_text(load['end_rate_hz'])}"
    return f"{rate}, Poisson" if load["shape"] == "poisson" else rate


def _common(texts, otherwise):
    texts = sorted(set(texts))
    return texts[0] if len(texts) == 1 else otherwise


def _extent(load):
    if load["duration_s"]:
        return f"{load['duration_s']:g} s"
    return f"{load['events']} events"


def origin(runs):
    """When, by which revision and on which machine the runs were measured."""
    days = sorted({run.data["started_utc"][:10] for run in runs})
    builds = sorted({run.data["build"]["revision"][:10]
                     + (" with changes" if run.data["build"]["dirty"] else "")
                     for run in runs})
    found = sorted({f"{m['cpu_model']}, {m['os']}" for m in (run.data["machine"] for run in runs)})
    return "; ".join((" to ".join(dict.fromkeys((days[0], days[-1]))),
                      f"revision{'s' if len(builds) > 1 else ''} " + listed(builds, 2),
                      listed(found, 2, " / ")))


def listed(texts, most, between=", "):
    """The first texts, and how many more there are."""
    texts = list(texts)
    more = [f"and {len(texts) - most} more"] if len(texts) > most else []
    return between.join([*texts[:most], *more])


def plot_name(kind, runs, options):
    """The name of a plot's file: a chosen rate is part of it, as in the names of results."""
    chosen = "" if options.rate_hz is None else f"+rate_hz-{options.rate_hz:.12g}"
    return f"{kind}-{runs[0].scenario}{chosen}"


def left_out(runs, parts):
    """Notes on runs and steps of `runs` that are not among the parts shown."""
    found = [f"! {name}: nothing at {rate_text(parts[0].step['rate_hz'])}, so it is left out"
             for run, name in zip(runs, names(runs))
             if not any(part.run is run for part in parts)]
    other = sorted({step["rate_hz"] for part in parts for step in part.run.data["summary"]
                    if step["rate_hz"] != part.step["rate_hz"]})
    if other:
        shown = sorted({part.step["rate_hz"] for part in parts})
        found.append(f"Shown: {rates_text(shown)}; left out: {rates_text(other)} "
                     "(--rate chooses another).")
    return found + missing_steps([(part.run, part.name) for part in parts])


def missing_steps(named):
    """Notes on steps of these (run, name) without a completed trial: no plot can show them."""
    found = []
    for run, name in named:
        summarised = {step["step"] for step in run.data["summary"]}
        rates = dict.fromkeys(trial["load"]["rate_hz"] for trial in run.data["trials"]
                              if trial["step"] not in summarised)
        if rates:
            found.append(f"! {name}: no trial completed at {rates_text(rates)}, so "
                         f"{'these steps are' if len(rates) > 1 else 'this step is'} left out")
    return found


def caption(what, parts, *, among=(), more=()):
    """The caption of a plot of these parts; `among`: the runs from which they were chosen; `more`:
    additional notes of the plot."""
    runs = [part.run for part in parts]
    loads = [part.load for part in parts if part.load]
    trials = sorted({part.step["trials"] for part in parts})
    number = f"{trials[0]}" if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    shape = [f"{number} trial{'' if trials == [1] else 's'} of "
             + _common(map(_extent, loads), "different length"),
             _common((f"{load['threads']} thread{'s' if load['threads'] != 1 else ''}"
                      for load in loads), "different numbers of threads"),
             _common((f"payload {load['payload']} bytes" for load in loads), "different payloads")]
    scenario = _common((run.scenario for run in runs), "several scenarios")
    saturated = [text for mark, text in SATURATIONS.items()
                 if any(mark in part.marks for part in parts)]
    return Caption(f"{what} \u2013 {scenario}, {loads_text(parts)}",
                   f"{', '.join(shape)}; {origin(runs)}",
                   banner(runs), [*more, *saturated, *(left_out(among, parts) if among else []),
                                  *notes(parts)])


def banner(runs):
    """The labels that restrict the use of these runs."""
    labels = sorted({run.data["label"] for run in runs if run.data["label"]})
    if not labels:
        return ""
    marked = sum(1 for run in runs if run.data["label"])
    return " / ".join(labels) + ("" if marked == len(runs) else f" ({marked} of {len(runs)} runs)")


def notes(parts, remarked=None, troubles=True):
    """Warnings about the parts shown, most serious first; `remarked`: the parts whose trials'
    remarks are included (default: all); `troubles`: also what became of trials and events."""
    found = []
    machines = dict.fromkeys(part.run.data["machine"]["fingerprint"] for part in parts)
    if len(machines) > 1:
        found.append("! The runs are from different machines, which may not be compared: "
                     + listed(machines, MOST_NAMES))
    found += [f"! {_at(part.name, [part], parts)}: {text}" for part in parts
              for text in (_troubles(part) if troubles else ())]
    remarked = parts if remarked is None else remarked
    return found + _about_runs(parts) + _noise(parts) + _merge_similar(parts, [
        (part, remark["what"]) for part in remarked
        for trial in part.run.trials(part.step["step"]) for remark in trial["remarks"]
        if not NOISE.fullmatch(remark["what"])])


def _about_runs(parts):
    """Which runs ended early, and the remarks on the runs; one note on several steps that ran
    again."""
    runs = {part.name: part.run for part in parts}
    short = [name for name, run in runs.items() if not run.data["complete"]]
    early = [f"! {listed(short, MOST_NAMES)}: the run ended before its last trial"] if short else []
    found = [(name, remark["what"]) for name, run in runs.items() for remark in run.data["remarks"]]
    again = [(name, match) for name, text in found if (match := AGAIN.fullmatch(text))]
    if len(again) < 2:
        return early + [f"! {name}: {text}" for name, text in found]
    others = Counter(one for _, match in again for one in re.split(", | and ", match[1]))
    by = listed((name for name, _ in others.most_common()), MOST_NAMES)
    steps = Counter(name for name, _ in again)
    return [*early, f"! Steps that ran again, since others took the load's processor ({by}): "
            + listed((f"{number} of {name}" for name, number in steps.most_common()), MOST_NAMES),
            *(f"! {name}: {text}" for name, text in found if not AGAIN.fullmatch(text))]


def _at(name, some, parts):
    """The name of a run, with the rates of these parts of it if it has more among all parts."""
    if sum(part.name == name for part in parts) < 2:
        return name
    rates = dict.fromkeys(part.step["rate_hz"] for part in some if part.name == name)
    return f"{name} at {rates_text(rates)}"


def _noise(parts):
    """One note on all trials before which the machine was busy."""
    worst, busy, trials, others = {}, 0, 0, Counter()
    for part in parts:
        for trial in part.run.trials(part.step["step"]):
            trials += 1
            seen = [match for remark in trial["remarks"]
                    if (match := NOISE.fullmatch(remark["what"]))]
            busy += bool(seen)
            worst[part.name] = max([worst.get(part.name, 0.0), *(float(each[1]) for each in seen)])
            for each in seen:
                others.update(use.rsplit(" ", 2)[0] for use in (each[2] or "").split(", ") if use)
    if not busy:
        return []
    order = sorted((name for name in worst if worst[name]), key=lambda name: -worst[name])
    which = listed((f"{name} {worst[name]:g} %" for name in order), MOST_NAMES)
    by = listed((name for name, _ in others.most_common()), MOST_NAMES)
    return [f"! Noise: before {busy} of {trials} trials an idle thread on the load's processor did "
            f"not run for up to {worst[order[0]]:g} % of the time"
            + (f" ({which})" if len(worst) > 1 else "") + (f"; others ran: {by}" if by else "")]


def _merge_similar(parts, remarks):
    """Notes from (part, text); merges texts that differ only in their numbers."""
    groups = {}
    for part, text in remarks:
        groups.setdefault(re.sub(r"[0-9.]+", "#", text), []).append((part, text))
    found = []
    for group in groups.values():
        some = [part for part, _ in group]
        named = [_at(name, some, parts) for name in dict.fromkeys(part.name for part in some)]
        found.append(f"! {listed(named, MOST_NAMES)}: {group[0][1]}"
                     + (f" (and {len(group) - 1} similar trials)" if len(group) > 2 else
                        " (and 1 similar trial)" if len(group) == 2 else ""))
    return found


def _troubles(part):
    trials = part.run.trials(part.step["step"])
    total = len(trials)
    checked = [t["ledger"]["unaccounted"] for t in trials if t["ledger"]["checked"]]
    if any(checked):
        yield (f"INVALID, {sum(checked)} events unaccounted for in "
               f"{sum(1 for events in checked if events)} of {total} trials")
    outcomes = Counter(t["outcome"] for t in trials if t["outcome"] != "completed")
    for outcome, count in sorted(outcomes.items()):
        yield f"{count} of {total} trials {outcome}: not in the figures"
    if part.step["response"]["count"] == 0:
        yield "no event was recorded"


def file_name(text):
    """`text` with characters that file systems reject replaced; ':', ',' and '=' as in results'
    names. At most MOST_IN_NAME characters of it."""
    text = text.translate(str.maketrans(":,=", "__-"))
    return re.sub(r"[^A-Za-z0-9@.+_-]", "-", text)[:MOST_IN_NAME]
