"""Tests of the shells' completion: each shell, given the start of a line, offers what fits.

TAILGATE_BUILD names the build folder. A shell that is not installed is left out.
"""

import os
import pty
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

BUILD = Path(os.environ["TAILGATE_BUILD"])
SCRIPTS = BUILD / "harness/manual"

# A line up to the cursor, and what is offered for its last word: all of it, or these and others.
CASES = [
    ("tailgate ex", ["exec", "explain", "export"]),
    ("tailgate etl stat", ["stats"]),
    ("tailgate run --hang", ["--hang-timeout-s"]),
    ("tailgate etl cpu --r", ["--rows"]),
    ("tailgate plot --per", ["--per-trial"]),
    ("tailgate run --consume l", ["live"]),
    ("tailgate run --quiet --pacing s", ["sleep", "spin"]),
    ("tailgate export hg", ["hgrm"]),
    ("tailgate selftest gate --change slower-2", ["slower-25"]),
    ("tailgate sinks spd", ["spdlog"]),
    ("tailgate run --sink nul", ["null"]),
    ("tailgate run --sink file,nul", ["file,null"]),
    ("tailgate run swe", ["sweep", "sweep-decades"]),
    ("tailgate duet nul", ["null"]),
    ("tailgate run --out ou", ["out/"]),
    ("tailgate show re", ["results.json"]),
    ("tailgate export csv re", ["results.json"]),
    ("tailgate run --trials s", []),
]


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    """Where the line is typed: a folder and files of the user."""
    (tmp_path / "out").mkdir()
    (tmp_path / "outline.txt").touch()
    (tmp_path / "results.json").touch()
    return tmp_path


def environment(folder):
    return {"PATH": f"{BUILD}:{os.environ['PATH']}", "HOME": str(folder), "TERM": "dumb",
            "LC_ALL": "C.UTF-8"}


def run(command, folder):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder,
                          env=environment(folder), stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.splitlines()


def words_of(line):
    """As readline breaks a line without quotes: ':' and '=' are words of their own."""
    for mark in ":=":
        line = line.replace(mark, f" {mark} ")
    return line.split(" ") if not line.endswith((" : ", " = ")) else line[:-1].split(" ")


def in_bash(line, folder):
    words = words_of(line)
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              '_tailgate tailgate "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; '
              'for word in "${COMPREPLY[@]}"; do '
              '[[ ! -d $word ]] || word+=/; printf "%s\\n" "$word"; done')
    return run(["bash", "--norc", "-c", script, "bash", str(SCRIPTS / "bash/tailgate"), *words],
               folder)


def in_fish(line, folder):
    lines = run(["fish", "--no-config", "-c", f"source {SCRIPTS}/fish/tailgate.fish; "
                 f"complete -C {line!r}"], folder)
    return [offer.split("\t")[0] for offer in lines]


@pytest.mark.parametrize("line, offered", CASES)
def test_bash(line, offered, folder):
    assert sorted(in_bash(line, folder)) == offered


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize("line, offered", CASES)
def test_fish(line, offered, folder):
    assert sorted(in_fish(line, folder)) == offered


def test_bash_takes_a_value_behind_an_equals_sign(folder):
    assert in_bash("tailgate run --consume=l", folder) == ["live"]
    assert sorted(in_bash("tailgate run --pacing=", folder)) == ["hybrid", "sleep", "spin"]
    assert in_bash("tailgate run --out=x swe", folder) == ["sweep", "sweep-decades"]


def test_bash_offers_nothing_for_the_options_of_a_sink(folder):
    for line in ("file:mo", "file:", "file:mode=", "file:mode=s"):
        assert not in_bash(f"tailgate run --sink {line}", folder), line
    assert in_bash("tailgate duet file:mode=mmap nul", folder) == ["null"]


def test_bash_expands_no_name_that_a_file_gave(folder):
    presets = folder / "data/scenarios"
    presets.mkdir(parents=True)
    (presets / "$(touch ran).toml").touch()
    (presets / "plain.toml").touch()
    script = (f'export TAILGATE_DATA_DIR={folder}/data; source "$1"; COMP_WORDS=(tailgate run ""); '
              'COMP_CWORD=2; _tailgate; printf "%s\\n" "${COMPREPLY[@]}"')
    offered = run(["bash", "--norc", "-c", script, "bash", str(SCRIPTS / "bash/tailgate")], folder)
    assert "plain" in offered and not (folder / "ran").exists()


# The line as zsh has completed it, or what it lists, goes into the file "seen".
ZSHRC = """
fpath=({scripts}/zsh $fpath)
autoload -Uz compinit && compinit -D
unsetopt list_beep
zstyle ':completion:*' list-prompt ''
show() {{ print -r -- $BUFFER > {seen} }}
zle -N show
bindkey '^X' show
PS1='ready> '
"""


def read_until(terminal, done, seconds=30):
    """What zsh prints, until done(text) is true."""
    text = ""
    deadline = time.monotonic() + seconds
    while not done(text):
        assert time.monotonic() < deadline, text
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 4096).decode(errors="replace")
    return text


def in_zsh(line, folder):
    """The line after a tab."""
    seen = folder / "seen"
    (folder / ".zshrc").write_text(ZSHRC.format(scripts=SCRIPTS, seen=seen))
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", "-d", "-i"], environment(folder))
    try:
        read_until(terminal, lambda text: "ready> " in text)
        os.write(terminal, f"{line}\t\x18".encode())
        read_until(terminal, lambda text: seen.exists() and seen.read_text().endswith("\n"))
        return seen.read_text().removesuffix("\n")
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize("line, offered", CASES)
def test_zsh(line, offered, folder):
    typed = line.rsplit(" ", 1)[0]
    common = os.path.commonprefix(offered) if offered else line.rsplit(" ", 1)[1]
    assert in_zsh(line, folder).rstrip(" ,=") == f"{typed} {common}"
