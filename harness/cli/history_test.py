"""The history on the command line: what is stored, what is asked, what is refused.

TAILGATE_BUILD names the build folder. No figure in the documents was measured.
"""

import base64
import copy
import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
FIXTURES = Path(__file__).resolve().parents[2] / "results/fixtures"
RESULT = json.loads((FIXTURES / "v6-steady@file_mode-mmap@quick.json").read_text())
DUET = json.loads((FIXTURES / "duets/v3.json").read_text())

pytestmark = pytest.mark.skipif(
    "has no SQLite" in subprocess.run([PROGRAM, "history", "import", FIXTURES, "--history",
                                       "/dev/null/none"], capture_output=True, text=True,
                                      check=False).stderr,
    reason="this build has no SQLite (Debian: libsqlite3-dev)")
needs_promtool = pytest.mark.skipif(shutil.which("promtool") is None,
                                    reason="promtool is not installed (Debian: prometheus)")


def tailgate(*arguments, cwd, **environment):
    return subprocess.run([PROGRAM, "history", *map(str, arguments)], cwd=cwd, capture_output=True,
                          text=True, timeout=100, check=False, env={**os.environ, **environment})


def save(folder, name, night="2026-11-01", sink="file", **fields):
    made = copy.deepcopy(RESULT)
    made.update(id=name, started_utc=f"{night}T22:00:00Z", finished_utc=f"{night}T22:10:00Z",
                **fields)
    made["sink"]["label"] = sink
    path = folder / f"{name}.json"
    path.write_text(json.dumps(made))
    return path


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    nights = tmp_path / "nights"
    nights.mkdir()
    for number, night in enumerate(["2026-11-01", "2026-11-02", "2026-11-03"]):
        save(nights, f"run{number}", night)
        save(nights, f"null{number}", night, sink="null")
    return tmp_path


