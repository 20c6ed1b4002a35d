"""Tests of ci/tidy's checks of the whole tree: each rule finds what is planted against it, and
nothing in a good tree."""

import pytest

from command_module import load_command
from tidy_checks.declarations import read_declarations
from tidy_checks.sources import find_circles, read_calls, strip_cpp

tidy = load_command("tidy")

TABLE = """[layers]
"harness/base" = []
"harness/os" = ["harness/base"]
"harness/trial" = ["harness/os"]
"providers/shared/*" = ["harness/base"]
"providers/*" = ["providers/shared/*"]
"providers" = []
[tests]
"harness/trial" = ["providers/all.h"]  # whole trials
[[exception]]
from = "providers/all.cpp"
to = ["providers/null"]
why = "the list of sinks"
"""

GOOD = {
    "ci/layers.toml": TABLE,
    "README.md": "# Tree\n\nThe [base](harness/base/error.h), [more](#what-else-is-here).\n"
                 "See ci/layers.toml.\n\n## What *else* is here?\n",
    "harness/CMakeLists.txt":
        "tailgate_library(base SOURCES base/error.cpp)\n"
        "tailgate_library(os SOURCES os/clock_${TAILGATE_OS}.cpp LIBS tailgate_base)\n"
        "tailgate_library(trial SOURCES trial/trial.cpp LIBS tailgate_os fmt::fmt)\n"
        "tailgate_test(trial SOURCES trial/trial_test.cpp LIBS tailgate_trial tailgate_all)\n",
    "providers/CMakeLists.txt":
        "tailgate_library(all SOURCES all.cpp LIBS tailgate_null)\n"
        "tailgate_library(null SOURCES null/null.cpp LIBS tailgate_delay)\n"
        "tailgate_library(delay SOURCES shared/delay/delay.cpp LIBS tailgate_base)\n",
    "harness/base/error.h": "#pragma once\nvoid fail(int code);\n",
    "harness/base/error.cpp": '#include "harness/base/error.h"\nvoid fail(int) {}\n',
    "harness/os/clock.h": "#pragma once\nlong now_ns();\n",
    "harness/os/clock_linux.cpp": '#include "harness/os/clock.h"\n\n'
                                  '#include "harness/base/error.h"\n'
                                  "long now_ns() { fail(1); return 0; }\n",
    "harness/os/clock_windows.cpp": '#include "harness/os/clock.h"\n'
                                    "long now_ns() { return 0; }\n",
    "harness/trial/trial.h": "#pragma once\nvoid run_trial();\n",
    "harness/trial/trial.cpp": '#include "harness/trial/trial.h"\n#include "harness/os/clock.h"\n'
                               "void run_trial() { now_ns(); }\n",
    "harness/trial/trial_test.cpp": '#include "harness/trial/trial.h"\n'
                                    '#include "providers/all.h"\n'
                                    "TEST_CASE(\"trial\") { run_trial(); add_all(); }\n",
    "providers/all.h": "#pragma once\nvoid add_all();\n",
    "providers/all.cpp": '#include "providers/all.h"\n#include "providers/null/null.h"\n'
                         "void add_all() { run_trial(); make_null(); }\n",
    "providers/null/null.h": "#pragma once\nvoid make_null();\n",
    "providers/null/null.cpp": '#include "providers/null/null.h"\n'
                               '#include "providers/shared/delay/delay.h"\n'
                               "void make_null() { delay(); }\n",
    "providers/shared/delay/delay.h": "#pragma once\nvoid delay();\n",
    "providers/shared/delay/delay.cpp": '#include "providers/shared/delay/delay.h"\n'
                                        "void delay() {}\n",
}


@pytest.fixture(name="check")
def fixture_check(tmp_path, capsys):
    """check(name, changes): the findings of one check on the good tree with files changed; a text
    that begins with + goes behind what the file has."""
    def check(name, changes):
        files = dict(GOOD)
        for path, text in changes.items():
            files[path] = files[path] + text[1:] if text.startswith("+") else text
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        status = tidy.main(["--only", name], tmp_path)
        *findings, summary = [line for line in capsys.readouterr().out.splitlines()
                              if "--fix repairs" not in line]
        assert (status == 0) == (findings == []) == ("clean" in summary)
        return findings
    return check


@pytest.mark.parametrize("name", ["layers", "dead"])
def test_a_good_tree_is_clean(check, name):
    assert check(name, {}) == []


