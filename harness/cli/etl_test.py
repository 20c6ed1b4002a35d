"""What `tailgate etl` writes for other tools, read by them; on the traces of a fuzz corpus.

TAILGATE_BUILD names the build folder.
"""

import contextlib
import csv
import hashlib
import io
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
TRACES = sorted((Path(__file__).resolve().parents[1] / "etl/corpus/reader").iterdir())
HEADER = {"session", "time_ns", "cpu", "pid", "tid", "id", "version", "opcode", "level",
          "activity", "message", "misfit", "process", "file", "image"}


def etl(*arguments, code=0):
    done = subprocess.run([PROGRAM, "etl", *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def dumped(*arguments):
    return [json.loads(line) for line in etl("dump", "--json", *arguments).splitlines()]


def in_sqlite(name, value, stored):
    """Whether a field's value in JSON and the value in the database say the same."""
    if isinstance(value, (list, dict)):
        return json.loads(stored) == value
    if isinstance(stored, bytes):
        return stored.hex() == value
    if isinstance(value, int) and value > 2**63 - 1:
        return stored == str(value)
    assert name
    return stored == value


@pytest.mark.skipif(os.name != "posix", reason="a closed pipe has another error elsewhere")
@pytest.mark.parametrize("arguments", (("dump",), ("dump", "--threads", "2"), ("dump", "--json"),
                                       ("dump", "--xml")))
def test_a_reader_that_has_seen_enough_is_no_failure(arguments, tmp_path):
    event = ("<Event><System><Provider Name='P'/><EventID>1</EventID>"
             "<TimeCreated SystemTime='2020-07-29T00:00:00Z'/></System></Event>\n")
    log = tmp_path / "log.xml"
    log.write_text(event * 20_000, encoding="ascii")  # more than a pipe holds
    with subprocess.Popen([PROGRAM, "etl", *arguments, log], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(timeout=60) == 0, said
    assert said == b""


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.name)
def test_sqlite_has_every_event_and_every_field(trace, tmp_path):
    out = tmp_path / "trace.sqlite"
    etl("to-sqlite", trace, "--out", out)
    base = sqlite3.connect(out)
    base.row_factory = sqlite3.Row
    names = {(row["provider"], row["event"]): row["name"]
             for row in base.execute("SELECT * FROM event_tables")}
    rows = {name: list(base.execute(f'SELECT * FROM "{name}" ORDER BY rowid'))
            for name in names.values()}
    events = dumped(trace)
    assert len(events) == sum(len(table) for table in rows.values()) > 0
    for event in events:
        row = dict(rows[names[event["provider"], event["event"]]].pop(0))
        assert row["time_ns"] == pytest.approx(event["time_ms"] * 1e6, abs=1)
        for key in ("cpu", "pid", "tid", "id", "version", "opcode", "level"):
            assert row[key] == event[key], key
        assert row["activity"] == event.get("activity")
        if "payload" in event:
            assert row["misfit"].startswith(f"payload={event['payload']}")
        for name, value in event["fields"].items():
            column = f"fields.{name}" if name.lower() in HEADER else name
            assert in_sqlite(name, value, row[column]), (event["event"], name)
    assert not any(rows.values())
    assert base.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def repeated(trace, times, path):
    """The trace's buffers again and again behind its first, which describes the session."""
    content = trace.read_bytes()
    first = struct.unpack_from("<I", content)[0]
    path.write_bytes(content[:first] + content[first:] * times)
    return path


def test_sqlite_is_the_same_by_any_number_of_threads_within_64_mb(tmp_path):
    trace = repeated(TRACES[0].with_name("xpress"), 800, tmp_path / "long.etl")
    stored = []
    for threads in ("1", "2", "4"):
        out = tmp_path / f"{threads}.sqlite"
        # Heap, and the threads' stacks.
        limit = ("ulimit -d 65536;" if sys.platform == "linux" else "") + ' exec "$@"'
        run = [PROGRAM, "etl", "to-sqlite", trace, "--out", out, "--threads", threads]
        if os.name == "posix":
            run = ["sh", "-c", limit, "sh", *run]
        subprocess.run(run, check=True, timeout=120, stdout=subprocess.DEVNULL)
        with contextlib.closing(sqlite3.connect(out)) as base:
            stored.append(hashlib.sha256("\n".join(base.iterdump()).encode()).hexdigest())
    assert stored[0] == stored[1] == stored[2]


def test_sqlite_is_written_whole_or_not_at_all(tmp_path):
    out = tmp_path / "trace.sqlite"
    etl("to-sqlite", TRACES[0], "--out", out)
    before = out.read_bytes()
    assert "exists already" in etl("to-sqlite", TRACES[0], "--out", out, code=1)
    assert out.read_bytes() == before
    etl("to-sqlite", TRACES[0], "--out", out, "--force", "--where", "cpu > 60000")
    base = sqlite3.connect(out)
    assert base.execute("SELECT count(*) FROM event_tables").fetchone()[0] == 0
    assert "cannot write" in etl("to-sqlite", TRACES[0], "--out", tmp_path / "no/trace.sqlite",
                                 code=1)
    assert [path.name for path in tmp_path.iterdir()] == ["trace.sqlite"]


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.name)
def test_csv_has_the_columns_of_the_dump(trace):
    rows = list(csv.DictReader(io.StringIO(etl("dump", "--csv", trace))))
    events = dumped(trace)
    assert len(rows) == len(events) > 0
    for row, event in zip(rows, events):
        assert float(row["time_ms"]) == event["time_ms"]
        assert row["provider"] == event["provider"] and row["event"] == event["event"]
        assert json.loads(row["fields"]) == event["fields"]
        assert row["pid"] == ("" if event["pid"] is None else str(event["pid"]))
        if "payload" in event:
            assert row["misfit"].startswith(f"payload={event['payload']}")


EVENT_SPACE = "{http://schemas.microsoft.com/win/2004/08/events/event}"
TRACE_SPACE = "{http://schemas.microsoft.com/win/2004/08/events/trace}"
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def xml_value(value):
    """A value of JSON as the text of an XML element."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return FORBIDDEN.sub("\ufffd", value)
    return float(value)


def xml_fields(fields):
    """Fields of JSON as the (name, value) pairs of their elements."""
    pairs = []
    for name, value in fields.items():
        name = re.sub(r"#\d+$", "", FORBIDDEN.sub("\ufffd", name))
        for one in value if isinstance(value, list) else [value]:
            pairs += flat_pairs(name, one)
    return pairs


def flat_pairs(name, value):
    if isinstance(value, list):
        return [pair for one in value for pair in flat_pairs(name, one)]
    return [(name, xml_fields(value) if isinstance(value, dict) else xml_value(value))]


def in_elements(parent, wanted):
    """Whether the elements of an event's data are those pairs."""
    if len(parent) != len(wanted):
        return False
    for element, (name, value) in zip(parent, wanted):
        text = element.text or ""
        if isinstance(value, list):
            same = element.tag == EVENT_SPACE + "ComplexData" and in_elements(element, value)
        else:
            same = float(text) == value if isinstance(value, float) else text == value
        if not same or re.sub(r"#\d+$", "", element.get("Name", "")) != name:
            return False
    return True


def events_in_xml(*arguments):
    root = ElementTree.fromstring(etl("dump", "--xml", *arguments))
    assert root.tag == "Events"
    return list(root)


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.name)
def test_xml_has_what_json_has(trace):
    elements = events_in_xml(trace)
    events = dumped(trace)
    assert len(elements) == len(events) > 0
    for element, event in zip(elements, events):
        system = {one.tag.removeprefix(EVENT_SPACE): one
                  for one in element.find(EVENT_SPACE + "System")}
        assert system["Provider"].get("Name") == event["provider"]
        assert system["EventID"].text == str(event["id"])
        assert system["Opcode"].text == str(event["opcode"])
        assert system["TimeCreated"].get("SystemTime") == event["time_utc"]
        for name, key in (("ProcessID", "pid"), ("KernelTime", "kernel_ticks"),
                          ("UserTime", "user_ticks")):
            value = event.get(key)
            assert system["Execution"].get(name) == (None if value is None else str(value))
        named = element.find(f"{EVENT_SPACE}RenderingInfo/{TRACE_SPACE}EventName")
        assert named.text == event["event"]
        data = element.find(EVENT_SPACE + "EventData")
        if data is None:
            assert "0x" + element.find(EVENT_SPACE + "BinaryEventData").text == event["payload"]
        else:
            assert in_elements(data, xml_fields(event["fields"])), event


