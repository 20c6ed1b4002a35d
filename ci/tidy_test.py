"""Tests of ci/tidy: each rule finds what it is there for, and nothing in good text."""

import json
import shutil
import subprocess

import pytest

from command_module import load_command

tidy = load_command("tidy")


def findings_of(text, code=True):
    return list(tidy.check_text(text, code))


def test_good_text_is_clean():
    assert findings_of("a line\n\nanother\n") == []
    assert findings_of("") == []


@pytest.mark.parametrize("text, line, word", [
    ("good\nbad \n", 2, "blanks"),
    ("bad\r\n", 1, "carriage return"),
    ("a\tb\n", 1, "tab"),
    ("no end", 1, "line end"),
    ("x" * 101 + "\n", 1, "columns"),
    ("see /wo" + "rk/notes.txt\n", 1, "path of one machine"),
    ("home is '/ro" + "ot'\n", 1, "path of one machine"),
])
def test_text_rules_name_line_and_reason(text, line, word):
    assert [(number, word in what) for number, what in findings_of(text)] == [(line, True)]


def test_width_counts_characters_not_bytes():
    assert findings_of("é" * 100 + "\n") == []
    assert len(findings_of("é" * 101 + "\n")) == 1


def test_raw_strings_may_be_wide():
    wide = "x" * 120
    assert findings_of(f'const char* a = R"({wide}\n{wide})";\nint b;\n') == []
    assert [line for line, _ in findings_of(f'auto a = R"x({wide})y" )x";\n// {wide}\n')] == [2]


def test_the_root_of_a_process_is_no_machine_path():
    assert findings_of('path = "/proc/" + pid + "/ro' + 'ot/run/socket"\n') == []


def test_relative_folders_of_that_name_are_no_machine_paths():
    assert findings_of("out/wo" + "rk/x and /sys/ro" + "oted and /wo" + "rker/\n") == []


def test_files_are_limited_to_600_lines_where_they_are_code():
    assert findings_of("x\n" * 600) == []
    assert len(findings_of("x\n" * 601)) == 1
    assert findings_of("x\n" * 601, code=False) == []


def test_repair_leaves_nothing_to_find_and_keeps_words():
    repaired = tidy.repair_text("a \r\nb\n\n\nend")
    assert repaired == "a\nb\n\n\nend\n"
    assert findings_of(repaired) == []
    assert tidy.repair_text("") == ""


def test_python_functions_fit_a_screen():
    body = "    pass\n"
    assert list(tidy.check_python("def f():\n" + body * 69, "x.py")) == []
    assert len(list(tidy.check_python("def f():\n" + body * 70, "x.py"))) == 1
    assert len(list(tidy.check_python("def f(:\n", "x.py"))) == 1


def test_format_findings_and_their_repair(tmp_path):
    shutil.copy(tidy.ROOT / ".clang-format", tmp_path)
    (tmp_path / "x.cpp").write_text("int  f( ){return 1;}\n")
    assert tidy.main(["--only", "format"], tmp_path) == 1
    assert tidy.main(["--only", "format", "--fix"], tmp_path) == 0
    assert (tmp_path / "x.cpp").read_text() == "int f() {\n  return 1;\n}\n"


def build_with_one_unit(root, source):
    """A project of one source file with a ninja build that has compiled it."""
    shutil.copy(tidy.ROOT / ".clang-tidy", root)
    (root / "harness").mkdir()
    (root / "harness/x.cpp").write_text(source)
    build = root / "build"
    build.mkdir()
    command = "c++ -MD -MF x.o.d -o x.o -c ../harness/x.cpp"
    (build / "build.ninja").write_text(
        f"rule cc\n  command = {command}\n  deps = gcc\n  depfile = x.o.d\n"
        "build x.o: cc ../harness/x.cpp\n")
    (build / "compile_commands.json").write_text(json.dumps(
        [{"directory": str(build), "command": command, "file": "../harness/x.cpp"}]))
    subprocess.run(["ninja", "-C", str(build)], check=True, capture_output=True)
    return build


def run_clang_tidy(root, build, capsys):
    status = tidy.main(["--only", "clang-tidy", "--build", str(build)], root)
    return status, capsys.readouterr().out