@pytest.mark.parametrize("path, text, place, words", [
    ("harness/base/error.h", '+#include "harness/trial/trial.h"\n', ":3:",
     "harness/base must not include harness/trial/trial.h: that is up; besides its own files it "
     "may include nothing (ci/layers.toml)"),
    ("harness/trial/trial.h", '+#include "providers/all.h"\n', ":3:",
     "harness/trial must not include providers/all.h: that is up"),
    ("providers/null/null.h", '+#include "harness/os/clock.h"\n', ":3:",
     "that is sideways; besides its own files it may include providers/shared/*"),
    ("providers/file/file.h", '#include "providers/null/null.h"\n', ":1:",
     "providers/file must not include providers/null/null.h: that is sideways"),
    ("harness/trial/trial_test.cpp", '+#include "providers/null/null.h"\n', ":4:",
     "that is up; besides its own files it may include harness/os, providers/all.h"),
    ("harness/trial/trial.h", '+#include "harness/trial/testing/clock.h"\n', ":3:",
     "only tests include what is made for tests"),
    ("harness/base/error.cpp", '+\n  #  include "harness/base/eror.h"\n', ":4:",
     "there is no harness/base/eror.h"),
    ("harness/new/part.h", "", ":1:", "harness/new has no row in ci/layers.toml"),
])
def test_a_planted_include_is_found(check, path, text, place, words):
    helper = {"harness/trial/testing/clock.h": "#pragma once\n"}
    findings = check("layers", {**helper, path: text})
    assert findings[0].startswith(path + place) and words in findings[0]


def test_a_comment_includes_nothing(check):
    assert check("layers", {"harness/base/error.h":
                            '+// #include "harness/trial/trial.h"\n'
                            '/*\n#include "harness/os/clock.h"\n*/\n'}) == []


def test_a_circle_of_folders_is_found(check):
    findings = check("layers", {"harness/base/error.h": '+#include "harness/os/clock.h"\n'})
    assert ("harness/base/error.h:3: circle of folders: harness/base -> harness/os -> harness/base "
            "(harness/base/error.h:3, harness/os/clock_linux.cpp:3)") in findings


def test_a_circle_of_units_is_found(check):
    findings = check("layers", {
        "harness/os/timer.h": '#include "harness/os/clock.h"\n',
        "harness/os/clock_windows.cpp": '+#include "harness/os/timer.h"\n'})
    assert findings == [
        "harness/os/clock_windows.cpp:3: circle of units: harness/os/clock -> harness/os/timer -> "
        "harness/os/clock (harness/os/clock_windows.cpp:3, harness/os/timer.h:1)"]


def test_a_circle_of_cmake_targets_is_found(check):
    findings = check("layers", {"harness/CMakeLists.txt":
                                "+target_link_libraries(tailgate_os\n  PRIVATE tailgate_trial)\n"})
    assert len(findings) == 2
    assert findings[0].startswith(
        "harness/CMakeLists.txt:6: tailgate_os must not link tailgate_trial: that is up")
    assert findings[1] == (
        "harness/CMakeLists.txt:6: circle of CMake units: tailgate_os -> tailgate_trial -> "
        "tailgate_os (harness/CMakeLists.txt:6, harness/CMakeLists.txt:3)")


@pytest.mark.parametrize("path, text, words", [
    ("providers/CMakeLists.txt", "+\ntailgate_library(b SOURCES null/b.cpp LIBS tailgate_os)\n",
     ":5: tailgate_b must not link tailgate_os: that is sideways"),
    ("harness/CMakeLists.txt", "+target_link_libraries(tailgate_base PUBLIC tailgate_old)\n",
     ":5: tailgate_base links tailgate_old, which nothing builds"),
    ("harness/base/error.cpp", '+#include "harness/os/clock.h"\n',
     ":3: tailgate_base includes harness/os/clock.h and does not link tailgate_os"),
])
def test_a_planted_link_is_found(check, path, text, words):
    findings = check("layers", {"providers/null/b.cpp": "", path: text})
    assert any(finding.startswith(path + words) for finding in findings)


@pytest.mark.parametrize("old, new, words", [
    ('"harness/base" = []', '"harness/base" = ["harness/trial"]',
     ":2: harness/base may include harness/trial, which is not below it"),
    ('"harness/base" = []', '"harness/gone" = []\n"harness/base" = ["harness/lost"]',
     ":2: there is no folder harness/gone"),
    ('"harness/base" = []', '"harness/base" = ["harness/lost"]',
     ":2: harness/base may include harness/lost, which is not there"),
    ('to = ["providers/null"]', 'to = ["providers/null"]\nuntil = 1', ":1: an exception has"),
    ('"providers" = []', '"providers" = ["harness/base"]',
     ":7: providers may include harness/base, and nothing there does; delete it"),
    ("[tests]", "[test]", ":1: there is no section 'test'"),
    ("[layers]", "[layers", ":1: Expected"),
    ("why = \"the list of sinks\"\n", "why = \"x\"\n[[exception]]\nfrom = \"harness/base/*\"\n"
     "to = [\"harness/trial\"]\nwhy = \"old\"\n",
     ":15: nothing needs the exception from harness/base/* to harness/trial; delete it"),
])
def test_a_mistake_in_the_table_is_found(check, old, new, words):
    findings = check("layers", {"ci/layers.toml": TABLE.replace(old, new)})
    assert findings[0].startswith("ci/layers.toml" + words), findings