def test_xml_is_the_same_by_any_number_of_threads():
    one = etl("dump", "--xml", "--threads", "1", TRACES[0])
    assert one == etl("dump", "--xml", "--threads", "3", TRACES[0])
    assert events_in_xml("--where", "cpu > 60000", TRACES[0]) == []
    assert len(events_in_xml("--limit", "1", TRACES[0])) == 1


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.name)
def test_columns_and_conditions_choose_what_python_chooses(trace):
    for condition, meets in (
            ("cpu == 1", lambda event: event["cpu"] == 1),
            ("pid and not pid == 500", lambda event: event["pid"] not in (None, 500)),
            ("id > 0 or length_bytes >= 24",
             lambda event: event["id"] > 0 or event["length_bytes"] >= 24),
            ("event contains 'disk' and level <= 4",
             lambda event: "disk" in event["event"].lower() and event["level"] <= 4),
            ("TransferSize", lambda event: "TransferSize" in event["fields"])):
        shown = etl("dump", "--columns", "time_ms,event,TransferSize", "--where", condition, trace)
        lines = [line.split("\t") for line in shown.splitlines()]
        assert lines[0] == ["time_ms", "event", "TransferSize"]
        wanted = [[event["time_ms"], event["event"], str(event["fields"].get("TransferSize", ""))]
                  for event in dumped(trace) if meets(event)]
        assert [[float(time), *rest] for time, *rest in lines[1:]] == wanted, condition


