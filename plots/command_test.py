"""Runs the scripts as programs: what they write, print and return."""
import os
import pathlib
import runpy
import subprocess
import sys
from collections import namedtuple

import pytest

import command
import testing
from shift_test import verdict

HERE = pathlib.Path(__file__).parent
SCRIPTS = ("plot", "ranking", "percentiles", "histogram", "over_time", "overhead", "sweep",
           "throughput", "delivery", "losses", "causes", "crash", "stopped", "capacity", "payload",
           "fields", "stacks", "toggle", "disabled", "realtime", "queue_answer", "retention",
           "parity", "kernel_flags", "contention", "sessions", "soak")
STEADY = testing.steady([testing.lognormal(900, 0.3, 500)], intervals=[{900: 5}, {5000: 2}])
SWEEP = testing.sweep([(1000.0, 1000.0, False, {100: 9}), (2000.0, 1500.0, True, {900: 9})])


Done = namedtuple("Done", "returncode stdout stderr")


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs a script as if started from the shell, but in this process: matplotlib loads slowly."""
    def call(script, *arguments):
        monkeypatch.setattr(sys, "argv", [f"{script}.py", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(HERE / f"{script}.py"), run_name="__main__")
        return Done(ended.value.code, *capsys.readouterr())
    return call


def start(*arguments, **environment):
    """Runs a script as a process of its own."""
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True,
                          env=os.environ | environment, timeout=120, check=False)


def test_every_plot_that_the_results_can_fill_is_written(run, tmp_path):
    testing.write(tmp_path, STEADY, "steady@file.json")
    testing.write(tmp_path, SWEEP, "sweep@file.json")
    (tmp_path / "other.json").write_text("{}")
    done = run("plot", tmp_path, "--out", tmp_path / "made" / "here")
    assert done.returncode == 0, done.stderr
    names = ["percentiles-steady", "percentiles-sweep", "histogram-steady", "histogram-sweep",
             "over_time-steady@file", "sweep-sweep", "delivery-steady", "delivery-sweep"]
    paths = [tmp_path / "made" / "here" / f"{name}.{suffix}" for name in names
             for suffix in ("png", "svg")]
    assert done.stdout.splitlines() == [str(path) for path in paths]
    for path in paths:
        head = b"\x89PNG\r\n" if path.suffix == ".png" else b"<?xml "
        assert path.read_bytes()[:6] == head
    assert done.stderr.splitlines() == [
        f"skipped {tmp_path}/other.json: not a result of tailgate",
        "skipped ranking of steady, sweep: needs two or more sinks to rank",
        "skipped over_time of sweep: fewer than two intervals with events (file); run for longer, "
        "or with a shorter --interval-s",
        "skipped sweep of steady: needs a run at two or more rates (scenario sweep)",
        "skipped throughput of steady, sweep: needs a run in a closed loop without pauses "
        "(scenario max)",
        "skipped losses of steady, sweep: no event was lost",
        "skipped overhead of steady, sweep: needs a run at two or more rates whose overhead was "
        "measured (scenario sweep)",
        "skipped causes of steady, sweep: needs a run whose slow calls were explained (run with "
        "--explain)"]


def test_processes_write_the_same_bytes(tmp_path):
    path = testing.write(tmp_path, STEADY)
    written = []
    for name in ("1", "2"):
        done = start(HERE / "plot.py", path, "--out", tmp_path / name, PYTHONHASHSEED=name)
        assert done.returncode == 0, done.stderr
        written.append({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()})
    assert written[0] == written[1] and len(written[0]) == 8


def test_kinds_and_formats_can_be_chosen(run, tmp_path):
    path = testing.write(tmp_path, STEADY)
    done = run("plot", path, "--kind", "histogram", "--format", "svg")
    assert done.stdout.splitlines() == [str(tmp_path / "histogram-steady.svg")]


@pytest.mark.parametrize("script", [script for script in SCRIPTS if script != "plot"])
def test_the_help_of_a_script_is_its_own(run, script):
    done = run(script, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: {script}.py ")
    assert "--kind" not in done.stdout
    for option, kinds in command.USED_BY.items():
        assert (option in done.stdout) == (script in kinds)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_help_of_all_plots_is_that_of_the_command_that_the_user_typed(run):
    done = run("plot", "--called-as=tailgate plot", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: tailgate plot ")
    assert "  tailgate plot out/ --rate 10000" in done.stdout and "plot.py" not in done.stdout


@pytest.mark.parametrize("arguments", [
    ("sweep", "--rate", 1000), ("ranking", "--trial", 0), ("histogram", "--per-trial"),
    ("plot", "--kind", "sweep,losses", "--rate", 1000),
    ("plot", "--kind", "ranking", "--trial", 0)])
def test_an_option_that_plays_no_part_is_refused(run, tmp_path, arguments):
    done = run(*arguments, testing.write(tmp_path, STEADY))
    assert done.returncode == 2
    assert str(next(one for one in arguments[1:] if str(one).startswith("--")
                    and one != "--kind")) in done.stderr


@pytest.mark.parametrize("script, name", [("percentiles", "percentiles-steady"),
                                          ("histogram", "histogram-steady"),
                                          ("over_time", "over_time-steady@file"),
                                          ("sweep", "sweep-sweep")])
def test_each_script_works_alone(run, tmp_path, script, name):
    path = testing.write(tmp_path, SWEEP if script == "sweep" else STEADY)
    done = run(script, path, "--format", "png")
    assert done.stdout.splitlines() == [str(tmp_path / f"{name}.png")], done.stderr


def test_a_picture_of_another_rate_stays(run, tmp_path):
    data = testing.sweep([(rate, rate, False, {100: 9}) for rate in (1000.0, 2000.0)])
    path = testing.write(tmp_path, data)
    made = []
    for more in ([], ["--rate", 1000], ["--rate", 2000]):
        done = run("plot", path, "--kind", "percentiles,histogram,delivery", "--format", "svg",
                   *more)
        made += done.stdout.splitlines()
    assert len(set(made)) == len(made) == 9
    assert str(tmp_path / "percentiles-sweep+rate_hz-1000.svg") in made


def test_a_picture_of_all_trials_stays_when_one_is_drawn(run, tmp_path):
    path = testing.write(tmp_path, STEADY)
    done = run("over_time", path, "--format", "svg", "--trial", 0)
    assert done.stdout.splitlines() == [str(tmp_path / "over_time-steady@file+trial-0.svg")]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
def test_a_full_disk_is_one_line_and_status_2_and_leaves_no_empty_picture(tmp_path):
    path = testing.write(tmp_path, STEADY)
    limited = ("import resource, runpy, signal, sys\n"
               "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
               "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
               "sys.path.insert(0, sys.argv[1].rpartition('/')[0])\n"
               "sys.argv = sys.argv[1:]\n"
               "runpy.run_path(sys.argv[0], run_name='__main__')\n")
    out = tmp_path / "out"
    done = start("-c", limited, HERE / "histogram.py", path, "--out", out, "--format", "png")
    assert done.returncode == 2 and done.stdout == "", done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith(f"error: {out}/histogram-steady.png: File too large")
    assert list(out.iterdir()) == []


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("script", ["histogram", "shift"])
def test_output_that_cannot_be_written_is_one_line_and_status_2(tmp_path, script):
    path = testing.write(tmp_path, STEADY if script == "histogram" else verdict())
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([sys.executable, str(HERE / f"{script}.py"), str(path)], stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line == ("error: standard output: No space left on device; make room, or print "
                    "elsewhere")


def test_runs_of_the_same_name_get_separate_files(run, tmp_path):
    paths = [testing.write(tmp_path, STEADY, name) for name in ("a.json", "b.json")]
    done = run("over_time", *paths, "--format", "png")
    assert [pathlib.Path(line).name for line in done.stdout.splitlines()] == [
        "over_time-steady@file.png", "over_time-steady@file-2.png"]


def test_nothing_to_draw_is_status_1(run, tmp_path):
    done = run("sweep", testing.write(tmp_path, STEADY))
    assert done.returncode == 1 and done.stdout == "" and "two or more rates" in done.stderr


@pytest.mark.parametrize("content, reason", [
    (None, "No such file"), ("{", "not JSON"), ("{}", "not a result"),
    ('{"format": "tailgate-result", "version": 99}', "version 99"),
])
def test_a_bad_file_is_one_line_and_status_2(run, tmp_path, content, reason):
    path = tmp_path / "bad.json"
    if content is not None:
        path.write_text(content)
    done = run("plot", path)
    assert done.returncode == 2 and done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith(f"error: {path}: ") and reason in line


def test_beside_a_damaged_file_the_others_are_drawn_and_the_status_is_2(run, tmp_path):
    path = testing.write(tmp_path, STEADY, "whole.json")
    (tmp_path / "cut.json").write_bytes(path.read_bytes()[:500])
    done = run("percentiles", tmp_path, "--format", "svg")
    assert done.returncode == 2
    assert done.stdout.splitlines() == [str(tmp_path / "percentiles-steady.svg")]
    assert done.stderr.startswith(f"left out {tmp_path}/cut.json: not JSON")


def test_a_damaged_histogram_is_one_line_and_status_2(run, tmp_path):
    data = testing.steady([{5: 1}])
    data["summary"][0]["response"]["hdr"] = "HISTFAAA"
    done = run("percentiles", testing.write(tmp_path, data))
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "histogram is damaged" in done.stderr


def test_an_unusable_output_folder_is_one_line_and_status_2(run, tmp_path):
    path = testing.write(tmp_path, STEADY)
    done = run("plot", path, "--out", path / "below")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "give another --out" in done.stderr


@pytest.mark.parametrize("arguments", [["--kind", "pie"], ["--format", "gif"], ["--rate", "x"]])
def test_bad_usage_is_status_2(run, tmp_path, arguments):
    assert run("plot", testing.write(tmp_path, STEADY), *arguments).returncode == 2


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_has_examples(run, script):
    done = run(script, "--help")
    assert done.returncode == 0 and "Examples:" in done.stdout and "exit status" in done.stdout


def test_sinks_are_in_natural_order(run, tmp_path):
    for number in (10, 9, 2):
        testing.write(tmp_path, testing.steady([{5: 1}], intervals=[{5: 1}] * 2, sink=f"m{number}"),
                      f"{number}.json")
    done = run("over_time", tmp_path, "--format", "png")
    assert [pathlib.Path(line).stem[-3:] for line in done.stdout.splitlines()] == [
        "@m2", "@m9", "m10"]


@pytest.mark.parametrize("module", ["matplotlib", "jsonschema"])
def test_without_a_module_its_package_is_named(tmp_path, module):
    (tmp_path / f"{module}.py").write_text("raise ImportError('none here')")
    done = start(HERE / "plot.py", "x", PYTHONPATH=str(tmp_path))
    assert done.returncode == 3 and len(done.stderr.splitlines()) == 1
    assert f"python3-{module}" in done.stderr