def test_a_missing_table_is_found(tmp_path):
    assert tidy.main(["--only", "layers"], tmp_path) == 1


def test_a_pattern_builds_the_files_of_a_folder_but_no_test_and_no_main(check):
    pattern = {"harness/CMakeLists.txt":
               GOOD["harness/CMakeLists.txt"].replace("base/error.cpp", "base/*.cpp")}
    assert check("layers", pattern) == check("dead", pattern) == []
    assert check("layers", {**pattern, "harness/base/error.cpp":
                            '+#include "harness/os/clock.h"\n'})[0].startswith(
                                "harness/base/error.cpp:3: harness/base must not include")
    lost = {"harness/base/main.cpp": "", "harness/base/error_test.cpp": ""}
    assert check("dead", {**pattern, **lost}) == [
        f"{path}:1: no CMakeLists.txt builds this file" for path in sorted(lost)]


@pytest.mark.parametrize("path, text, words", [
    ("harness/base/lost.cpp", "", ":1: no CMakeLists.txt builds this file"),
    ("harness/base/lost.h", "", ":1: nothing includes this file"),
    ("plots/lost.py", "", ":1: nothing names this file"),
    ("ci/lost", "#!/bin/sh\n", ":1: nothing names this file"),
    ("ci/lost.toml", "", ":1: nothing names this file"),
    ("harness/base/corpus/lost/text", "", ":1: nothing names this file"),
    ("harness/base/error.h", "+int lost(int a);\n",
     ":3: function 'lost': nothing uses it; delete it"),
    ("harness/base/error.h", "+struct Lost {\n  Lost();\n  Lost* next() { return next(); }\n};\n",
     ":3: type 'Lost': nothing uses it; delete it"),
    ("harness/base/error.h", "+inline constexpr int kLost = 1;\n",
     ":3: constant 'kLost': nothing uses it; delete it"),
    ("harness/base/error.cpp", "+enum class A { zero, found, lost };\nA a = A::found;\nint b = a;\n"
     "int c = b + c;\n", ":3: enumerator 'lost': nothing uses it; delete it"),
    ("harness/base/error.cpp", "+class A {\n  void lost() {}\n};\nA a{};\nint b = a + b;\n",
     ":4: method 'lost': nothing uses it; delete it"),
    ("harness/base/error.h", "+void helper();\n// Says more.\nint inner(int a);\n",
     ":3: function 'helper': only harness/base/error.cpp uses it; declare it there"),
    ("harness/trial/trial.h", "+int figure();\n",
     ":3: function 'figure': only tests use it; delete it, or say in its comment"),
    ("plots/plot.py", "import os\nimport sys\n\nprint(sys.argv)\n",
     ":1: import of 'os': nothing uses it; delete it"),
    ("plots/plot.py", "def draw():\n    pass\n", ":1: 'draw': nothing uses it; delete it"),
    ("plots/plot.py", "def scale():\n    pass\n", ":1: 'scale': only tests use it; move it"),
    ("ci/run.sh", "lost() {\n  :\n}\n", ":1: function 'lost': nothing calls it; delete it"),
    ("harness/CMakeLists.txt", "+function(lost name)\nendfunction()\n",
     ":5: function 'lost': nothing uses it; delete it"),
    ("harness/CMakeLists.txt", "+set(lost 1)\n", ":5: variable 'lost': nothing uses it"),
    ("README.md", "+\n[a\nlink](harness/lost.h)\n",
     ":9: link to harness/lost.h: there is no harness/lost.h"),
    ("README.md", "+\n[a link](#what-else)\n",
     ":8: link to #what-else: no heading of README.md gives this anchor"),
    ("harness/base/error.h", "+// See harness/base/lost.h.\n",
     ":3: names harness/base/lost.h, which is not there"),
])
def test_something_dead_is_found(check, path, text, words):
    used = {"harness/base/error.cpp": "+void helper() { helper(); }\n"
                                      "int inner(int a) { return a; }\n"
                                      "int twice = inner(inner(twice));\n",
            "harness/os/clock_linux.cpp": "+int more = inner(more);\n",
            "harness/trial/trial_test.cpp": "+int figures = figure() + figures;\n",
            "plots/plot_test.py": "import plot\n\n\ndef test_scale():\n    plot.scale()\n",
            "plots/CMakeLists.txt": "tailgate_pytest(plots plot_test.py)\n",
            "ci/run": "#!/bin/sh\n. run.sh\n", "ci/README.md": "`ci/run`\n"}
    findings = check("dead", {**used, path: text})
    assert len(findings) == 1 and findings[0].startswith(path + words), findings


