"""The libraries, programs and tests that CMake builds, found in the CMakeLists.txt files.

A condition counts as true and as false: a unit has the sources and links of every system.
"""

import posixpath
import re

from tidy_checks.sources import folder_of, is_test

UNIT_CALLS = {"tailgate_library", "tailgate_test", "tailgate_bench", "tailgate_fuzz",
              "add_library", "add_executable", "target_sources", "target_link_libraries"}
KEYWORDS = {"SOURCES", "LIBS", "CORPUS"}


class Unit:
    """A library, program or test of CMake, as the CMakeLists.txt files describe it."""

    def __init__(self, name, path, line):
        self.name, self.path, self.line = name, path, line
        self.sources, self.links = [], []  # links: of (name, line, file that says so)
        self.made_for_tests = False

    def is_test(self):
        return self.made_for_tests or (self.sources != [] and all(map(is_test, self.sources)))


def read_units(tree):
    """name -> Unit, for everything that the project's CMake files build."""
    units = {}
    for path in tree.cmake:
        for call in tree.calls(path):
            if call.name in UNIT_CALLS and call.words:
                read_unit(tree, units, path, call)
    return units


def read_unit(tree, units, path, call):
    name, kind = call.words[0][1], call.name.removeprefix("tailgate_")
    if call.name.startswith("tailgate_"):
        name = f"tailgate_{name}" if kind == "library" else f"tailgate_{name}_{kind}"
    unit = units.setdefault(name, Unit(name, path, call.line))
    unit.made_for_tests |= kind in ("test", "bench", "fuzz")
    section = "LIBS" if call.name == "target_link_libraries" else "SOURCES"
    for line, word in call.words[1:]:
        if word in KEYWORDS:
            section = word
        elif section == "SOURCES":
            sources = find_sources(tree, folder_of(path), word)
            unit.sources += [source for source in sources if source not in unit.sources]
        elif section == "LIBS" and word.startswith("tailgate_"):
            unit.links.append((word, line, path))


def find_sources(tree, folder, word):
    """The files that a word of a CMakeLists.txt in folder means, for any system."""
    match = re.search(r"[\w./+*${}-]+\.cpp", word)
    if not match:
        return []
    name = match.group()
    if name.startswith("${PROJECT_SOURCE_DIR}/"):
        folder, name = "", name.partition("/")[2]
    pattern = re.compile(path_pattern(posixpath.normpath(posixpath.join(folder, name))))
    return [path for path in tree.cpp if pattern.fullmatch(path)]


def path_pattern(path):
    """The expression for a path with variables and *, each of which stands for any name. As in
    tailgate_find_sources, *.cpp stands for no test and no main.cpp."""
    pattern = "[^/]*".join(map(re.escape, re.split(r"\$\{\w+\}|\*", path)))
    if "*" in path and not is_test(path):
        pattern = rf"(?!.*_(?:test|bench|fuzz)\.cpp$|(?:.*/)?main\.cpp$){pattern}"
    return pattern
