"""Tests of what the commands in ci/ do before they build: arguments, help, packages."""

import os
import shutil
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


@pytest.mark.parametrize("command", ["setup", "test", "bench", "fuzz", "faults", "tidy",
                                     "sinks-table", "loggers", "loggers-table", "gate", "nightly",
                                     "windows", "windows-trials", "package", "harmless"])
def test_every_command_explains_itself(command):
    help_run = run(command, "--help")
    assert help_run.returncode == 0
    assert f"ci/{command}" in help_run.stdout


@pytest.mark.parametrize("command", ["setup", "test", "bench", "fuzz", "faults", "tidy", "gate",
                                     "loggers", "loggers-table", "nightly", "windows",
                                     "windows-trials", "package", "harmless"])
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


def test_a_bare_system_is_made_by_root_alone(tmp_path):
    fake_tool(tmp_path, "id", "echo 1000")
    refused = run("package", "--chroot",
                  env=dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}"))
    assert refused.returncode == 1 and "run it with sudo" in refused.stderr


def test_a_night_wants_minutes_in_numbers():
    wrong = run("nightly", "--minutes", "soon")
    assert wrong.returncode == 2 and "'soon'" in wrong.stderr


def packages_of(command):
    """Package -> what it is for, as ci/setup lists them."""
    lines = run("setup", command, "--list").stdout.splitlines()
    return {package.strip(): reason.strip() for package, reason in
            (line.split("|") for line in lines)}


def test_setup_gives_each_package_a_reason():
    for command in ("bench", "test", "windows"):
        packages = packages_of(command)
        assert len(packages) > 5 and all(packages.values()), command


def test_setup_takes_what_the_command_needs():
    bench, test, windows = (packages_of(command) for command in ("bench", "test", "windows"))
    assert {"build-essential", "rsyslog", "lttng-tools", "python3-matplotlib"} <= set(bench)
    for package in ("catch2", "clang", "python3-pytest", "openjdk-17-jdk-headless"):
        assert package in test and package not in bench
    assert set(bench) < set(test)
    assert "wine64" in windows and "rsyslog" not in windows
    assert {"lintian", "debootstrap"} == set(packages_of("package"))
    loggers = packages_of("loggers")
    assert {"libboost-log-dev", "liblogback-java"} <= set(loggers) - set(test)
    assert "syslog-ng-core" not in loggers, "it would remove rsyslog"
    assert packages_of("test") == packages_of("--list")


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


@pytest.fixture(name="configured", scope="module")
def fixture_configured(tmp_path_factory):
    """The arguments that ci/bench and ci/test give to cmake when they configure."""
    root = tmp_path_factory.mktemp("commands")
    (root / "ci").mkdir()
    for name in ("bench", "test", "common.sh"):
        shutil.copy(CI / name, root / "ci")
    (root / "scenarios/suites").mkdir(parents=True)
    (root / "scenarios/suites/quick.toml").touch()
    fake_tool(root, "cmake", f'printf "%s\\n" "$@" > {root}/arguments; exit 1')
    environment = dict(os.environ, PATH=f"{root}:{os.environ['PATH']}")
    arguments = {}
    for name in ("bench", "test"):
        subprocess.run([str(root / "ci" / name), "--no-setup"], env=environment, check=False,
                       capture_output=True, stdin=subprocess.DEVNULL)
        arguments[name] = (root / "arguments").read_text().splitlines()
    return arguments


def commands_to_build_the_program(build, arguments):
    subprocess.run(["cmake", *arguments, "-B", str(build)], cwd=CI.parent, check=True,
                   capture_output=True)
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "tailgate"], check=True,
                             capture_output=True, text=True).stdout
    return [line for line in listing.splitlines() if " -c " in line]


def test_what_bench_compiled_serves_test_and_the_other_way_round(configured, tmp_path):
    assert "-DBUILD_TESTING=ON" in configured["test"]
    without_tests = [*configured["bench"], "-DBUILD_TESTING=OFF"]  # as where Catch2 is missing
    first = commands_to_build_the_program(tmp_path, without_tests)
    assert len(first) > 50
    # Ninja compiles again what it has another command for.
    assert commands_to_build_the_program(tmp_path, configured["test"]) == first
    assert commands_to_build_the_program(tmp_path, configured["bench"]) == first


@pytest.mark.parametrize("second, code", [("100% tests passed", 0), ("0% tests passed", 1)])
def test_what_failed_is_repeated_once_and_named(tmp_path, second, code):
    (tmp_path / "ci").mkdir()
    for name in ("test", "common.sh"):
        shutil.copy(CI / name, tmp_path / "ci")
    fake_tool(tmp_path, "cmake", "exit 0")
    fake_tool(tmp_path, "ctest", f"""
case "$*" in
  *--rerun-failed*) echo "{second}, of 1" ;;
  *) printf '50%% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n'
     printf '\t7 - area:a name, of words (Failed)\nErrors while running CTest\n'
     exit 8 ;;
esac""")
    environment = dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}")
    done = subprocess.run([str(tmp_path / "ci/test"), "--no-setup", "--no-clang-tidy"],
                          env=environment, check=False, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    summary = done.stdout.split("summary after")[1]
    assert "50% tests passed, 1 tests failed out of 2" in summary
    assert "repeated alone: area:a name, of words (Failed)" in summary
    assert f"{second}, of 1" in summary
    assert done.returncode == code


def test_bench_names_the_suites_when_there_is_no_such_one():
    wrong = run("bench", "no-such-suite")
    assert wrong.returncode != 0
    assert "no-such-suite" in wrong.stderr
