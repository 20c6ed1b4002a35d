"""Event logs as `tailgate etl` shows them, compared with what evtxexport of libevtx shows; on the
logs of a fuzz corpus, and on those in the folder that TAILGATE_EVTX_SAMPLES names.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
CORPUS = Path(__file__).resolve().parents[1] / "etl/corpus"
LOG = CORPUS / "event_log/evtx"
SAMPLES = sorted(Path(os.environ["TAILGATE_EVTX_SAMPLES"]).glob("*.evtx")) \
    if "TAILGATE_EVTX_SAMPLES" in os.environ else []
SPACE = "{http://schemas.microsoft.com/win/2004/08/events/event}"


def etl(*arguments, code=0):
    done = subprocess.run([PROGRAM, "etl", *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def dumped(*arguments):
    return [json.loads(line) for line in etl("dump", "--json", *arguments).splitlines()]


def reads_evtx():
    done = subprocess.run([PROGRAM, "etl", "info", LOG], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0 or "no libevtx" in done.stderr, done.stderr
    return done.returncode == 0


pytestmark = pytest.mark.skipif(not reads_evtx(), reason="this build has no libevtx")


def exported(log):
    """The <Event> elements that evtxexport writes, as texts."""
    done = subprocess.run(["evtxexport", "-f", "xml", log], capture_output=True, check=False)
    text = done.stdout.decode("utf-8", "replace")
    return re.findall(r"^<Event .*?^</Event>", text, re.MULTILINE | re.DOTALL)


def number(text):
    return int(text or "0", 0)


def time_of(text):
    """A time with seven decimals."""
    seconds, _, decimals = text.rstrip("Z").partition(".")
    return f"{seconds}.{decimals[:7]:0<7}Z"


def shown(value):
    """A value as text: libevtx writes hexadecimal numbers with all their digits."""
    text = value if isinstance(value, str) else json.dumps(value)
    return hex(int(text, 16)) if re.fullmatch(r"0x[0-9a-f]{1,16}", text) else text


def check_event(event, element):
    system = element.find(f"{SPACE}System")
    provider = system.find(f"{SPACE}Provider")
    assert event["provider"] == (provider.get("Name") or provider.get("EventSourceName"))
    for key, name in (("id", "EventID"), ("version", "Version"), ("level", "Level"),
                      ("task", "Task"), ("opcode", "Opcode")):
        assert event[key] == number(system.findtext(SPACE + name)), name
    assert event["time_utc"] == time_of(system.find(f"{SPACE}TimeCreated").get("SystemTime"))
    execution = system.find(f"{SPACE}Execution")
    if execution is not None:
        assert event["pid"] == number(execution.get("ProcessID"))
        assert event["tid"] == number(execution.get("ThreadID"))
    for name in ("Channel", "Computer", "EventRecordID"):
        assert shown(event["fields"][name]) == system.findtext(SPACE + name), name
    for data in element.iterfind(f"{SPACE}EventData/{SPACE}Data"):
        name = data.get("Name")
        if name and len(data) == 0 and "EventXml" not in event["fields"]:
            found = [shown(event["fields"][key]) for key in (name, f"{name}#2")
                     if key in event["fields"]]
            assert shown(data.text or "") in found, name


@pytest.mark.skipif(shutil.which("evtxexport") is None, reason="evtxexport is not installed")
@pytest.mark.parametrize("log", [LOG, *SAMPLES], ids=lambda path: path.name)
def test_events_are_those_of_evtxexport(log):
    elements = []
    for text in exported(log):
        try:
            elements.append(ElementTree.fromstring(text))
        except ElementTree.ParseError:
            continue  # a log may hold characters that XML does not allow
    events = {event["fields"].get("EventRecordID"): event for event in dumped(log)}
    assert len(events) >= len(elements)
    if log == LOG:
        assert len(events) == len(elements) == 3
    for element in elements:
        check_event(events[number(element.findtext(f"{SPACE}System/{SPACE}EventRecordID"))],
                    element)


@pytest.mark.skipif(shutil.which("evtxexport") is None, reason="evtxexport is not installed")
def test_the_xml_of_a_log_is_the_same_log(tmp_path):
    xml = tmp_path / "log.xml"
    xml.write_text("<Events>" + "".join(exported(LOG)) + "</Events>", encoding="utf-8")
    wide = tmp_path / "wide.xml"
    wide.write_text(xml.read_text(encoding="utf-8"), encoding="utf-16")
    assert dumped(LOG) == dumped(xml) == dumped(wide)


def test_every_report_reads_a_log(tmp_path):
    assert "Test-Provider" in etl("info", LOG)
    assert "EventID(4242)" in etl("stats", LOG)
    assert len(etl("dump", "--where", "Size >= 4096", LOG).splitlines()) == 3
    rows = etl("dump", "--csv", "--columns", "pid,cpu,TargetUserName", LOG).splitlines()
    assert rows == ["pid,cpu,TargetUserName", "500,,user", "500,,user!", "500,,user!!"]
    etl("to-sqlite", LOG, "--out", tmp_path / "log.sqlite")
    etl("to-perfetto", LOG, "--out", tmp_path / "log.json")
    assert "user!!" in (tmp_path / "log.json").read_text(encoding="utf-8")


def test_a_log_beside_a_trace_is_merged():
    trace = CORPUS / "reader/plain64"
    alone, log = dumped(trace), dumped(LOG)
    both = dumped(LOG, trace)
    assert len(both) == len(alone) + len(log)
    times = [event["time_ms"] for event in both]
    assert times == sorted(times)
    assert sorted(event["time_utc"] for event in both) == sorted(
        event["time_utc"] for event in alone + log)
