#!/usr/bin/env python3
"""Compares the durations of garbage collections with what PerfView's tests expect of TraceEvent.

  spans_check.py TAILGATE --manifest FILE.man

gcevents.etl and its baseline are looked for in the folder that TAILGATE_ETL_SAMPLES names, else in
shared/etl beside the checkout; without them the check is skipped with exit code 77. The baseline
has times to a microsecond, so a duration may differ by one. HdrHistogram's own log processor reads
the interval log where it is installed (Debian: default-jre-headless, libhdrhistogram-java).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import baseline_check  # noqa: E402

JAR = Path("/usr/share/java/hdrhistogram.jar")
# A pair of TraceEvent's names: what tailgate calls the span with the manifest.
PAIRS = {
    ("GC/Start", "GC/Stop"): "GC",
    ("GC/SuspendEEStart", "GC/SuspendEEStop"): "GCSuspendEE",
    ("GC/RestartEEStart", "GC/RestartEEStop"): "GCRestartEE",
    ("GC/FinalizersStart", "GC/FinalizersStop"): "GCFinalizers",
}
TOLERANCE_MS = 0.0011


def expected(baseline):
    """{span: durations in ms}; in this trace no two spans of a name overlap."""
    _, events = baseline_check.read_baseline(baseline)
    durations = {name: [] for name in PAIRS.values()}
    for (start, stop), name in PAIRS.items():
        begun = None
        for event in events:
            event_name = event[2].partition("/")[2]
            if event_name == start:
                begun = float(event[1].replace(",", ""))
            elif event_name == stop:
                durations[name].append(float(event[1].replace(",", "")) - begun)
    return durations


def spans(arguments, trace, form):
    command = [arguments.command, "etl", "spans", "--format", form, str(trace)]
    for manifest in arguments.manifest:
        command += ["--manifest", manifest]
    if form == "hlog":
        command += ["--event", "GCStart", "--event", "GCEnd"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def found(arguments, trace):
    durations = {}
    for line in spans(arguments, trace, "tsv").splitlines()[1:]:
        _, duration_ms, _, _, _, name, *_ = line.split("\t")
        durations.setdefault(name, []).append(float(duration_ms))
    return durations


def check_log(log, durations):
    """Whether HdrHistogram finds the durations in the log."""
    if not (shutil.which("java") and JAR.exists()):
        print("not checked by HistogramLogProcessor, which is not installed")
        return True
    shown = subprocess.run(["java", "-cp", str(JAR), "org.HdrHistogram.HistogramLogProcessor"],
                           input=log, check=True, capture_output=True, text=True).stdout
    highest, count = re.search(r"#\[Max += +([0-9.]+), Total count += +([0-9]+)\]", shown).groups()
    print(f"HistogramLogProcessor: {count} garbage collections, the longest {highest} ms")
    return int(count) == len(durations) and abs(float(highest) - max(durations)) < 0.002


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--manifest", action="append", default=[])
    arguments = parser.parse_args()
    beside = Path(__file__).resolve().parents[4] / "shared/etl"
    samples = Path(os.environ.get("TAILGATE_ETL_SAMPLES", beside))
    trace, baseline = samples / "gcevents.etl", samples / "gcevents.baseline.txt"
    if not (trace.exists() and baseline.exists()):
        print("skipped: no gcevents.etl; name the samples' folder in TAILGATE_ETL_SAMPLES")
        return baseline_check.SKIPPED
    wanted, seen = expected(baseline), found(arguments, trace)
    good = set(seen) == set(wanted)
    for name, durations in wanted.items():
        print(f"{name}: baseline {[round(ms, 3) for ms in durations]} ms, tailgate {seen[name]}")
        good = good and len(seen[name]) == len(durations) and all(
            abs(one - other) <= TOLERANCE_MS for one, other in zip(seen[name], durations))
    good = check_log(spans(arguments, trace, "hlog"), seen["GC"]) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
