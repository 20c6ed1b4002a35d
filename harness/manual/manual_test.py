"""Tests of the manual: pages for all commands, from the same text as the help, without warnings.

TAILGATE_BUILD names the build folder.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["TAILGATE_BUILD"])
SOURCES = Path(__file__).resolve().parents[2]
PAGES = sorted((BUILD / "harness/manual/man1").glob("*.1"))

needs_man = pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")


def tailgate(*arguments):
    done = subprocess.run([str(BUILD / "tailgate"), *arguments], capture_output=True, text=True,
                          check=True, stdin=subprocess.DEVNULL, timeout=60)
    return done.stdout


def rendered(page):
    """The page as a terminal shows it, in lines that are never broken, without warnings."""
    environment = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="1000", MANPAGER="cat",
                       MAN_KEEP_FORMATTING="")
    done = subprocess.run(["man", "--warnings", "-l", str(page)], capture_output=True, text=True,
                          check=False, env=environment, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return re.sub("\u2010|\u2212", "-", done.stdout)


def section(text, title):
    """The lines below the title, up to the next one."""
    return re.search(rf"^{title}\n(.*?)(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE).group(1)


def commands():
    listing = tailgate("--help").split("\nSubcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\S+)", listing, re.MULTILINE)


@needs_man
def test_every_command_has_a_page():
    assert {page.stem for page in PAGES} == {"tailgate", *(f"tailgate-{name}"
                                                            for name in commands())}
    whole = rendered(BUILD / "harness/manual/man1/tailgate.1")
    for name in commands():
        assert f"tailgate-{name}(1)" in section(whole, "COMMANDS")


@needs_man
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_the_help_says(page):
    text = rendered(page)
    words = page.stem.split("-")[1:]
    shown = tailgate(*words, "--help")
    for name in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", shown, re.MULTILINE):
        assert re.search(rf"^ +{name}\b", text, re.MULTILINE), name
    examples = re.findall(r"^  (tailgate .*?) *\\?$", shown, re.MULTILINE)
    assert examples or words == ["plot"]
    for example in examples:
        assert example in text
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS",
                  "SEE ALSO"):
        assert section(text, title).strip(), title


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_other_formatter_has_no_complaints(page):
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)],
                          capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout


@needs_man
def test_options_are_given_with_their_values_and_defaults():
    text = rendered(BUILD / "harness/manual/man1/tailgate-run.1")
    assert re.search(r"--consume auto\|none\|live\|after\n +when .*\(default: auto\)", text)
    assert re.search(r"--slowest UINT\n.*\(0 to 1024; default: 16\)", text)
    formats = re.search(r"one of: (.*)\)", rendered(
        BUILD / "harness/manual/man1/tailgate-export.1")).group(1).split(", ")
    assert {"csv", "hgrm", "text"} <= set(formats)


@needs_man
def test_exit_codes_are_those_of_the_help():
    for name, words in (("tailgate", []), ("tailgate-gate", ["gate"])):
        shown = tailgate(*words, "--help")
        brief = re.search(r"Exit codes: (.*?)[.;]", shown).group(1)
        status = section(rendered(BUILD / f"harness/manual/man1/{name}.1"), "EXIT STATUS")
        listed = re.findall(r"^ +(\d+) +([^:\n]+)", status, re.MULTILINE)
        assert brief.split(", ") == [f"{code} {meaning}" for code, meaning in listed]


@needs_man
def test_the_variables_are_those_that_the_program_reads():
    read = set()
    for path in ("harness/os/install_paths.cpp", "harness/trial/scratch.cpp"):
        text = (SOURCES / path).read_text(encoding="utf-8")
        read |= set(re.findall(r'(?:getenv|environment_value)\("(\w+)"\)', text))
    environment = section(rendered(BUILD / "harness/manual/man1/tailgate.1"), "ENVIRONMENT")
    assert read and read <= set(re.findall(r"^ +([A-Z_]+)$", environment, re.MULTILINE))
