"""The loggers' folder as a foreign team has it: built out of tree against an installation, one mode
of each logger checked (ci/loggers checks all), the losses of those that drop counted.

TAILGATE_BUILD names the build folder of the program. What cannot be built here is skipped.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

BUILD = Path(os.environ["TAILGATE_BUILD"]).resolve()
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
UNPACKED = ROOT / "build/loggers/syslog-ng"  # by ci/loggers, as what npm installed
NODE_PACKAGES = ROOT / "build/loggers/node"
ROWS = tomllib.loads((HERE / "rows.toml").read_text(encoding="utf-8"))["row"]
LOSING = ["log_spdlog.so:mode=async_overrun:queue_events=64",
          "log_log4cxx.so:mode=async_discard:queue_events=64", "log_boost_log.so:mode=async_drop",
          "log_dlt.so", "log_syslog_ng.so:queue_events=64"]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, timeout=250, **options)


@pytest.fixture(name="built", scope="module")
def fixture_built():
    """The folder of the plugins and the installed program; what configuring said. It stays below
    the build folder, so that only what changed is built again."""
    prefix, plugins = BUILD / "loggers/installed", BUILD / "loggers/plugins"
    installed = run("cmake", "--install", BUILD, "--prefix", prefix)
    assert installed.returncode == 0, installed.stderr
    root = UNPACKED if UNPACKED.is_dir() else ""
    packages = NODE_PACKAGES if (NODE_PACKAGES / "node_modules").is_dir() else ""
    configured = run("cmake", "-S", HERE, "-B", plugins, "-G", "Ninja",
                     f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSYSLOG_NG_ROOT={root}",
                     f"-DNODE_PACKAGES={packages}")
    assert configured.returncode == 0, configured.stderr
    made = run("cmake", "--build", plugins)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "warning" not in made.stdout + made.stderr
    return plugins, prefix / "bin/tailgate", configured.stdout


def plugin_of(built, sink):
    plugins, _, said = built
    name = sink.split(":")[0]
    if not (plugins / name).is_file():
        logger = name.removeprefix("log_").rpartition(".")[0]
        pytest.skip(next((line for line in said.splitlines() if f"logger {logger}: left" in line),
                         f"{name} was not built"))
    return f"./{sink}"


def measured(built, tmp_path, *arguments):
    plugins, program, _ = built
    done = run(program, "run", *arguments, "--no-control", "--noise-s", "0", "--out", tmp_path,
               cwd=plugins)
    (file,) = tmp_path.glob("*.json")
    return done, json.loads(file.read_text())


@pytest.mark.parametrize("sink", [row["sink"] for row in ROWS if row.get("quick")])
def test_a_logger_keeps_the_contract(built, sink):
    plugins, program, _ = built
    done = run(program, "check", plugin_of(built, sink), cwd=plugins)
    assert done.returncode == 0, done.stdout
    balanced = done.stdout.count("emitted 3000 = delivered 3000 + lost 0")
    assert balanced + done.stdout.count("it takes events from one thread only") == 2


@pytest.mark.parametrize("sink", LOSING)
def test_what_a_logger_drops_is_counted(built, sink, tmp_path):
    """A queue that is far too short, and two threads that do not wait for it."""
    done, result = measured(built, tmp_path, "max", "--sink", plugin_of(built, sink), "--set",
                            "events=30000", "--set", "threads=2", "--trials", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    ledger = result["trials"][0]["ledger"]
    assert ledger["checked"] and ledger["unaccounted"] == 0
    assert ledger["emitted"] == ledger["delivered"] + ledger["lost"]
    assert all(loss["cause"] for loss in ledger["losses"])


def test_the_options_of_each_row_are_those_of_its_plugin(built):
    plugins, program, _ = built
    for row in ROWS:
        if (plugins / row["sink"].split(":")[0]).is_file():
            planned = run(program, "run", "steady", "--plan", "--sink", f"./{row['sink']}",
                          cwd=plugins)
            assert planned.returncode == 0, planned.stderr


def test_the_advertised_figure_is_the_mean_of_the_calls_in_batches(built, tmp_path):
    done, result = measured(built, tmp_path, "advertised", "--sink",
                            "synthetic:service_ns=50000:slow_share=0.1:slow_ns=550000",
                            "--set", "events=2000", "--set", "warmup_s=0")
    assert done.returncode == 0, done.stderr
    assert result["scenario"]["name"] == "batches"
    load = result["trials"][0]["load"]
    assert (load["shape"], load["burst_events"], load["burst_gap_s"]) == ("max", 20, 0.001)
    (summary,) = result["summary"]
    # Nine calls of 50 us and one of 550 us have a mean of 100 us, which none of them takes.
    assert summary["service"]["count"] == 2000
    assert summary["service"]["mean_ns"] >= 90_000
    assert summary["service"]["p50_ns"] >= 50_000 and summary["service"]["p99_ns"] >= 550_000
    # A pause follows each of the 100 batches but the last.
    trial = result["trials"][0]
    assert trial["end_ns"] - trial["start_ns"] >= 2000 * 90_000 + 99 * 1_000_000


def test_a_small_run_fills_the_table(built, tmp_path):
    plugins, program, _ = built
    sink = plugin_of(built, "log_spdlog.so:destination=file:mode=sync:flush_each=false")
    out = tmp_path / "out"
    for arguments in (["steady", "--sink", sink, "--set", "duration_s=0.2"],
                      ["advertised", "--sink", sink.replace("=file", "=null"), "--set",
                       "duration_s=0.1"]):
        done = run(program, "run", *arguments, "--set", "warmup_s=0", "--trials", "1", "--noise-s",
                   "0", "--out", out, cwd=plugins)
        assert done.returncode == 0, done.stdout + done.stderr
    shown = run(sys.executable, "-B", ROOT / "ci/loggers-table", out)
    assert shown.returncode == 0, shown.stderr
    (line,) = [line for line in shown.stdout.splitlines() if line.startswith("spdlog  ")]
    # In so short a run the processor time may be lost in the spinning; all else is shown.
    assert line.count("–") <= 1 and line.split()[1] == "1", shown.stdout
    assert "spdlog 1." in shown.stdout
