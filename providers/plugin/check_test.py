"""Plugins through the program: what is said of good, faulty and damaged ones.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["TAILGATE_BUILD"]).resolve()
PROGRAM = BUILD / "tailgate"
HERE = Path(__file__).resolve().parent


def plugin(name):
    return BUILD / f"providers/plugin/tailgate_{name}.so"


def tailgate(*arguments, cwd=None):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True,
                          cwd=cwd, stdin=subprocess.DEVNULL, timeout=100, check=False)


@pytest.mark.parametrize("name", ["stdio_log", "ring_log"])
def test_the_examples_keep_the_contract(name):
    done = tailgate("check", plugin(name))
    assert done.returncode == 0, done.stdout
    assert "BROKEN" not in done.stdout and "the contract is kept" in done.stdout
    assert done.stdout.count("emitted 3000 = delivered 3000 + lost 0") >= 2


def test_choices_are_checked_one_after_another():
    done = tailgate("check", plugin("ring_log"))
    assert "ring_log.so:when_full=refuse\n" in done.stdout
    given = tailgate("check", f"{plugin('ring_log')}:when_full=drop")
    assert "when_full=refuse" not in given.stdout


@pytest.mark.parametrize("fault, line", [
    ("loses_events", "one thread    1 of 3000 events are unaccounted for"),
    ("doubles_events", "one thread    1 events came back twice"),
    ("leaks", "calls         1 descriptors that it opened"),
    ("probe_fails", "available     nothing could be checked: faulty: the daemon is not installed"),
])
def test_what_is_broken_is_named(fault, line):
    done = tailgate("check", f"{plugin('faulty')}:fault={fault}")
    assert done.returncode == 1
    assert f"BROKEN  {line}" in done.stdout, done.stdout
    assert "the contract is broken" in done.stdout


def test_a_sink_that_is_an_older_plugin_is_taken():
    done = tailgate("check", plugin("OLDER"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name, sentence", [
    ("WRONG_MAGIC", "is no plugin: its table begins with 0x12345678"),
    ("OF_THE_FUTURE", "is of version 7 of the interface, and this program knows version 1 alone"),
    ("NO_TABLE", "tailgate_get_sink returned null"),
    ("CRASHES", "ended its process by signal 6 (Aborted) during 'describe'"),
    ("HAS_NO_EMIT", "provider_open, emit, provider_close or provider_free is null"),
    ("CONTROLS_THE_TERMINAL", "the description has a control character"),
])
def test_a_damaged_plugin_is_refused_with_a_sentence(name, sentence, tmp_path):
    for command in (("check",), ("sinks",), ("run", "steady", "--out", "out", "--sink")):
        done = tailgate(*command, plugin(name), cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert sentence in done.stderr and "\x1b" not in done.stderr
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content, sentence", [
    (None, "No such file"), (b"", "file too short"), (b"#!/bin/sh\n" * 400, "invalid ELF header")])
def test_what_is_no_library_is_refused_with_a_sentence(content, sentence, tmp_path):
    path = tmp_path / "mine.so"
    if content is not None:
        path.write_bytes(content)
    done = tailgate("run", "steady", "--sink", path)
    assert done.returncode == 2 and sentence in done.stderr
    assert f"'{path}'" in done.stderr


def test_a_library_without_the_function_is_refused(tmp_path):
    path = tmp_path / "other.so"
    subprocess.run(["cc", "-shared", "-x", "c", "-", "-o", str(path)], input="int x;", text=True,
                   check=True)
    done = tailgate("sinks", path)
    assert done.returncode == 2 and "has no function tailgate_get_sink" in done.stderr


def test_an_option_that_it_does_not_know_is_refused():
    done = tailgate("run", "steady", "--sink", f"{plugin('ring_log')}:queue_event=1")
    assert done.returncode == 2
    assert "queue_event" in done.stderr and "queue_events" in done.stderr
    done = tailgate("run", "steady", "--sink", f"{plugin('ring_log')}:queue_events=0")
    assert done.returncode == 2 and "1 to 1048576" in done.stderr.replace("1.04858e+06", "1048576")


def test_a_run_names_the_plugin_and_counts_its_losses(tmp_path):
    shutil.copy(plugin("ring_log"), tmp_path / "mine.so")
    done = tailgate("run", "max", "--sink", "./mine.so:queue_events=4", "--set", "events=20000",
                    "--trials", "1", "--no-control", "--noise-s", "0", "--out", "out",
                    cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "out").iterdir()
    result = json.loads(file.read_text())
    assert result["sink"]["name"] == "ring_log"
    assert result["sink"]["label"] == "./mine.so:queue_events=4"
    (trial,) = result["trials"]
    ledger = trial["ledger"]
    assert ledger["checked"] and ledger["unaccounted"] == 0
    assert ledger["emitted"] == ledger["delivered"] + ledger["lost"]
    assert {loss["cause"] for loss in ledger["losses"]} <= {"queue full"}


def test_two_builds_of_a_plugin_meet_in_a_duet(tmp_path):
    shutil.copy(plugin("stdio_log"), tmp_path / "a.so")
    shutil.copy(plugin("stdio_log"), tmp_path / "b.so")
    done = tailgate("duet", "./a.so", "./b.so", "--rounds", "2", "--turns", "5", "--turn-ms", "5",
                    "--out", "duet.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    duet = json.loads((tmp_path / "duet.json").read_text())
    assert duet["complete"] and len(duet["rounds"]) == 2


def test_an_installation_builds_plugins(tmp_path):
    prefix = tmp_path / "installed"
    subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(prefix)], check=True,
                   capture_output=True)
    source = tmp_path / "mine"
    source.mkdir()
    shutil.copy(HERE / "examples/ring_log.cpp", source)
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(mine LANGUAGES CXX)\n"
        "find_package(tailgate REQUIRED)\nadd_tailgate_sink(mine SOURCES ring_log.cpp)\n")
    subprocess.run(["cmake", "-S", str(source), "-B", str(source / "build"),
                    f"-DCMAKE_PREFIX_PATH={prefix}"], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", str(source / "build")], check=True, capture_output=True)
    checked = subprocess.run([str(prefix / "bin/tailgate"), "check",
                              str(source / "build/mine.so") + ":when_full=drop"],
                             capture_output=True, text=True, check=False, timeout=100)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    exported = subprocess.run(["nm", "-D", "--defined-only", str(source / "build/mine.so")],
                              capture_output=True, text=True, check=True).stdout
    assert "tailgate_get_sink" in exported and "RingLog" not in exported
    drivers = {path.name for path in (prefix / "share/tailgate/drivers").rglob("*.*")}
    assert {"tailgate_driver.py", "TailgateDriver.java", "tailgate_driver.mjs"} <= drivers


def test_the_header_is_c11_and_cpp_alone(tmp_path):
    header = HERE / "include/tailgate/sink.h"
    for compiler, language, standard in (("cc", "c", "c11"), ("c++", "c++", "c++11")):
        done = subprocess.run([compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra",
                               "-Wpedantic", "-Werror", "-fsyntax-only", "-"],
                              input=f'#include "{header}"\nint main(void) {{ return 0; }}\n',
                              text=True, capture_output=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert not [line for line in header.read_text().splitlines()
                if line.startswith("#include") and "std" not in line]
