#!/usr/bin/env python3
"""Fuzz target of the Python readers: results, verdicts and histograms with changes.

    plots/readers_fuzz.py --seconds 10 --artifacts DIR [--seed N] [FILE ...]

Each input ends in a value or in the reader's own error, within 10 seconds and 2 GiB; what does not
is written to DIR, named, and makes the exit status 1. FILE: inputs to run once, instead of changes.
"""
import argparse
import json
import pathlib
import random
import resource
import signal
import sys
import tempfile
import time

import hdr
import results
import shift
import testing
from printable import UNSAFE, say, tell
from shift_test import verdict

MOST_SECONDS = 10
MOST_BYTES = 2 << 30
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "results/fixtures"
ODD = [None, True, -1, 0, 1e300, -0.0, 2**63, 2**70, "", "\x1b[2J\u202e", "A" * 5000, [], {}, [[]],
       float("nan"), 1e-320, "HISTFAAA", "\ud800"]


class TooLong(Exception):
    """An input took longer than any may."""


def places(value, found):
    """Every container in the JSON value, with each of its keys."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, entry in entries:
        found.append((value, key))
        if isinstance(entry, (dict, list)):
            places(entry, found)
    return found


def changed_json(text, rng):
    """The text with values replaced, removed or swapped; now and then with changed bytes."""
    if rng.random() < 0.2:
        return changed_bytes(text.encode(), rng)
    data = json.loads(text)
    for _ in range(rng.randint(1, 4)):
        container, key = rng.choice(places(data, []))
        choice = rng.random()
        if choice < 0.2 and isinstance(container, dict):
            container.pop(key, None)
        elif choice < 0.4 and isinstance(container, list):
            container.insert(key, json.loads(json.dumps(container[min(key, len(container) - 1)]))
                             if container else None)
        elif choice < 0.6:
            other, name = rng.choice(places(data, []))
            container[key] = json.loads(json.dumps(other[name]))
        else:
            container[key] = rng.choice(ODD)
    return json.dumps(data).encode()


def changed_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        choice = rng.random()
        if choice < 0.4 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif choice < 0.7:
            del data[at:at + rng.randint(0, 32)]
        else:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(0, 8)))
    return bytes(data)


def changed_histogram(rng):
    """A histogram whose content is changed before it is compressed, or after."""
    import base64
    import struct
    import zlib
    packed = base64.b64decode(testing.encode({rng.randrange(1, 10**9): 1 for _ in range(20)}))
    if rng.random() < 0.5:
        content = changed_bytes(zlib.decompress(packed[8:]), rng)
        body = zlib.compress(content)
        packed = struct.pack(">ii", hdr.COMPRESSED_COOKIE, len(body)) + body
    else:
        packed = changed_bytes(packed, rng)
    return base64.b64encode(packed)


def read(kind, data, folder):
    """Reads the input as its kind; any exception but the reader's own is a finding."""
    path = folder / "input.json"
    path.write_bytes(data)
    try:
        if kind == "histogram":
            histogram = hdr.decode(data.decode("latin-1"))
            assert histogram.total >= 0
            return
        for run in [results.load(path)] if kind == "result" else shift.load(path):
            assert not UNSAFE.search(run.label if kind == "result" else run.data["sink"])
    except (results.ResultError, *((ValueError,) if kind == "histogram" else ())):
        pass


def inputs(rng):
    sources = {"result": [path.read_text() for path in sorted(FIXTURES.glob("v*.json"))],
               "verdict": [json.dumps(verdict())]}
    while True:
        kind = rng.choice(("result", "verdict", "histogram"))
        yield kind, (changed_histogram(rng) if kind == "histogram" else
                     changed_json(rng.choice(sources[kind]), rng))


def given(paths):
    """Files named KIND-…"""
    for path in paths:
        yield path.name.split("-")[0], path.read_bytes()


def on_alarm(*_):
    raise TooLong(f"it took more than {MOST_SECONDS} s")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=5.0, help="processor time (default: 5)")
    parser.add_argument("--runs", type=int, default=None, help="stop after so many inputs")
    parser.add_argument("--artifacts", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args(arguments)
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    signal.signal(signal.SIGALRM, on_alarm)
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, data in given(options.files) if options.files else inputs(random.Random(seed)):
            signal.alarm(MOST_SECONDS)
            try:
                read(kind, data, pathlib.Path(folder))
            except BaseException as problem:  # also MemoryError, RecursionError, TooLong
                path = options.artifacts / f"{kind}-{seed}-{tried}"
                path.write_bytes(data)
                tell(f"finding: {type(problem).__name__}: {str(problem)[:200]}; input: {path}")
                return 1
            finally:
                signal.alarm(0)
            tried += 1
            if tried == options.runs or time.process_time() > options.seconds:
                break
    say(f"{tried} inputs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
