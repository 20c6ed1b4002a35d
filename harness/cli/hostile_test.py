"""Every subcommand with hostile texts in every input: whatever a file, a label or a path says, the
terminal shows lines of printable text, and lists keep their columns.

TAILGATE_BUILD names the build folder.
"""

import csv
import json
import os
import re
import subprocess
import unicodedata
import xml.sax.saxutils
from pathlib import Path

import pytest

CLI = Path(__file__).resolve().parent
PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
FIXTURES = CLI.parents[1] / "results/fixtures"
RESULT = FIXTURES / "v4-steady@file_mode-mmap@quick.json"
DUET = FIXTURES / "duets/v3.json"
RECORD = FIXTURES / "calibrations/v2.json"

# What may stand in any text of a file; JSON and TOML carry all of it. As few texts as can be, since
# each goes through every command: what controls a terminal, what ends a line or a column, what
# shells, formats and pages read as their own, and more than anybody expects.
HOSTILE = ["\x1b[2J\x1b[31mred \x1b]0;title\x07 csi \x9b31m \u202egnp.exe\u2066 \u2028",
           "one\r\ntwo\rthree\ttab",
           "\"'; | a\\b %s {} $x^2$ `id` <script>x</script> [l](x) *b*", "A" * 20_000 + "\x1b"]
# What a spreadsheet takes for a formula.
FORMULAS = ["=1+1", "-2+3", "@SUM(A1)"]
# Controls and what reorders text; besides line feeds nothing of it belongs on a terminal.
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# Fields that say how the rest is to be read.
KEPT = {"format", "hdr", "started_utc"}


def replaced(value, text, key=""):
    """The JSON value with the text in every field that takes any text."""
    if isinstance(value, dict):
        return {name: replaced(entry, text, name) for name, entry in value.items()}
    if isinstance(value, list):
        return [replaced(entry, text, key) for entry in value]
    enumerated = value in ENUMERATED
    return text if isinstance(value, str) and key not in KEPT and not enumerated else value


def enumerated_texts():
    """The texts of the schemas' enumerations, which stand for themselves alone."""
    found = set()

    def walk(node):
        if isinstance(node, dict):
            found.update(entry for entry in node.get("enum", []) if isinstance(entry, str))
            for entry in node.values():
                walk(entry)
        elif isinstance(node, list):
            for entry in node:
                walk(entry)
    for name in ("schema", "duet-schema", "verdict-schema"):
        path = CLI.parents[1] / f"results/{name}.json"
        if path.exists():
            walk(json.loads(path.read_text()))
    return found


ENUMERATED = enumerated_texts()


def save_nights(folder, text):
    """Duets of 14 nights; in the last four side B uses twice the processor time."""
    folder.mkdir()
    duet = replaced(json.loads(DUET.read_text()), text)
    for night in range(14):
        duet["id"] = f"night {night}"
        duet["started_utc"] = duet["finished_utc"] = f"2026-11-{night + 1:02}T22:00:00Z"
        duet["machine"]["kernel"] = f"{text}{night // 10}"
        for one in duet["rounds"]:
            one["a"]["cpu_ns"] = 1_000_000_000
            one["b"]["cpu_ns"] = 1_000_000_000 * (2 if night >= 10 else 1)
            one["a"]["spun_ns"] = one["b"]["spun_ns"] = 0
        (folder / f"{night}.json").write_text(json.dumps(duet))


def toml_text(text):
    return json.dumps(text).replace("\x7f", "\\u007f")


def event_log(text):
    escaped = xml.sax.saxutils.escape(text[:2000])
    attribute = xml.sax.saxutils.quoteattr(text[:200] + "x")
    return (f"<Events><Event><System><Provider Name={attribute}/><EventID>1</EventID>"
            f"<TimeCreated SystemTime='2020-07-29T00:06:22Z'/><Channel>{escaped}</Channel></System>"
            f"<EventData><Data Name={attribute}>{escaped}</Data></EventData></Event></Events>")


