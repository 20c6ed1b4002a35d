"""Tests of what the commands in ci/ do before they build: arguments, help, packages."""

import os
import subprocess
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parent


def run(command, *arguments, **options):
    return subprocess.run([str(CI / command), *arguments], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, **options)


def fake_tool(folder, name, script):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture(name="machine")
def fixture_machine(tmp_path):
    """A PATH on which dpkg-query knows cmake and git alone, and apt-get writes down its calls."""
    fake_tool(tmp_path, "dpkg-query",
              "printf 'cmake installed\\ngit installed\\nclang config-files'")
    fake_tool(tmp_path, "apt-get", f'echo "$@" >> {tmp_path}/calls')
    fake_tool(tmp_path, "id", "echo 0")
    return dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}"), tmp_path


@pytest.mark.parametrize("command", ["setup", "test", "bench", "tidy", "sinks-table", "gate",
                                     "nightly", "windows", "windows-trials"])
def test_every_command_explains_itself(command):
    help_run = run(command, "--help")
    assert help_run.returncode == 0
    assert f"ci/{command}" in help_run.stdout


@pytest.mark.parametrize("command", ["setup", "test", "bench", "tidy", "gate", "nightly",
                                     "windows", "windows-trials"])
def test_an_unknown_argument_is_an_error(command):
    wrong = run(command, "--no-such-argument")
    assert wrong.returncode != 0
    assert "--no-such-argument" in wrong.stderr


@pytest.mark.parametrize("arguments, words", [
    (["HEAD"], "two revisions are needed, 1 were given"),
    (["no-such-revision", "HEAD"], "git knows no commit 'no-such-revision'"),
    (["--policy"], "--policy needs a value")])
def test_the_gate_tells_a_usage_error_from_a_verdict(arguments, words):
    wrong = run("gate", *arguments)
    assert wrong.returncode == 2
    assert words in wrong.stderr


def test_a_night_wants_minutes_in_numbers():
    wrong = run("nightly", "--minutes", "soon")
    assert wrong.returncode == 2 and "'soon'" in wrong.stderr


def test_setup_gives_each_package_a_reason():
    for line in run("setup", "--windows", "--list").stdout.splitlines():
        package, reason = line.split("|")
        assert package.strip() and reason.strip(), line


def test_setup_installs_what_is_missing_and_nothing_else(machine):
    environment, folder = machine
    assert run("setup", env=environment).returncode == 0
    update, install = (folder / "calls").read_text().splitlines()
    assert update.startswith("update")
    packages = install.split()
    assert "ninja-build" in packages
    assert "clang" in packages, "removed with its configuration left is not installed"
    assert "cmake" not in packages and "git" not in packages


def test_setup_leaves_apt_alone_when_nothing_is_missing(machine):
    environment, folder = machine
    fake_tool(folder, "dpkg-query",
              f"{CI}/setup --list | sed 's/ *|.*/ installed/'")
    assert run("setup", env=environment).returncode == 0
    assert not (folder / "calls").exists()


def test_setup_dry_run_tells_and_does_nothing(machine):
    environment, folder = machine
    dry = run("setup", "--dry-run", env=environment)
    assert dry.returncode == 1 and "ninja-build" in dry.stdout
    assert not (folder / "calls").exists()


def test_setup_says_what_to_do_when_apt_fails(machine):
    environment, folder = machine
    fake_tool(folder, "apt-get", "exit 100")
    failed = run("setup", env=environment)
    assert failed.returncode == 1 and "apt-get update failed" in failed.stderr


def test_setup_uses_sudo_when_it_is_not_root(machine):
    environment, folder = machine
    fake_tool(folder, "id", "echo 1000")
    fake_tool(folder, "sudo", f'echo "sudo $@" >> {folder}/calls')
    assert run("setup", env=environment).returncode == 0
    calls = (folder / "calls").read_text().splitlines()
    assert all(call.startswith("sudo env DEBIAN_FRONTEND=noninteractive apt-get") for call in calls)


def test_bench_names_the_suites_when_there_is_no_such_one():
    wrong = run("bench", "no-such-suite")
    assert wrong.returncode != 0
    assert "no-such-suite" in wrong.stderr