def test_a_wrong_condition_or_column_is_named_by_its_position():
    assert "at character 8, before '= 4'" in etl("dump", "--where", "Size = = 4", TRACES[0],
                                                 code=2)
    assert "at character 2" in etl("dump", "--columns", "a b", TRACES[0], code=2)
    done = subprocess.run([PROGRAM, "etl", "dump", "--columns", "Sise", TRACES[0]],
                          capture_output=True, text=True, timeout=60, check=True)
    assert "no event that is shown has a field 'Sise'" in done.stderr


# What testing/corpus_main.cpp puts into the trace: direction, original length, text.
CORPUS = Path(__file__).resolve().parents[1] / "etl/corpus/reader"
PACKETS = [("outbound", 54, b"in one event"), ("inbound", 55, b"in two events"),
           ("inbound", 151, b"of pktmon")]
DROPPED = ("inbound", 151, b"of pktmon")


def captured(path, *options):
    etl("to-pcapng", CORPUS / "packets", "--out", path, "--force", *options)
    return path


def blocks(data):
    """The types and bodies of a pcapng file's blocks."""
    while data:
        kind, length = struct.unpack_from("<II", data)
        assert length % 4 == 0 and struct.unpack_from("<I", data, length - 4)[0] == length
        yield kind, data[8:length - 4]
        data = data[length:]