@pytest.fixture(name="inputs", params=range(len(HOSTILE)))
def fixture_inputs(tmp_path, request):
    """A folder with a file of each kind, full of one hostile text."""
    text = HOSTILE[request.param]
    for name, source in (("result.json", RESULT), ("duet.json", DUET), ("record.json", RECORD)):
        data = json.loads(source.read_text())
        (tmp_path / name).write_text(json.dumps(replaced(data, text)))
    save_nights(tmp_path / "nights", text)
    quoted = toml_text(text)
    (tmp_path / "policy.toml").write_text(
        "[[run]]\nscenario = " + toml_text("s x\tz" + text) +
        '\nsinks = ["x", ' + toml_text("f" + text) + "]\n" +
        f'set = {{ path = {quoted} }}\n[nightly]\nreference = {quoted}\n'
        f'[[waiver]]\nmetric = "response_ns_p50"\nratio = [1.0, 1.2]\ncommit = "0123456"\n'
        f'reason = {quoted}\nexpires = 2030-01-01\n')
    (tmp_path / "tailgate.toml").write_text(
        f'[build]\ncommand = {quoted}\n[[benchmark]]\nname = {quoted}\ncommand = {quoted}\n'
        f'from = {quoted}\n')
    (tmp_path / "budget.toml").write_text(
        f'[[budget]]\nsink = {quoted}\nscenario = {quoted}\nbounds = ["lost = 0", {quoted}]\n')
    (tmp_path / "claims.toml").write_text(
        f'[[claim]]\nclaim = {quoted}\nsource = {quoted}\nmeans = {quoted}\n'
        f'run = {{ scenario = "steady", sink = {toml_text("./" + text)} }}\n'
        f'holds = "p50 < 1us"\n')
    (tmp_path / "wrong-claims.toml").write_text(
        f'[[claim]]\nclaim = {quoted}\nsource = {quoted}\n'
        f'run = {{ scenario = {quoted}, sink = {quoted} }}\nholds = {quoted}\n')
    (tmp_path / "unknown-key.toml").write_text(f"{quoted} = 1\n")
    (tmp_path / "preset.toml").write_text(
        f'description = {quoted}\nscenario = "steady"\nsinks = ["null"]\n')
    (tmp_path / "wrong-preset.toml").write_text(f'scenario = {quoted}\n')
    (tmp_path / "text").write_bytes(text.encode())
    (tmp_path / "log.xml").write_bytes(event_log(text).encode())
    return tmp_path


def start(*arguments, cwd):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, cwd=cwd,
                          stdin=subprocess.DEVNULL, timeout=100, check=False)


TRACE = str(CLI.parent / "etl/corpus/reader/plain64")


def etl_cases(text):
    # As CSV, since tabs separate the columns of a dump otherwise.
    dump = ("dump", "--csv")
    of_trace = ((*dump, "--where", text), (*dump, "--where", f"id == '{text}"),
                (*dump, "--columns", text), (*dump, "--columns", f"`{text}`"),
                ("spans", "--pair", text), ("spans", "--by", text), ("spans", "--pid", "1"),
                ("activities",), ("activities", "--event", text),
                ("profile", "--symbols", "."), ("profile", "--symbols", text),
                ("to-sqlite", "--out", "no/" + text), ("to-sqlite", "--out", "a.sqlite"),
                ("to-pcapng", "--out", "no/" + text), ("to-pcapng", "--out", "a.pcapng"),
                ("to-perfetto", "--counter", text, "--out", "a.json"),
                ("to-perfetto", "--out", "no/" + text),
                ("stacks", "--event", text), ("stacks", "--symbols", "."),
                ("stacks", "--symbols", text), ("memory",), ("buffers", "--json"),
                ("anonymize", "--out", "no/" + text), ("anonymize", "--out", "a.etl"))
    return [("etl", "info", "text"), ("etl", "dump", "text"), ("etl", "dump", "--xml", "text"),
            ("etl", "dump", "--xml", "log.xml"), ("etl", "dump", "--xml", TRACE),
            ("etl", "dump", "--provider", text, text), ("etl", "spans", "text"),
            ("etl", "waits", "text"), ("etl", "activities", "text"), ("etl", "profile", "text"),
            ("etl", "memory", "text"), ("etl", "stacks", "text"), ("etl", "buffers", "text"),
            ("etl", "anonymize", "text", "--out", "b.etl"),
            ("etl", "info", "log.xml"), ("etl", "stats", "log.xml"), ("etl", *dump, "log.xml"),
            *(("etl", *arguments, TRACE) for arguments in of_trace)]


def history_cases(text):
    return [("history", "import", "result.json", "duet.json", "--history", "h.sqlite"),
            ("history", "import", "result.json", "--history", "named.sqlite", "--machine", text),
            *(("history", command, *more, "--history", file)
              for file in ("h.sqlite", "named.sqlite")
              for command, *more in (("list",), ("list", "--metrics"), ("list", "--changes"),
                                     ("export", "csv"), ("findings", "--all"),
                                     ("findings", "--json", "--all"),
                                     ("query", "--metric", "response_ns_p50"))),
            ("history", "query", "--metric", text, "--history", "h.sqlite"),
            ("history", "list", "--since", text, "--history", "h.sqlite"),
            ("history", "import", "nights", "--history", "found.sqlite"),
            ("history", "findings", "--all", "--history", "found.sqlite"),
            ("history", "acknowledge", "1", "--reason", text, "--history", "found.sqlite"),
            ("history", "acknowledge", text, "--reason", "known", "--history", "found.sqlite"),
            ("history", "findings", "--all", "--history", "found.sqlite"),
            ("history", "findings", "--since", text, "--history", "found.sqlite"),
            ("history", "list", "--history", "./" + text),
            ("history", "import", "text", "--history", "h.sqlite")]


