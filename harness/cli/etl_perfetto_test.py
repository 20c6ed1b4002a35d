"""What `tailgate etl to-perfetto` writes is valid by the Trace Event Format's description.

The schema was written from that document (Google, "Trace Event Format"): which phases there are,
and what the events of each must have. TAILGATE_BUILD names the build folder.
"""

import gzip
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
TRACES = sorted((Path(__file__).resolve().parents[1] / "etl/corpus/reader").iterdir())
STACKS = {"0x1820", *(f"0x{hook:04x}" for hook in range(0x1822, 0x1827))}
ID = {"type": "integer", "minimum": 0, "maximum": 2**32 - 1}


def phase(letter, required, **more):
    properties = {"ph": {"const": letter}, "pid": ID, "tid": ID, "name": {"type": "string"},
                  "cat": {"type": "string"}, "ts": {"type": "number"}, "args": {"type": "object"}}
    return {"type": "object", "required": ["ph", "pid", "name", *required],
            "properties": properties | more, "additionalProperties": False}


NAME = {"name": {"enum": ["process_name", "thread_name"]},
        "args": {"type": "object", "required": ["name"],
                 "properties": {"name": {"type": "string"}}, "additionalProperties": False}}
SORT = {"name": {"const": "thread_sort_index"},
        "args": {"type": "object", "required": ["sort_index"],
                 "properties": {"sort_index": {"type": "integer"}}, "additionalProperties": False}}
VALUES = {"args": {"type": "object", "minProperties": 1,
                   "additionalProperties": {"type": "number"}}}
ASYNC = {"id": {"type": "string", "pattern": "^0x[0-9a-f]+$"}}
EVENTS = {
    "X": [phase("X", ["tid", "ts", "dur"], dur={"type": "number", "minimum": 0})],
    "i": [phase("i", ["ts", "s"], s={"enum": ["g", "p", "t"]})],
    "b": [phase("b", ["ts", "cat", "id"], **ASYNC)],
    "e": [phase("e", ["ts", "cat", "id"], **ASYNC)],
    "C": [phase("C", ["ts", "args"], **VALUES)],
    "M": [phase("M", ["args"], **NAME), phase("M", ["tid", "args"], **SORT)],
}
SCHEMA = {
    "type": "object",
    "required": ["traceEvents"],
    "properties": {
        "displayTimeUnit": {"enum": ["ms", "ns"]},
        "otherData": {"type": "object"},
        "traceEvents": {"type": "array",
                        "items": {"anyOf": [one for some in EVENTS.values() for one in some]}},
    },
    "additionalProperties": False,
}


def etl(*arguments, code=0):
    done = subprocess.run([PROGRAM, "etl", *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.name)
def test_every_event_is_in_a_valid_document(trace, tmp_path):
    out = tmp_path / "trace.json"
    summary = etl("to-perfetto", trace, "--out", out)
    document = json.loads(out.read_text(encoding="utf-8"))
    jsonschema.validate(document, SCHEMA)
    events = [json.loads(line) for line in etl("dump", "--json", trace).splitlines()]
    switches = sum(event.get("hook") == "0x0524" for event in events)
    stacks = sum(event.get("hook") in STACKS for event in events)
    instants = [event for event in document["traceEvents"] if event["ph"] == "i"]
    interrupts = [event for event in document["traceEvents"] if event.get("cat") == "interrupt"]
    assert len(instants) + len(interrupts) == len(events) - switches - stacks > 0
    assert summary.startswith(
        f"{sum(event['cat'] != 'sample' for event in instants)} events, ")
    by_time = {}
    for event in instants:
        by_time.setdefault((event["name"], event["ts"]), []).append(event)
    for event in events:
        found = by_time.get((event["event"], round(event["time_ms"] * 1000, 3)), [])
        if found and "hook" not in event:
            assert any(event["fields"].items() <= one["args"].items() for one in found)


def test_the_schema_refuses_what_the_format_does_not_have():
    good = {"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 1, "dur": 1}
    jsonschema.validate({"traceEvents": [good]}, SCHEMA)
    for bad in ({"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 1},
                good | {"dur": -1}, good | {"ph": "Z"}, good | {"ts": "1"},
                {"ph": "C", "pid": 1, "name": "c", "ts": 1, "args": {"value": "1"}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"traceEvents": [bad]}, SCHEMA)


def test_a_file_may_be_compressed(tmp_path):
    plain, packed = tmp_path / "trace.json", tmp_path / "trace.json.gz"
    for out in (plain, packed):
        etl("to-perfetto", TRACES[0], "--out", out)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    out = tmp_path / "trace.json"
    etl("to-perfetto", TRACES[0], "--out", out)
    before = out.read_bytes()
    assert "exists already" in etl("to-perfetto", TRACES[0], "--out", out, code=1)
    assert out.read_bytes() == before
    etl("to-perfetto", TRACES[0], "--out", out, "--force", "--where", "cpu > 60000")
    assert json.loads(out.read_text())["traceEvents"][0]["ph"] == "M"
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]
    missing = tmp_path / "missing/trace.json"
    assert "cannot write" in etl("to-perfetto", TRACES[0], "--out", missing, code=1)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal of POSIX")
@pytest.mark.parametrize("command", ("to-perfetto", "to-sqlite", "to-pcapng", "anonymize"))
def test_an_interrupt_leaves_nothing(command, tmp_path):
    event = ("<Event><System><Provider Name='P'/><EventID>1</EventID>"
             "<TimeCreated SystemTime='2020-07-29T00:00:00Z'/></System></Event>\n")
    log = tmp_path / "log.xml"
    log.write_text(event * 100_000, encoding="ascii")
    if command == "anonymize":  # copies buffers of a trace: here of several sessions in one file
        log = tmp_path / "log.etl"
        log.write_bytes(TRACES[0].read_bytes() * 2000)
    folder = tmp_path / "out"
    folder.mkdir()
    with subprocess.Popen([PROGRAM, "etl", command, log, "--out", folder / "out"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while not list(folder.iterdir()) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    # On a busy machine it may have ended before.
    assert process.returncode in (0, 130), said
    assert [path.name for path in folder.iterdir()] == ["out"] * (process.returncode == 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_said():
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([PROGRAM, "etl", "dump", TRACES[0]], stdout=full, check=False,
                              stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert "exists already" in etl("to-perfetto", TRACES[0], "--out", "/dev/full", "--force",
                                   code=1)