def test_packets_are_those_of_the_trace(tmp_path):
    found = list(blocks(captured(tmp_path / "a.pcapng").read_bytes()))
    assert [kind for kind, _ in found] == [0x0A0D0D0A, 1, 6, 6, 1, 6]
    packets = [body for kind, body in found if kind == 6]
    start_us = (132_000_000_000_000_000 - 116_444_736_000_000_000) // 10
    for number, (body, (direction, length, text)) in enumerate(zip(packets, PACKETS)):
        interface, high, low, size, original = struct.unpack_from("<5I", body)
        assert interface == (1 if number == 2 else 0)
        assert original == length and body[20:20 + size].endswith(text)
        ticks = high << 32 | low
        # Every event is a millisecond after the one before; the second packet ends with the third.
        assert ticks // 10 - start_us == (1_000, 3_000, 5_000)[number]
        flags = struct.unpack_from("<HHI", body, 20 + (size + 3) // 4 * 4)
        assert flags == (2, 4, 2 if direction == "outbound" else 1)


def test_drops_are_left_out_unless_asked_for(tmp_path):
    shown = etl("to-pcapng", CORPUS / "packets", "--out", tmp_path / "a.pcapng")
    assert "3 packets of 2 interfaces" in shown and "1 reports of dropped packets" in shown
    assert "1 packets are left out, because parts of them are missing" in shown
    found = list(blocks(captured(tmp_path / "a.pcapng", "--drops").read_bytes()))
    assert [kind for kind, _ in found] == [0x0A0D0D0A, 1, 6, 6, 1, 6, 1, 6]
    assert b"pktmon 12 dropped" in found[-2][1]
    assert b"dropped: reason 209, location 0x77" in found[-1][1]


def other_reader(program):
    """A program that ci/setup installs: a test that was skipped without it would prove nothing."""
    found = shutil.which(program)
    assert found, f"{program} is missing: ci/setup installs it"
    return found


def read_by(program, *arguments):
    return subprocess.run([other_reader(program), *arguments], capture_output=True, text=True,
                          timeout=60, check=True).stdout


def frames_in(path):
    """The bytes of the capture's packets, in hex, as the blocks have them."""
    bodies = [body for kind, body in blocks(path.read_bytes()) if kind == 6]
    return [body[20:20 + struct.unpack_from("<I", body, 12)[0]].hex() for body in bodies]


# With the reports of drops, so that there are three interfaces.
def test_tcpdump_reads_the_packets(tmp_path):
    path = captured(tmp_path / "a.pcapng", "--drops")
    shown = read_by("tcpdump", "-r", path, "-tt", "-n", "-xx", "udp")
    # The writer's session starts at this second.
    assert shown.startswith("1555526400.001")
    packets = re.split(r"^(?=\d)", shown, flags=re.MULTILINE)[1:]
    for packet, address in zip(packets, (2, 3, 4, 4)):
        assert f"10.0.0.1.12345 > 10.0.0.{address}.53" in packet
    frames = ["".join(re.findall(r"^\t0x[0-9a-f]{4}:  (.*)$", packet, re.MULTILINE))
              for packet in packets]
    assert [frame.replace(" ", "") for frame in frames] == frames_in(path)
    assert len(frames) == 4


def test_tshark_reads_the_packets(tmp_path):
    path = captured(tmp_path / "a.pcapng", "--drops")
    fields = [word for name in ("frame.interface_name", "frame.len", "frame.comment")
              for word in ("-e", name)]
    rows = [line.split("\t")
            for line in read_by("tshark", "-r", path, "-T", "fields", *fields).splitlines()]
    assert [row[0] for row in rows] == ["ndis 7", "ndis 7", "pktmon 12", "pktmon 12 dropped"]
    assert [int(row[1]) for row in rows] == [length for _, length, _ in (*PACKETS, DROPPED)]
    assert "reason 209" in rows[3][2]
    raw = json.loads(read_by("tshark", "-r", path, "-T", "jsonraw"))
    frames = [packet["_source"]["layers"]["frame_raw"][0] for packet in raw]
    assert frames == frames_in(path)
    for frame, (_, _, text) in zip(frames, (*PACKETS, DROPPED)):
        assert frame.endswith(text.hex())


def damaged(trace, seed):
    """The trace with some bytes changed and its end cut off."""
    content = bytearray(trace.read_bytes())
    for at in range(700 + seed, len(content), 501):
        content[at] ^= 0x40 + seed
    return bytes(content[:len(content) - 13 * seed])


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.name)
def test_any_number_of_threads_dumps_the_same(trace, tmp_path):
    copies = [trace]
    for seed in range(3):
        copies.append(tmp_path / f"{seed}.etl")
        copies[-1].write_bytes(damaged(trace, seed))
    for copy in copies:
        for output in ([], ["--json"], ["--csv"], ["--columns", "time_utc,tid,process,None"]):
            alone, *others = [
                subprocess.run([PROGRAM, "etl", "dump", "--threads", threads, *output, copy],
                               capture_output=True, timeout=60, check=False)
                for threads in ("1", "2", "3")]
            assert alone.returncode == 0 or copy != trace
            for other in others:
                assert (other.returncode, other.stdout, other.stderr) == \
                    (alone.returncode, alone.stdout, alone.stderr)


def test_xml_replaces_what_it_cannot_hold_and_says_so(tmp_path):
    log = tmp_path / "log.xml"
    log.write_bytes(b"<Event><System><Provider Name='P\xe2\x80\xae'/><EventID>1</EventID>"
                    b"<TimeCreated SystemTime='2020-07-29T00:00:00Z'/></System><EventData>"
                    b"<Data Name='a'>x\x01\x02 &lt;&amp; \xef\xbf\xbe</Data></EventData></Event>\n")
    done = subprocess.run([PROGRAM, "etl", "dump", "--xml", log], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=60, check=True)
    [event] = ElementTree.fromstring(done.stdout)
    provider = event.find(f"{EVENT_SPACE}System/{EVENT_SPACE}Provider")
    assert provider.get("Name") == "P\u202e"
    assert event.find(f"{EVENT_SPACE}EventData")[0].text == "x\ufffd\ufffd <& \ufffd"
    assert done.stderr.startswith(b"3 characters that XML does not allow")
