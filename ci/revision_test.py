"""Tests of ci/cmake/write_revision.cmake: which revision a build says it is."""

import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "cmake/write_revision.cmake"


def git(folder, *arguments):
    run = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org",
                          *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return run.stdout.strip()


def make_clone(folder):
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "file").write_text("one\n")
    git(folder, "add", "file")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def revision_header(source, output):
    subprocess.run(["cmake", "-D", f"SOURCE_DIR={source}", "-D", f"OUTPUT={output}",
                    "-P", str(SCRIPT)], check=True)
    return output.read_text()


def test_a_clone_gives_its_revision_and_whether_it_was_changed(tmp_path):
    source = make_clone(tmp_path / "source")
    revision = git(source, "rev-parse", "HEAD")[:12]
    text = revision_header(source, tmp_path / "x.h")
    assert f'TAILGATE_REVISION "{revision}"' in text and "TAILGATE_DIRTY false" in text
    (source / "file").write_text("two\n")
    assert "TAILGATE_DIRTY true" in revision_header(source, tmp_path / "x.h")


def test_new_files_alone_do_not_make_a_clone_dirty(tmp_path):
    source = make_clone(tmp_path / "source")
    (source / "notes").write_text("mine\n")
    assert "TAILGATE_DIRTY false" in revision_header(source, tmp_path / "x.h")


def test_outside_of_a_clone_the_revision_is_unknown(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    text = revision_header(source, tmp_path / "x.h")
    assert 'TAILGATE_REVISION "unknown"' in text and "TAILGATE_DIRTY false" in text


def test_an_archive_unpacked_in_another_clone_does_not_take_its_revision(tmp_path):
    inner = make_clone(tmp_path / "outer") / "tailgate"
    inner.mkdir()
    assert 'TAILGATE_REVISION "unknown"' in revision_header(inner, tmp_path / "x.h")


def test_an_unchanged_header_keeps_its_time(tmp_path):
    source = make_clone(tmp_path / "source")
    header = tmp_path / "x.h"
    revision_header(source, header)
    os.utime(header, (1, 1))
    revision_header(source, header)
    assert header.stat().st_mtime == 1
