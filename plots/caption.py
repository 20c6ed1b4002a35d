"""The text around a plot: its title, the runs' names, and notes that warn the reader."""
import re
from collections import Counter
from dataclasses import dataclass, field

from printable import drawable
from results import Run
from units import format_rate

MAX_NOTES = 10
MOST_IN_NAME = 200  # a file's name has at most 255 bytes


class Skip(Exception):
    """The results lack data for the plot; the message says which."""


@dataclass(frozen=True)
class Part:
    """The part of a run that a plot shows: one step, all its trials, and its name in the legend."""

    run: Run
    name: str
    step: dict

    @property
    def trials(self):
        """The completed trials, from which the step's summary is computed."""
        return [t for t in self.run.trials(self.step["step"]) if t["outcome"] == "completed"]

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

    @property
    def shown_notes(self):
        """The first notes, and how many more there are."""
        if len(self.notes) <= MAX_NOTES:
            return self.notes
        return [*self.notes[:MAX_NOTES - 1],
                f"! … and {len(self.notes) - MAX_NOTES + 1} more remarks: see 'tailgate show'."]


def names(runs):
    """A different name for each run: the sink, its label if not all runs have it, and if that is
    not enough, what differs."""
    restricted = len({run.data["label"] for run in runs}) > 1
    made = [f"{run.label} [{run.data['label']}]" if restricted and run.data["label"] else run.label
            for run in runs]
    tells = (lambda run: drawable(run.path.parent.name),
             lambda run: run.data["build"]["revision"][:10],
             lambda run: drawable(run.path.stem), lambda run: run.data["id"][:8])
    for tell in tells:
        count = Counter(made)
        words = {}
        for name, run in zip(made, runs):
            words.setdefault(name, set()).add(tell(run))
        made = [f"{name} ({tell(run)})" if count[name] > 1 and len(words[name]) > 1 else name
                for name, run in zip(made, runs)]
    count, seen = Counter(made), Counter()
    for place, name in enumerate(made):
        seen[name] += 1
        made[place] = f"{name} #{seen[name]}" if count[name] > 1 else name
    return made


def choose(runs, rate_hz=None):
    """One Part per run: its only step; or of several rates the step at `rate_hz`, else at the
    highest rate that all runs sustain (if there is none, each run's own highest)."""
    common = None
    several = [run for run in runs if len(run.data["summary"]) > 1]
    if several:
        sustained = [{s["rate_hz"] for s in run.data["summary"] if not s["saturated"]}
                     for run in several]
        common = max(set.intersection(*sustained), default=None)
    parts = []
    for run, name in zip(runs, names(runs)):
        wanted = rate_hz if rate_hz is not None or run not in several else common
        steps = [s for s in run.data["summary"]
                 if wanted is None or abs(s["rate_hz"] - wanted) <= 0.001 * wanted]
        if steps:
            best = max(steps, key=lambda s: (not s["saturated"], s["rate_hz"], s["step"]))
            parts.append(Part(run, name, best))
    if not parts:
        rates = sorted({s["rate_hz"] for run in runs for s in run.data["summary"]})
        raise Skip(f"no run has the rate {rate_hz:g} events/s; there are "
                   f"{', '.join(f'{rate:g}' for rate in rates)}" if rates else
                   "no trial was summarised")
    rates = {part.step["rate_hz"] for part in parts}
    if len(rates) == 1:
        return parts
    return [Part(p.run, f"{p.name} at {rate_text(p.step['rate_hz'])}", p.step) for p in parts]


def rate_text(rate_hz):
    return f"{format_rate(rate_hz)} events/s" if rate_hz else "maximum rate (closed loop)"


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


def machines(runs):
    """Fingerprint and model of the machine, or of each where there are several."""
    found = sorted({(m["fingerprint"], m["cpu_model"], m["os"])
                    for m in (run.data["machine"] for run in runs)})
    if len(found) > 2:
        return "machines " + ", ".join(fingerprint for fingerprint, _, _ in found)
    return "; ".join(f"machine {fingerprint} ({model}, {system})"
                     for fingerprint, model, system in found)


def caption(what, parts, *, more=()):
    """The caption of a plot of these parts; `more`: additional notes of the plot."""
    runs = [part.run for part in parts]
    loads = [part.load for part in parts if part.load]
    where = _common((load_text(load) for load in loads), "different loads")
    trials = sorted({part.step["trials"] for part in parts})
    number = f"{trials[0]}" if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    shape = [f"{number} trial{'' if trials == [1] else 's'} of "
             + _common(map(_extent, loads), "different length"),
             _common((f"{load['threads']} thread{'s' if load['threads'] != 1 else ''}"
                      for load in loads), "different numbers of threads"),
             _common((f"payload {load['payload']} bytes" for load in loads), "different payloads")]
    scenario = _common((run.scenario for run in runs), "several scenarios")
    return Caption(f"{what} \u2013 {scenario}, {where}", f"{', '.join(shape)}; {machines(runs)}",
                   banner(runs), [*more, *notes(parts)])


def banner(runs):
    """The labels that restrict the use of these runs."""
    labels = sorted({run.data["label"] for run in runs if run.data["label"]})
    if not labels:
        return ""
    marked = sum(1 for run in runs if run.data["label"])
    return " / ".join(labels) + ("" if marked == len(runs) else f" ({marked} of {len(runs)} runs)")


def notes(parts, remarked=None):
    """Warnings about the parts shown, most serious first; `remarked`: the parts whose trials'
    remarks are included (default: all)."""
    found = []
    if len({part.run.data["machine"]["fingerprint"] for part in parts}) > 1:
        found.append("! The runs are from different machines: not comparable.")
    several = [part.run for part in parts]
    titled = [(part.name + (f" at {rate_text(part.step['rate_hz'])}"
                            if several.count(part.run) > 1 else ""), part) for part in parts]
    found += [f"! {title}: {text}" for title, part in titled for text in _troubles(part)]
    for name, run in {part.name: part.run for part in parts}.items():
        if not run.data["complete"]:
            found.append(f"! {name}: the run ended before its last trial")
        found += [f"! {name}: {remark['what']}" for remark in run.data["remarks"]]
    remarked = parts if remarked is None else remarked
    return found + _merge_similar([(title, remark["what"])
                                   for title, part in titled if part in remarked
                                   for trial in part.run.trials(part.step["step"])
                                   for remark in trial["remarks"]])


def _merge_similar(remarks):
    """Notes from (name, text); merges texts that differ only in their numbers."""
    groups = {}
    for name, text in remarks:
        groups.setdefault((name, re.sub(r"[0-9.]+", "#", text)), []).append(text)
    return [f"! {name}: {texts[0]}"
            + (f" (and {len(texts) - 1} similar trials)" if len(texts) > 2 else
               " (and 1 similar trial)" if len(texts) == 2 else "")
            for (name, _), texts in groups.items()]


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