def claims_cases(short):
    return [("claims", "claims.toml", "result.json"),
            ("claims", "claims.toml", "result.json", "--markdown", "c.md", "--html", "c.html"),
            ("claims", "--json", "claims.toml", "result.json"), ("claims", "result.json"),
            ("claims", "wrong-claims.toml"), ("claims", "unknown-key.toml"), ("claims", short)]


def cases(text):
    """What the tests start of every subcommand, by its name."""
    short = text[:2000].replace("\x00", "")  # an argument holds no NUL
    return {
        "run": [("run", "preset.toml", "--plan"), ("run", "wrong-preset.toml"),
                ("run", short), ("run", "steady", "--sink", "null:" + short),
                ("run", "steady", "--set", short),
                ("run", "preset.toml", "--sink", "null", "--set", "duration_s=0.05", "--set",
                 "warmup_s=0", "--no-control", "--noise-s", "0", "--trials", "1", "--out", "out")],
        "exec": [("exec", "--", short), ("exec", "--calls", short, "--", "true"),
                 ("exec", "--calls", "none", "--name", short, "--trials", "1", "--noise-s", "0",
                  "--out", "programs", "--", "echo", short),
                 ("exec", "--daemon", short, "--", "true")],
        "duet": [("duet", "result.json", "--rounds", "1"), ("duet", short),
                 ("duet", "null", "--label-a", short, "--label-b", short, "--rounds", "1",
                  "--turns", "1", "--warmup-turns", "0", "--turn-ms", "20", "--out", "new.json")],
        "doctor": [("doctor", "--seconds", "0.1", "--scratch", "./" + short),
                   ("doctor", "--load-cpus", short),
                   ("doctor", "--seconds", "0.1", "--json", "none/" + short)],
        "sinks": [("sinks", short), ("sinks", "file:" + short), ("sinks", "--json")],
        "check": [("check", short), ("check", "./" + short), ("check", "file:" + short)],
        "scenarios": [("scenarios", "preset.toml"), ("scenarios", "preset.toml", "--json"),
                      ("scenarios", short)],
        "show": [("show", "result.json"), ("show", "--json", "result.json"), ("show", "duet.json"),
                 ("show", "--sort", "cpu", "result.json"),
                 ("show", "--roles", "--trials", "result.json", "result.json"),
                 ("show", short)],
        "export": [*(("export", format, "result.json") for format in
                     ("answer", "csv", "csv-intervals", "folded", "gbench", "hgrm", "hlog", "json",
                      "speedscope", "text", "details")),
                   ("export", short, "result.json"), ("export", "text", "duet.json"),
                   ("export", "csv", "result.json", "--out", "exported")],
        "explain": [("explain", "result.json"),
                    *(("explain", "--export", format, "result.json")
                      for format in ("perfetto", "folded", "speedscope"))],
        "plot": [("plot", short)],  # plots/hostile_test.py draws
        "report": [("report", short)],  # plots/report_test.py shows
        "etl": etl_cases(short),
        "gate": [("gate", "duet.json"), ("gate", "duet.json", "--allow-dirty", "--markdown", "v.md",
                 "--junit", "v.xml", "--json", "v.json"), ("gate", short),
                 ("gate", "result.json", "--baseline", "result.json"),
                 ("gate", "duet.json", "--policy", "unknown-key.toml"),
                 ("gate", "--missing", "invalid", short, short, short),
                 ("gate", short, short), ("gate", "HEAD", "HEAD")],
        "compare": [("compare", "result.json", "result.json"), ("compare", "duet.json"),
                    ("compare", "--json", "result.json", "result.json")],
        "budget": [("budget", "result.json", "--budget", "file: p99 < 5us", "--junit", "b.xml"),
                   ("budget", "result.json", "--budgets", "budget.toml"),
                   ("budget", "result.json", "--budget", short),
                   ("budget", "result.json", "--budget", short + "@5k: lost = 0"),
                   ("budget", "result.json", "--budget", "file: p99 < " + short),
                   ("budget", short, "--budget", "file: lost = 0")],
        "recommend": [("recommend", "result.json", "--rate", "10k", "--survives", "kill"),
                      ("recommend", "result.json", "--rate", short),
                      ("recommend", "result.json", "--rate", "1k", "--loss", short),
                      ("recommend", "result.json", "--rate", "1k", "--payload", short),
                      ("recommend", "--json", "result.json", "--rate", "10k"),
                      ("recommend", short, "--rate", "1k")],
        "claims": claims_cases(short),
        "history": history_cases(short),
        "policy": [("policy", "policy.toml"), ("policy", "unknown-key.toml"),
                   ("policy", "policy.toml", "--reference"), ("policy", "policy.toml",
                    "--scenario", short, "--sink", short), ("policy", short),
                   ("policy", "--no-such", short)],
        "init": [("init", short), ("init", ".", "--build", short, "--benchmark", short),
                 ("init", ".", "--plugin", short), ("init", ".", "--ci", short)],
        "selftest": [("selftest", "gate", "--show", "--relabel", "0", "--record", "record.json"),
                     ("selftest", "gate", "--change", short)],
    }


