#!/usr/bin/env python3
"""Compares what tailgate decodes from a trace with what PerfView's tests expect of TraceEvent.

  baseline_check.py TAILGATE TRACE [--manifest FILE.man] [--show N]

TRACE.etl and TRACE.baseline.txt are looked for in the folder that TAILGATE_ETL_SAMPLES names, else
in shared/etl beside the checkout; without them the check is skipped with exit code 77.

A baseline holds COUNT lines (events by name) and EVENT lines (time, ids, length, fields).
TraceEvent drops some events before it counts and prints some fields that no payload holds; both
rules are in baseline_rules.py. Fields that it computes from the event are computed and compared.
Exits 1 when a COUNT line differs, when an EVENT line has no event of its name, time, processor and
length, or when a field differs that no rule explains.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import baseline_rules as rules  # noqa: E402

SKIPPED = 77

EVENT = re.compile(r"EVENT ([-\d,.]+): (.+?) PID=(-?\d+); TID=(-?\d+); PName=(.*?); "
                   r"ProceNum=(\d+); DataLen=(\d+); ?(.*)$")
FIELD = re.compile(r"(?:^|; )([A-Za-z_]\w*)=")


def read_baseline(path):
    """The COUNT lines as {name: count}, the EVENT lines as matches of EVENT."""
    counts, events = {}, []
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        if line.startswith("COUNT "):
            name, _, count = line[6:].rpartition(":")
            counts[name] = int(count)
        elif line.startswith("EVENT "):
            events.append(EVENT.match(line))
    return counts, events


def split_fields(text):
    """'a=1; b=x; y; ' as {'a': '1', 'b': 'x; y'}: values may hold the separator."""
    found = list(FIELD.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return {match[1]: text[match.end():end].rstrip("; ") for match, end in zip(found, ends)}


def clock_hz(arguments):
    command = [arguments.command, "etl", "info", "--json", str(arguments.trace)]
    info = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return info["sessions"][0]["clock_hz"]


def dump(arguments):
    command = [arguments.command, "etl", "dump", "--json", str(arguments.trace)]
    for manifest in arguments.manifest:
        command += ["--manifest", manifest]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with exit code {process.returncode}")


def collect(arguments):
    """Counts of kept events by TraceEvent's name, and the events by name and processor."""
    counts = collections.Counter()
    by_place = collections.defaultdict(list)
    for event in dump(arguments):
        if rules.dropped(event):
            continue
        name = rules.traceevent_name(event)
        if rules.filtered(name):
            continue
        counts[name] += 1
        by_place[name, event["cpu"]].append(event)
    return counts, by_place


def check_counts(expected, counts):
    names = sorted(set(expected) | set(counts))
    wrong = [name for name in names if expected.get(name, 0) != counts.get(name, 0)]
    for name in wrong:
        print(f"COUNT {name}: expected {expected.get(name, 0)}, decoded {counts.get(name, 0)}")
    print(f"COUNT lines: {len(names) - len(wrong)} of {len(names)} equal "
          f"({sum(expected.values())} events)")
    return not wrong


class EventChecker:
    def __init__(self, by_place, clock, show):
        self.by_place = by_place
        self.clock_hz = clock
        self.show = show
        self.tally = collections.Counter()
        self.reasons = collections.Counter()
        self.unexplained = collections.Counter()

    def find(self, line):
        """The event at the line's time (to 1 us), length and processor; every event serves once."""
        events = self.by_place[line[2], int(line[6])]
        time_ms = float(line[1].replace(",", ""))
        for index, event in enumerate(events):
            same = abs(event["time_ms"] - time_ms) < 0.00101
            if same and event["length_bytes"] == int(line[7]):
                return events.pop(index)
        return None

    def check(self, line):
        event = self.find(line)
        self.tally["lines"] += 1
        if event is None:
            print(f"EVENT without match: {line[0][:120]}")
            return
        self.tally["equal"] += 1
        self.check_ids(line, event)
        self.check_process_name(line, event)
        for name, expected in split_fields(line[8]).items():
            self.tally["fields"] += 1
            self.check_field(line[2], event, name, expected)

    def check_process_name(self, line, event):
        """TraceEvent shows names without .exe. Another process's name says nothing."""
        if event["pid"] != int(line[3]):
            return
        self.tally["names"] += 1
        name = re.sub(r"\.exe$", "", event.get("process", ""), flags=re.I)
        name = name or f"Process({line[3]})"
        if name == line[5]:
            self.tally["names equal"] += 1
        else:
            self.unexplained[f"{line[2]} process: expected {line[5]!r}, decoded {name!r}"] += 1

    def check_ids(self, line, event):
        for position, key in ((3, "pid"), (4, "tid")):
            self.tally["ids"] += 1
            expected = int(line[position])
            actual = -1 if event[key] is None else event[key]
            if expected == actual:
                self.tally["ids equal"] += 1
                continue
            reason = rules.explain_id(line[2], key, expected, event)
            self.note(reason, f"{line[2]} {key}: expected {expected}, decoded {actual}")

    def check_field(self, event_name, event, name, expected):
        found, value = rules.find_value(event_name, event, name)
        if found and rules.same_value(expected, value):
            self.tally["fields equal"] += 1
            return
        computed = rules.derived(event_name, event, name, self.clock_hz)
        if computed is not None and rules.same_value(expected, computed):
            self.tally["fields computed"] += 1
            return
        reason = rules.explain_field(event_name, event, name, expected, value if found else None)
        self.note(reason, f"{event_name} {name}: expected {expected!r}, decoded "
                          f"{value if found else 'nothing'!r}")

    def note(self, reason, text):
        if reason:
            self.reasons[reason] += 1
        else:
            self.unexplained[text] += 1

    def report(self):
        tally = self.tally
        print(f"EVENT lines: {tally['equal']} of {tally['lines']} equal "
              "in name, time to 1 us, processor and length")
        print(f"ids: {tally['ids equal']} of {tally['ids']} equal; "
              f"process names: {tally['names equal']} of {tally['names']} equal; "
              f"fields: {tally['fields equal']} of {tally['fields']} equal, "
              f"{tally['fields computed']} more computed equal")
        for reason, count in self.reasons.most_common():
            print(f"  {count:5} differ: {reason}")
        for text, count in self.unexplained.most_common(self.show):
            print(f"  unexplained ({count}): {text}")
        if self.unexplained:
            print(f"  {sum(self.unexplained.values())} unexplained")
        return tally["equal"] == tally["lines"] and not self.unexplained


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("trace")
    parser.add_argument("--manifest", action="append", default=[])
    parser.add_argument("--show", type=int, default=20, help="unexplained differences to print")
    arguments = parser.parse_args()
    beside = Path(__file__).resolve().parents[4] / "shared/etl"
    samples = Path(os.environ.get("TAILGATE_ETL_SAMPLES", beside))
    baseline = samples / f"{arguments.trace}.baseline.txt"
    if not baseline.is_file():
        print(f"skipped: no {baseline.name}; name the samples' folder in TAILGATE_ETL_SAMPLES")
        return SKIPPED
    arguments.trace = samples / f"{arguments.trace}.etl"
    expected, lines = read_baseline(baseline)
    counts, by_place = collect(arguments)
    counts_agree = check_counts(expected, counts)
    checker = EventChecker(by_place, clock_hz(arguments), arguments.show)
    for line in lines:
        checker.check(line)
    events_agree = checker.report()
    return 0 if counts_agree and events_agree else 1


if __name__ == "__main__":
    sys.exit(main())