def test_clang_tidy_limits_function_length(tmp_path, capsys):
    source = "int long_function(int x) {\n" + "  ++x;\n" * 71 + "  return x;\n}\n"
    status, output = run_clang_tidy(tmp_path, build_with_one_unit(tmp_path, source), capsys)
    assert status == 1
    assert "harness/x.cpp:1:5" in output and "readability-function-size" in output
    assert str(tmp_path) not in output


def test_clang_tidy_holds_names_to_the_house_style(tmp_path, capsys):
    source = "int CamelFunction(int x) { return x; }\n"
    status, output = run_clang_tidy(tmp_path, build_with_one_unit(tmp_path, source), capsys)
    assert status == 1 and "CamelFunction" in output


def test_tests_are_held_to_length_and_names_alone(tmp_path, capsys):
    findable = "double half(int n) { return n / 2; }\n"
    build = build_with_one_unit(tmp_path, findable)
    assert run_clang_tidy(tmp_path, build, capsys)[0] == 1
    test = tmp_path / "harness/x_test.cpp"
    (tmp_path / "harness/x.cpp").rename(test)
    commands = build / "compile_commands.json"
    commands.write_text(commands.read_text().replace("x.cpp", "x_test.cpp"))
    assert run_clang_tidy(tmp_path, build, capsys)[0] == 0
    test.write_text("int* None() { return 0; }\n")
    assert run_clang_tidy(tmp_path, build, capsys)[0] == 1


def test_clang_tidy_reads_a_unit_without_the_headers_that_gcc_precompiled(tmp_path, capsys):
    source = "std::string text() { return {}; }\n"
    build = build_with_one_unit(tmp_path, "#include <string>\n" + source)
    header = build / "cmake_pch.hxx"
    header.write_text("#include <string>\n")
    subprocess.run(["g++", "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)
    commands = build / "compile_commands.json"
    commands.write_text(commands.read_text().replace(
        "c++ ", f"c++ -Winvalid-pch -include {header} "))
    assert run_clang_tidy(tmp_path, build, capsys)[0] == 0
    (tmp_path / "harness/x.cpp").write_text(source)
    status, output = run_clang_tidy(tmp_path, build, capsys)
    assert status == 1 and "'std'" in output, "the unit itself includes nothing"


def test_clean_units_are_not_checked_again_until_they_change(tmp_path, capsys):
    build = build_with_one_unit(tmp_path, "int half(int x) { return x / 2; }\n")
    assert "1 of 1 translation" in run_clang_tidy(tmp_path, build, capsys)[1]
    assert "0 of 1 translation" in run_clang_tidy(tmp_path, build, capsys)[1]
    (tmp_path / "harness/x.cpp").write_text("int Half(int x) { return x / 2; }\n")
    assert run_clang_tidy(tmp_path, build, capsys)[0] == 1
    # What has findings must not be remembered as clean.
    assert run_clang_tidy(tmp_path, build, capsys)[0] == 1


def test_files_that_are_compiled_as_one_are_checked_one_by_one(tmp_path, capsys):
    build = build_with_one_unit(tmp_path, "int half(int x) { return x / 2; }\n")
    (tmp_path / "harness/y.cpp").write_text("int Third(int x) { return x / 3; }\n")
    joined = build / "Unity/unity_0_cxx.cxx"
    joined.parent.mkdir()
    joined.write_text("".join(f'#include "{tmp_path}/harness/{name}.cpp"\n' for name in "xy"))
    for file in (build / "build.ninja", build / "compile_commands.json"):
        file.write_text(file.read_text().replace("../harness/x.cpp", str(joined)))
    subprocess.run(["ninja", "-C", str(build)], check=True, capture_output=True)
    status, output = run_clang_tidy(tmp_path, build, capsys)
    assert status == 1 and "2 of 2 translation" in output
    assert "harness/y.cpp:1:5" in output and "x.cpp:" not in output
    (tmp_path / "harness/y.cpp").write_text("int third(int x) { return x / 3; }\n")
    assert "1 of 2 translation" in run_clang_tidy(tmp_path, build, capsys)[1]


def test_missing_build_says_what_to_run(tmp_path, capsys):
    assert tidy.main(["--only", "clang-tidy", "--build", str(tmp_path)], tmp_path) == 2
    assert "cmake --workflow" in capsys.readouterr().err