def test_what_is_imported_twice_counts_once(folder):
    done = tailgate("import", "nights", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "6 new" in done.stdout
    assert "0 new, 0 replaced an earlier state, 6 were there already" in tailgate(
        "import", "nights", cwd=folder).stdout
    assert "6 documents" in tailgate("list", cwd=folder).stdout
    assert (folder / "out/history.sqlite").is_file()


def test_any_percentile_of_a_merged_group(folder):
    tailgate("import", "nights", cwd=folder)
    whole = RESULT["summary"][0]["response"]
    done = tailgate("query", "--metric", "response_ns_p99.9", "--sink", "file", cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("2026")]
    assert [row.split()[0] for row in rows] == ["2026-11-01", "2026-11-02", "2026-11-03"]
    assert max(map(len, done.stdout.splitlines())) <= 80
    done = tailgate("export", "csv", "--metric", "response_ns_p99.9", "--sink", "file", "--merge",
                    "all", cwd=folder)
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    # Three times the same distribution has its percentiles.
    assert float(row["value"]) == whole["p99_9_ns"]
    assert int(row["count"]) == 3 * whole["count"] and row["documents"] == "3"


def test_a_table_shows_above_it_what_all_rows_share(folder):
    tailgate("import", "nights", cwd=folder)
    done = tailgate("query", "--metric", "cpu_ns_per_event", "--part", "provider", "--since",
                    "2026-11-03", cwd=folder)
    above, table = done.stdout.split("\n\n", 1)
    assert above.startswith("cpu_ns_per_event\n"), above
    assert "part provider" in " ".join(above.split()) and "provider" not in table
    assert done.stdout.count("2026-11-03") == 2 and "2026-11-01" not in done.stdout


def test_a_damaged_file_does_not_stop_the_others(folder):
    (folder / "nights/cut.json").write_text((folder / "nights/run0.json").read_text()[:3000])
    (folder / "nights/plot.json").write_text("{}")
    done = tailgate("import", "nights", cwd=folder)
    assert done.returncode == 1
    assert "left out: nights/cut.json" in done.stderr and "6 new" in done.stdout
    assert "1 left out" in done.stdout and "plot.json" not in done.stderr


def test_a_running_run_is_replaced_and_a_changed_one_is_not(folder):
    early = copy.deepcopy(RESULT)
    early.update(id="grows", complete=False, started_utc="2026-11-01T22:00:00Z",
                 finished_utc="2026-11-01T22:01:00Z")
    file = folder / "grows.json"
    file.write_text(json.dumps(early))
    assert "1 new" in tailgate("import", file, cwd=folder).stdout
    file.write_text(json.dumps({**early, "complete": True,
                                "finished_utc": "2026-11-01T22:09:00Z"}))
    assert "1 replaced" in tailgate("import", file, cwd=folder).stdout
    file.write_text(json.dumps({**early, "finished_utc": "2026-11-01T22:09:00Z"}))
    done = tailgate("import", file, cwd=folder)
    assert done.returncode == 1 and "another content" in done.stderr
    assert "complete" in tailgate("list", cwd=folder).stdout


def test_a_machine_and_a_night_may_be_named(folder):
    tailgate("import", "nights/run0.json", "--machine", "m7", "--night", "2026-10-31", cwd=folder)
    tailgate("import", "nights/run1.json", cwd=folder)
    listed = tailgate("list", "--machine", "m7", cwd=folder).stdout
    assert "2026-10-31" in listed and "1 documents" in listed


REFUSED = [
    ("import none.json", 2, "'none.json' does not exist"),
    ("import empty", 2, "no result, duet or verdict"),
    ("import nights --night yesterday", 2, "--night = 'yesterday' is no date"),
    ("import nights --machine a@b", 2, "is no name of a machine"),
    ("import nights --history notes.txt", 1, "is no SQLite database"),
    ("import nights --history foreign.sqlite", 1, "it holds other tables, such as 'customers'"),
    ("import nights --history newer.sqlite", 1, "has version 99"),
    ("import nights --history /proc/none/h.sqlite", 1, "/proc/none"),
    ("import nights --history postgresql://localhost:1/x --spool spool", 1,
     "cannot be reached"),
    ("list --history none.sqlite", 1, "there is no history 'none.sqlite'"),
    ("list --since 2026-13-01", 2, "is no date"),
    ("list --kind nights", 2, "kind"),
    ("query", 2, "--metric is required"),
    ("fleet --until 2026-13-01", 2, "is no date"),
    ("fleet --history none.sqlite", 1, "there is no history 'none.sqlite'"),
    ("query --metric respnse_ns_p99 --history good.sqlite", 1, "did you mean 'response_ns_p99'"),
    ("export xml --history good.sqlite", 2, "xml"),
]


@pytest.mark.parametrize("command, code, answer", REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_done_says_why(folder, command, code, answer):
    (folder / "empty").mkdir()
    (folder / "notes.txt").write_text("notes " * 1000)
    with sqlite3.connect(folder / "foreign.sqlite") as foreign:
        foreign.execute("CREATE TABLE customers (name TEXT)")
    for name in "good", "newer":
        tailgate("import", "nights/run0.json", "--history", f"{name}.sqlite", cwd=folder)
    with sqlite3.connect(folder / "newer.sqlite") as newer:
        newer.execute("UPDATE tailgate_history SET version = 99")
    done = tailgate(*command.split(), cwd=folder)
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == code and answer in said, said


def test_what_a_server_does_not_take_waits_in_the_spool(folder):
    server = "postgresql://me:secret@localhost:1/nights?connect_timeout=2"
    done = tailgate("import", "nights/run0.json", "--machine", "m7", "--spool", "spool",
                    "--history", server, cwd=folder)
    assert done.returncode == 1 and "1 documents wait in 'spool'" in done.stderr
    assert "secret" not in done.stdout + done.stderr
    (waiting,) = (folder / "spool").iterdir()
    assert waiting.name.startswith("-@m7@")
    assert waiting.read_text() == (folder / "nights/run0.json").read_text()


def test_a_full_disk_keeps_what_was_stored(folder):
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root, to mount a small file system")
    script = """mkdir small && mount -t tmpfs -o size=200k none small || exit 77
      "$0" history import nights --history small/history.sqlite
      printf 'exit %d\\n' $?
      "$0" history list --history small/history.sqlite"""
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script, PROGRAM], cwd=folder,
                          capture_output=True, text=True, timeout=100, check=False)
    if done.returncode == 77:
        pytest.skip("a file system cannot be mounted here")
    assert "exit 1" in done.stdout and "disk is full" in done.stderr, done.stdout + done.stderr