def test_every_subcommand_is_tried():
    commands = re.findall(r"^  COMMAND\((\w+)\)", (CLI / "commands.h").read_text(), re.M)
    assert commands == list(cases(""))


def test_nothing_that_is_printed_controls_the_terminal(inputs):
    text = (inputs / "text").read_bytes().decode()
    wrong = []
    for commands in cases(text).values():
        for arguments in commands:
            run = start(*arguments, cwd=inputs)
            assert run.returncode >= 0, arguments
            for output in (run.stdout, run.stderr):
                shown = output.decode("utf-8", "replace")
                if "--xml" in arguments:  # has U+FFFD for what XML does not allow
                    shown = output.decode("utf-8").replace("\ufffd", "?")
                if UNSAFE.search(shown) or "\ufffd" in shown:
                    wrong.append((arguments[:3], UNSAFE.findall(shown)[:3]))
                assert b"bug in tailgate" not in output, (arguments, output[:300])
    assert not wrong


def test_a_label_reaches_files_whole(inputs):
    """What a file says stays as it was given; only what is shown is cleaned."""
    text = (inputs / "text").read_bytes().decode()[:2000]
    start("duet", "null", "--label-a", text, "--rounds", "1", "--turns", "1", "--warmup-turns", "0",
          "--turn-ms", "20", "--out", "new.json", cwd=inputs)
    assert json.loads((inputs / "new.json").read_text())["a"]["label"] == text


@pytest.mark.parametrize("text", HOSTILE + FORMULAS, ids=range(len(HOSTILE + FORMULAS)))
def test_csv_keeps_its_columns_and_holds_no_formula(tmp_path, text):
    (tmp_path / "result.json").write_text(json.dumps(replaced(json.loads(RESULT.read_text()),
                                                              text)))
    run = start("export", "csv", "result.json", cwd=tmp_path)
    csv.field_size_limit(1 << 20)
    rows = list(csv.reader(run.stdout.decode().split("\n")[:-1] if "\n" not in text else
                           run.stdout.decode().splitlines(keepends=True)))
    assert len({len(row) for row in rows}) == 1 and len(rows) > 1
    for row in rows:
        for cell in row:
            assert not re.match(r"[=+\-@\t\r]", cell) or re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", cell)


def test_folders_of_any_name_hold_results(tmp_path):
    """--out and --scratch with what shells, formats and configuration files read as their own."""
    name = "space \"q\" 'p' \\b $HOME %msg% {0} `id` |;&\t\n\x1b[2J\u202e"
    (tmp_path / name).mkdir()
    run = start("run", "steady", "--sink", "null,file", "--set", "duration_s=0.1", "--set",
                "warmup_s=0", "--no-control", "--noise-s", "0", "--trials", "1", "--scratch",
                tmp_path / name / "scratch", "--out", tmp_path / name / "out", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert len(list((tmp_path / name / "out").glob("*.json"))) == 2
    assert not UNSAFE.search(run.stdout.decode() + run.stderr.decode())
    assert len(run.stdout.decode().split("wrote:\n")[1].splitlines()) == 2  # a line for each


def test_no_other_file_of_the_commands_prints():
    """Only terminal.cpp prints texts; the others print through it, or documents and JSON."""
    for path in CLI.glob("*.cpp"):
        if path.name.endswith("_test.cpp") or path.name == "terminal.cpp":
            continue
        for line in path.read_text().splitlines():
            assert not re.search(r"\bfmt::print\(|\b(std::)?f?(puts|printf)\(|std::cerr", line) or \
                "describe_program" in line or "not enough memory" in line, f"{path.name}: {line}"


def test_unsafe_characters_are_those_that_unicode_calls_so():
    """The list above holds every character of the bidirectional formatting classes."""
    classes = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    for code in range(0x110000):
        if unicodedata.bidirectional(chr(code)) in classes:
            assert UNSAFE.match(chr(code)), hex(code)