@pytest.mark.parametrize("path, text", [
    # Used by a macro that puts the name together, and by a declaration of the same header.
    ("harness/base/error.h", "+struct Limit {};\nLimit fail_limit();\n"
     "#define FAIL(NAME) fail_##NAME()\nFAIL(limit);\n"),
    ("harness/trial/trial.h", "+// How far it is, for tests.\nint figure();\n"),
    ("harness/trial/trial.h", "+int figure();  // for the tests\n"),
    ("harness/base/error.cpp", '+extern "C" int hook(int) { return 0; }\nint main() {}\n'),
    ("harness/base/error.h", "+enum Old { kOne = 1, kTwo = 2 };\n"),
    # A library calls it.
    ("harness/base/error.cpp", "+struct A : library::Sax {\n  bool null() override {}\n};\nA a{};\n"
     "int b = a + b;\n"),
    ("README.md", "+\n`[not a link](lost.md)` and [a site](https://example.org/lost.md#x)\n\n"
     "```\n[nor this](lost.md)\n```\n\nYour own: `providers/mylog/`, `results/NAME.json`.\n"),
    ("harness/CMakeLists.txt", "+tailgate_fuzz(a SOURCES ${part}_fuzz.cpp\n"
     "  CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/base/corpus/${part})\n"),
])
def test_what_is_used_is_not_called_dead(check, path, text):
    used = {"harness/trial/trial_test.cpp": "+int figures = figure() + figures;\n"}
    if "fuzz" in text:
        used |= {"harness/text_fuzz.cpp": "", "harness/base/corpus/text/one": ""}
    assert check("dead", {**used, path: text}) == []


def test_declarations_are_told_from_uses():
    code = strip_cpp("""
        // int commented();
        namespace a::b {
        using Alias = std::map<int, std::vector<int>>;
        template <class T> requires Small<T> && (sizeof(T) < 8)
        class Box final : public Base<T> {
         public:
          explicit Box(int x) : size_{x}, next_(nullptr) { body(); }
          ~Box() override = default;
          [[nodiscard]] auto get() const -> const T& { return value_; }
          bool operator==(const Box&) const = default;
          static constexpr int kMax = 1'000, kMin{2};
         private:
          T value_[4] = {}, *other_;
          std::map<int, T> map_;
        };
        struct tm when;
        enum class Mode : char { off, on = 3, both };
        const char* text = R"(int raw();)";
        std::optional<std::pair<int, int>> find(const Box<int>& box, int limit = max(1, 2));
        }
        int Outer::method(int y) { return y; }
        #define MACRO(x) \\
          used_in_macro(x)
        """)
    declared, uses = read_declarations(code)
    found = {(declaration.kind, declaration.name) for declaration in declared}
    assert found == {
        ("alias", "Alias"), ("type", "Box"), ("method", "get"), ("field", "kMax"),
        ("field", "kMin"), ("field", "value_"), ("field", "other_"), ("field", "map_"),
        ("constant", "when"), ("type", "Mode"), ("enumerator", "off"), ("enumerator", "on"),
        ("enumerator", "both"), ("constant", "text"), ("function", "find"),
        ("function", "method"), ("macro", "MACRO")}
    lines = {declaration.name: declaration.line for declaration in declared}
    assert (lines["Alias"], lines["get"], lines["find"], lines["MACRO"]) == (4, 10, 20, 23)
    # The parameter of find() uses Box; what Box itself says of Box is no use.
    assert (uses["Box"], uses["value_"], uses["size_"], uses["method"]) == (1, 1, 1, 0)
    assert (uses["used_in_macro"], uses["commented"], uses["raw"]) == (1, 0, 0)


def test_calls_of_cmake_are_read_with_their_lines():
    calls = list(read_calls('# set(a b)\nset(a "b (c)"\n  ${d}/e)\nif(NOT (A OR B))\nendif()\n'))
    assert calls == [("set", 2, [(2, "a"), (2, "b (c)"), (3, "${d}/e")]),
                     ("if", 4, [(4, "NOT"), (4, "A"), (4, "OR"), (4, "B")]), ("endif", 5, [])]


def test_every_group_of_circles_is_reported_once():
    assert find_circles({}) == []
    assert find_circles({"a": {"b", "c"}, "b": {"c"}}) == []
    assert find_circles({"a": {"b"}, "b": {"c", "a"}, "c": {"a"}, "d": {"e"}, "e": {"d"},
                         "f": {"f"}}) == [["a", "b", "a"], ["d", "e", "d"], ["f", "f"]]