def test_distributions_are_stored_as_results_encode_them(folder):
    tailgate("import", "nights/run0.json", cwd=folder)
    with sqlite3.connect(folder / "out/history.sqlite") as database:
        stored = {bytes(row[0]) for row in database.execute("SELECT hdr FROM distributions")}
    expected = base64.b64decode(RESULT["summary"][0]["response"]["hdr"])
    assert expected in stored


@needs_promtool
def test_promtool_reads_the_openmetrics(folder):
    tailgate("import", "nights", "--machine", 'm7', cwd=folder)
    done = tailgate("export", "openmetrics", "--out", "nights.txt", cwd=folder)
    assert done.returncode == 0, done.stderr
    text = (folder / "nights.txt").read_text()
    assert text.endswith("# EOF\n") and "tailgate_response_seconds_count" in text
    blocks = subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", "nights.txt",
                             "data"], cwd=folder, capture_output=True, text=True, check=False)
    assert blocks.returncode == 0, blocks.stderr
    listed = subprocess.run(["promtool", "tsdb", "list", "data"], cwd=folder, check=True,
                            capture_output=True, text=True)
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    assert sum(int(line.split()[4]) for line in listed.stdout.splitlines()[1:]) == len(samples)


@needs_promtool
def test_promtool_has_nothing_to_say_about_the_names(folder):
    tailgate("import", "nights", cwd=folder)
    done = tailgate("export", "openmetrics", "--since", "2026-11-03", cwd=folder)
    # The lint reads the older text format, which has neither an end mark nor times in seconds.
    text = "".join(f"{line.rsplit(' ', 1)[0]}\n" if not line.startswith("#") else f"{line}\n"
                   for line in done.stdout.splitlines() if line != "# EOF")
    lint = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True,
                          text=True, check=False)
    assert lint.returncode == 0, lint.stdout + lint.stderr


def test_what_changed_in_a_machine_is_shown(folder):
    changed = copy.deepcopy(RESULT["machine"])
    changed["kernel"] = "6.1.0-99-amd64"
    save(folder / "nights", "run2", "2026-11-03", machine=changed)
    tailgate("import", "nights", "--machine", "m7", cwd=folder)
    shown = " ".join(tailgate("list", "--changes", "--sink", "file", cwd=folder).stdout.split())
    assert shown == f"2026-11-03 m7 kernel: {RESULT['machine']['kernel']} -> 6.1.0-99-amd64"


def test_csv_is_one_table_of_all(folder):
    tailgate("import", "nights", cwd=folder)
    rows = list(csv.DictReader(io.StringIO(tailgate("export", "csv", cwd=folder).stdout)))
    whole = [row for row in rows if row["metric"] == "response_ns" and row["sink"] == "null"]
    assert [row["night"] for row in whole] == ["2026-11-01", "2026-11-02", "2026-11-03"]
    assert {row["p99"] for row in whole} == {str(RESULT["summary"][0]["response"]["p99_ns"])}
    assert all(row["unit"] and not row["label"] for row in rows)


