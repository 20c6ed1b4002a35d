#!/usr/bin/env python3
"""Checks that the schemas account for every byte of the payloads of real traces.

  misfit_check.py TAILGATE [--manifest FILE.man]

Reads every .etl file of the folder that TAILGATE_ETL_SAMPLES names, else of shared/etl beside the
checkout; without such files the check is skipped with exit code 77. Exits 1 when an event misfits
its schema (bytes left over, fields missing, cut within a field) or is decoded by a layout of
another version, and EXCEPTIONS does not list it; and when EXCEPTIONS lists one that does not occur
although its file is there.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

SKIPPED = 77

OLD_EVENT_SOURCE = "an EventSource of .NET 4.5 writes the enumeration in 8 bytes, not in 4"
# (file, provider, event, version): why it may misfit.
EXCEPTIONS = {
    ("gcevents.etl", "Microsoft-Windows-DotNETRuntime", "GCLOHCompact", 0):
        "the runtime writes a structure with padding, which no manifest can describe",
    ("net.4.5.2.x64.etl", "PerfView", "ClrEnableParameters", 0): OLD_EVENT_SOURCE,
    ("net.4.5.2.x86.etl", "PerfView", "ClrEnableParameters", 0): OLD_EVENT_SOURCE,
}


def stats(command, trace, manifests):
    arguments = [command, "etl", "stats", "--json", str(trace)]
    for manifest in manifests:
        arguments += ["--manifest", manifest]
    return json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)


def misfits_of(report):
    """The rows of the report whose events do not fit, or whose layout is another version's."""
    return [row for row in report["events"] if row["misfits"] or "layout_version" in row]


def check(trace, report, seen):
    """Prints what misfits without being listed; returns the number of such rows."""
    unlisted = 0
    for row in misfits_of(report):
        key = (trace.name, row["provider"], row["event"], row["version"])
        seen.add(key)
        if key not in EXCEPTIONS:
            unlisted += 1
            print(f"  {row['provider']}/{row['event']} version {row['version']}: "
                  f"{row['misfits']} of {row['events']} events misfit, "
                  f"{row['left_over_bytes']} bytes left over, {row['missing_fields']} fields "
                  f"missing, layout of version {row.get('layout_version', row['version'])}")
    return unlisted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--manifest", action="append", default=[])
    arguments = parser.parse_args()
    beside = Path(__file__).resolve().parents[4] / "shared/etl"
    samples = Path(os.environ.get("TAILGATE_ETL_SAMPLES", beside))
    traces = sorted(samples.glob("*.etl"))
    if not traces:
        print("skipped: no .etl files; name the samples' folder in TAILGATE_ETL_SAMPLES")
        return SKIPPED
    unlisted, seen = 0, set()
    for trace in traces:
        report = stats(arguments.command, trace, arguments.manifest)
        total = report["sum"]
        print(f"{trace.name}: {total['payload_bytes']} bytes = {total['used_bytes']} used + "
              f"{total['padding_bytes']} padding + {total['left_over_bytes']} left over + "
              f"{total['undecoded_bytes']} without a schema; {total['misfits']} misfits")
        unlisted += check(trace, report, seen)
    names = {trace.name for trace in traces}
    stale = [key for key in EXCEPTIONS if key[0] in names and key not in seen]
    for key in stale:
        print(f"listed, but it fits: {key}")
    return 1 if unlisted or stale else 0


if __name__ == "__main__":
    sys.exit(main())
