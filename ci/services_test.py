"""What services and timers call exists, and takes the options that they give."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = [*(ROOT / ".github/workflows").glob("*.yml"), *(ROOT / "ci/services").iterdir()]


def commands(text):
    """(command, options) of each call of a command in ci/."""
    for line in text.splitlines():
        line = line.split("# ")[0]
        for name, arguments in re.findall(r"(?<![\w./-])(ci/[\w-]+)([^;&|'>\n]*)", line):
            if "." not in arguments.split(" ")[0]:
                yield name, re.findall(r"(?<=\s)--[\w-]+", arguments)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_called_is_there_with_its_options(path):
    called = [call for call in commands(path.read_text()) if call[0] != "ci/services"]
    assert called or path.suffix == ".timer"
    for name, options in called:
        assert os.access(ROOT / name, os.X_OK), name
        text = subprocess.run([ROOT / name, "--help"], capture_output=True, text=True,
                              check=True).stdout
        for option in options:
            assert option in text, f"{name} {option}"


def test_yaml_can_be_read_and_jobs_are_bounded_in_time():
    yaml = pytest.importorskip("yaml")
    for path in FILES:
        if path.suffix != ".yml":
            continue
        document = yaml.safe_load(path.read_text())
        for job in document.get("jobs", {}).values():
            assert job["timeout-minutes"] <= 180
            for step in job["steps"]:
                assert "run" in step or "uses" in step


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing")
def test_systemd_takes_the_timer_and_its_time():
    text = (ROOT / "ci/services/tailgate-nightly.timer").read_text()
    time = re.search(r"^OnCalendar=(.*)$", text, re.MULTILINE).group(1)
    subprocess.run(["systemd-analyze", "calendar", time], check=True, capture_output=True)
    service = ROOT / "ci/services/tailgate-nightly.service"
    verified = subprocess.run(["systemd-analyze", "verify", "--man=no", str(service)],
                              capture_output=True, text=True)
    assert service.name not in verified.stderr, verified.stderr