def save_nights(folder, percents, kernel="6.1", first=1):
    """A duet a night; side B uses so many percent more processor time than the reference."""
    folder.mkdir(exist_ok=True)
    for number, percent in enumerate(percents, start=first):
        duet = copy.deepcopy(DUET)
        utc = f"2026-11-{number:02}T22:00:00Z"
        duet.update(id=f"night{number}", started_utc=utc, finished_utc=utc)
        duet["machine"]["kernel"] = kernel
        duet["b"]["build"]["revision"] = f"revision{number:02}"
        for one in duet["rounds"]:
            one["a"].update(cpu_ns=1_000_000_000, spun_ns=0, cpu_events=20_000)
            one["b"].update(cpu_ns=round(1e9 * (1 + percent / 100)), spun_ns=0, cpu_events=20_000)
        (folder / f"{number:02}.json").write_text(json.dumps(duet))


def test_a_planted_change_is_found_with_its_commits_and_acknowledged(tmp_path):
    save_nights(tmp_path / "nights", [1] * 12 + [9] * 2)
    assert tailgate("import", "nights", cwd=tmp_path).returncode == 0
    assert tailgate("findings", cwd=tmp_path).stdout == "no open findings\n"
    save_nights(tmp_path / "nights", [9], kernel="6.2", first=15)
    done = tailgate("import", "nights", cwd=tmp_path)
    shown = tailgate("findings", cwd=tmp_path).stdout
    assert shown in done.stdout, "the import shows what it found"
    assert max(map(len, shown.splitlines())) <= 80
    words = " ".join(shown.split())
    assert words.startswith("1: worse, open, since 2026-11-13 (found 2026-11-15)")
    assert "near revision12..revision13" in words
    assert "cpu_ns_per_event +7.9 % from +1.0 % to +9.0 %" in words
    assert "response" not in words
    assert "kernel" not in words, "the kernel changed later"
    (found,) = json.loads(tailgate("findings", "--json", cwd=tmp_path).stdout)
    assert found["series"][0]["metric"] == "cpu_ns_per_event"
    assert found["series"][0]["ratio_after"] == pytest.approx(1.09)
    done = tailgate("acknowledge", 1, "--reason", "events carry a checksum", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = tailgate("findings", cwd=tmp_path).stdout
    assert shown.startswith("no open findings") and "1 more" in shown
    assert "acknowledged: events carry a checksum" in tailgate("findings", "--all",
                                                               cwd=tmp_path).stdout
    save_nights(tmp_path / "nights", [9] * 4 + [1] * 3, first=16)
    tailgate("import", "nights", cwd=tmp_path)
    assert "1: worse, fixed 2026-11-20" in tailgate("findings", "--all", cwd=tmp_path).stdout


def test_a_new_kernel_is_named_where_no_commit_came(tmp_path):
    save_nights(tmp_path / "nights", [1] * 12)
    save_nights(tmp_path / "nights", [9] * 4, kernel="6.2", first=13)
    for path in (tmp_path / "nights").iterdir():
        duet = json.loads(path.read_text())
        duet["b"]["build"]["revision"] = "same"
        path.write_text(json.dumps(duet))
    tailgate("import", "nights", "--machine", "m7", cwd=tmp_path)
    words = " ".join(tailgate("findings", cwd=tmp_path).stdout.split())
    assert "no commit between 2026-11-12 and 2026-11-13: both nights have same" in words
    assert "machine m7 in these nights: 2026-11-13: kernel: 6.1 -> 6.2" in words


@pytest.mark.parametrize("command, code, answer", [
    ("acknowledge 7 --reason known --history good.sqlite", 1, "has no finding 7"),
    ("acknowledge seven --reason known --history good.sqlite", 2, "seven"),
    ("acknowledge 7 --history good.sqlite", 2, "--reason is required"),
    ("acknowledge 7 --reason known --history none.sqlite", 1, "there is no history 'none.sqlite'"),
    ("acknowledge 18446744073709551615 --reason known --history good.sqlite", 2,
     "there is no finding"),
    ("findings --since soon --history good.sqlite", 2, "is no date"),
    ("findings --history none.sqlite", 1, "there is no history 'none.sqlite'")])
def test_a_finding_that_is_none_is_refused(folder, command, code, answer):
    tailgate("import", "nights/run0.json", "--history", "good.sqlite", cwd=folder)
    done = tailgate(*command.split(), cwd=folder)
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == code and answer in said, said
    assert not (folder / "none.sqlite").exists()


def save_fleet(folder, machines):
    """Two weeks of machines of one kind; from the eighth on m2 needs 30 % more processor time."""
    folder.mkdir(parents=True)
    for machine in range(machines):
        for night in range(1, 15):
            file = save(folder, f"m{machine}-{night}", f"2026-11-{night:02}")
            made = json.loads(file.read_text())
            slower = 1.3 if machine == 2 and night >= 8 else 1 + 0.001 * ((machine + night) % 3)
            for summary in made["summary"]:
                for role in summary["overhead"]:
                    role["cpu_ns_per_event"]["mean"] *= slower
            file.write_text(json.dumps(made))
        tailgate("import", *folder.glob(f"m{machine}-*"), "--machine", f"m{machine}",
                 cwd=folder.parent)


def test_a_machine_that_drifts_from_its_group_is_named(tmp_path):
    save_fleet(tmp_path / "nights", 6)
    done = tailgate("fleet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].endswith("6 machines, nights 2026-11-01 to 2026-11-14") and len(
        lines[0]) <= 80
    assert [line for line in lines if "against the median" in line] == [
        "m2 against the median of its group"]
    assert "cpu_ns_per_event of daemons          +29.8 %, +29.8 % of it new" in done.stdout
    assert max(map(len, lines)) <= 80
    [group] = json.loads(tailgate("fleet", "--json", cwd=tmp_path).stdout)
    assert {one["machine"] for one in group["drifting"]} == {"m2"}
    assert 28 < group["drifting"][0]["level_percent"] < 31
    before = tailgate("fleet", "--until", "2026-11-07", cwd=tmp_path)
    assert "no machine is apart from the others" in before.stdout


def test_few_machines_are_not_judged_by_each_other(tmp_path):
    save_fleet(tmp_path / "nights", 3)
    done = tailgate("fleet", cwd=tmp_path)
    assert done.returncode == 0
    assert "fewer than 5 machines: none is judged by the others" in done.stdout


def test_a_nights_traced_causes_are_asked_for_by_one_name(tmp_path):
    duet = copy.deepcopy(DUET)
    causes = {"own_code": ([100, 110], [100, 110]), "syscall_write": ([300, 290], [360, 350])}
    duet["difference"] = {
        "version": 1, "rounds": 2, "duration_ns": 10**9, "trace": "tracefs", "sampled": "perf",
        "sample_hz": 2999, "samples": 10, "limits": "", "sums": [{
            "measure": "call", "processes": "", "a_ns": 400, "b_ns": 460,
            "difference_ns": 60, "parts": [],
            "causes": [{"cause": cause, "a_ns": a, "b_ns": b}
                       for cause, (a, b) in causes.items()]}]}
    (tmp_path / "duet.json").write_text(json.dumps(duet))
    done = tailgate("import", "duet.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = tailgate("query", "--metric", "call_ns_in_*", "--part", "b", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = [line.split() for line in done.stdout.splitlines()]
    assert any("call_ns_in_own_code" in row and "105ns" in row for row in shown), done.stdout
    assert any("call_ns_in_syscall_write" in row and "355ns" in row for row in shown), done.stdout
    effect = tailgate("export", "csv", "--metric", "call_ns_in_syscall_write", "--part", "effect",
                      cwd=tmp_path)
    [row] = csv.DictReader(io.StringIO(effect.stdout))
    assert float(row["value"]) == pytest.approx(0.1398, abs=0.0002)  # ln(1 + 60 / 400)
    none = tailgate("query", "--metric", "daemons_ns_in_*", cwd=tmp_path)
    assert none.returncode == 1 and "daemons_ns_in_*" in none.stderr
