"""Holds every include and every link between CMake units to the table in ci/layers.toml."""

import collections
import fnmatch
import posixpath
import re
import tomllib

from tidy_checks.sources import find_circles, folder_of, is_test
from tidy_checks.units import read_units

TABLE = "ci/layers.toml"
# x.h, x.cpp and its variants for a system or a missing library are one unit.
VARIANT = re.compile(r"(_(linux|windows|other|missing|x86))?\.(h|cpp)$")

Arrow = collections.namedtuple("Arrow", "start end path line")


def matches(pattern, folder):
    """True when folder is what a row's name says: each * stands for one folder's name."""
    parts, names = pattern.split("/"), folder.split("/")
    return len(parts) == len(names) and all(map(fnmatch.fnmatchcase, names, parts))


class Table:
    """What each folder may include. Its rows go from the bottom up."""

    def __init__(self, text):
        self.text = text
        table = tomllib.loads(text)
        self.layers = table.pop("layers")
        self.tests = table.pop("tests", {})
        self.exceptions = table.pop("exception", [])
        # What something needed: indices of exceptions, and (section, row, permit).
        self.used = set()
        if table:
            raise ValueError(f"there is no section '{next(iter(table))}'")
        for exception in self.exceptions:
            if set(exception) != {"from", "to", "why"}:
                raise ValueError(f"an exception has from, to and why, not {', '.join(exception)}")

    def row(self, folder, rows):
        """The name of the row that folder itself has, or ''."""
        if folder in rows:
            return folder
        return next((name for name in rows if matches(name, folder)), "")

    def layer(self, path):
        """The innermost folder of path that has a row in the table, or ''."""
        folder = folder_of(path)
        while folder and not self.row(folder, self.layers):
            folder = folder_of(folder)
        return folder

    def permits(self, layer, test):
        """What the rows of a folder allow, as (section, row, permit); a permit is the name of a
        folder or a file."""
        sections = ["layers", "tests"] if test else ["layers"]
        rows = [(section, self.row(layer, getattr(self, section))) for section in sections]
        return [(section, row, permit) for section, row in rows if row
                for permit in getattr(self, section)[row]]

    def allows(self, path, target, test):
        """True when the file path, a test or not, may include the file target."""
        layer = self.layer(target)

        def covers(permit):
            return permit == target or matches(permit, layer)

        if layer == self.layer(path):
            return True
        for permit in self.permits(self.layer(path), test):
            if covers(permit[2]):
                self.used.add(permit)
                return True
        for index, exception in enumerate(self.exceptions):
            if fnmatch.fnmatchcase(path, exception["from"]) and any(map(covers, exception["to"])):
                self.used.add(index)
                return True
        return False

    def explain(self, layer, other, test):
        """Why layer may not include what is in the layer other."""
        height = {name: index for index, name in enumerate(self.layers)}
        up = height[self.row(other, self.layers)] > height[self.row(layer, self.layers)]
        allowed = ", ".join(permit for _, _, permit in self.permits(layer, test)) or "nothing"
        return (f"that is {'up' if up else 'sideways'}; besides its own files it may include "
                f"{allowed} ({TABLE})")

    def problem(self, row, what):
        """A finding at a row of the table."""
        line = self.text.count("\n", 0, max(self.text.find(f'"{row}"'), 0)) + 1
        return f"{TABLE}:{line}: {what}"


def check(tree):
    """Findings, as FILE:LINE: what."""
    if TABLE not in tree.known:
        return [f"{TABLE}:1: the table is missing"]
    try:
        table = Table(tree.text(TABLE))
    except (KeyError, ValueError) as problem:
        return [f"{TABLE}:1: {problem}"]
    findings = [*check_includes(tree, table), *include_circles(tree, table),
                *check_links(tree, table)]
    # After the others, when it is known which exceptions they needed.
    return [*check_table(tree, table), *findings]


def check_table(tree, table):
    folders = {table.layer(path) for path in tree.cpp} - {""}

    def exists(name):
        return name in tree.known or any(matches(name, folder) for folder in folders)

    for name in [*table.layers, *table.tests]:
        if not exists(name):
            yield table.problem(name, f"there is no folder {name}")
    below = []
    for name, permits in table.layers.items():
        below.append(name)
        for permit in permits:
            folder = table.layer(permit) if permit in tree.known else permit
            if exists(permit) and not any(matches(row, folder) or matches(folder, row)
                                          for row in below):
                yield table.problem(name, f"{name} may include {permit}, which is not below it; "
                                    "the rows go from the bottom up")
    for section in ("layers", "tests"):
        for name, permits in getattr(table, section).items():
            for permit in permits:
                if not exists(permit):
                    yield table.problem(name, f"{name} may include {permit}, which is not there")
                elif (section, name, permit) not in table.used:
                    whose = f"{name}'s tests" if section == "tests" else name
                    yield table.problem(name, f"{whose} may include {permit}, and nothing there "
                                        "does; delete it")
    for index, exception in enumerate(table.exceptions):
        if index not in table.used:
            yield table.problem(exception["from"], "nothing needs the exception from "
                                f"{exception['from']} to {', '.join(exception['to'])}; delete it")


# Includes

def check_includes(tree, table):
    generated = " ".join(tree.text(path) for path in tree.cmake)
    for path in tree.cpp:
        known = table.layer(path) != ""
        if not known and path.split("/")[0] != "ci":
            yield f"{path}:1: {folder_of(path)} has no row in {TABLE}"
        for line, name, file in tree.includes(path):
            if not file:
                if posixpath.basename(name) not in generated:
                    yield f"{path}:{line}: there is no {name}"
            elif is_test(file) and not is_test(path):
                yield (f"{path}:{line}: {path} must not include {name}: only tests include what is "
                       "made for tests")
            elif known and table.layer(file) and not table.allows(path, file, is_test(path)):
                why = table.explain(table.layer(path), table.layer(file), is_test(path))
                yield f"{path}:{line}: {table.layer(path)} must not include {name}: {why}"


def include_circles(tree, table):
    """Circles of folders, and of units: a header with the .cpp files that go with it."""
    for what, name in (("folders", table.layer), ("units", lambda path: VARIANT.sub("", path))):
        found = {}
        for path in tree.cpp:
            if not is_test(path):
                for line, _, file in tree.includes(path):
                    if file and name(file) != name(path):
                        arrow = Arrow(name(path), name(file), path, line)
                        found.setdefault(arrow[:2], arrow)
        yield from describe_circles(f"circle of {what}", found)


def describe_circles(what, found):
    """One finding for each circle in found: {(start, end): Arrow}."""
    arrows = collections.defaultdict(set)
    for start, end in found:
        arrows[start].add(end)
    for circle in find_circles(arrows):
        steps = [found[step] for step in zip(circle, circle[1:])]
        places = ", ".join(f"{step.path}:{step.line}" for step in steps)
        yield f"{steps[0].path}:{steps[0].line}: {what}: {' -> '.join(circle)} ({places})"


# Links

def check_links(tree, table):
    """Links that the table forbids, links to nothing, circles of CMake's units, and includes
    without a link."""
    units = read_units(tree)
    found = {}
    for unit in units.values():
        for name, line, path in unit.links:
            if name not in units:
                if "$" not in name:
                    yield f"{path}:{line}: {unit.name} links {name}, which nothing builds"
                continue
            found.setdefault((unit.name, name), Arrow(unit.name, name, path, line))
            mine, other = layer_of(table, unit), layer_of(table, units[name])
            if mine and other and not may_link(table, unit, units[name]):
                why = table.explain(mine, other, unit.is_test())
                yield f"{path}:{line}: {unit.name} must not link {name}: {why}"
    yield from describe_circles("circle of CMake units", found)
    yield from missing_links(tree, units)


def layer_of(table, unit):
    """The folder whose row counts: that of the sources, where they all lie in one."""
    layers = {table.layer(source) for source in unit.sources}
    return layers.pop() if len(layers) == 1 else table.layer(unit.path)


def may_link(table, unit, other):
    """True when some file of unit may include some file of other."""
    targets = [posixpath.join(layer_of(table, other), "x"), *other.sources]
    targets += [re.sub(r"\.cpp$", ".h", source) for source in other.sources]
    files = [posixpath.join(layer_of(table, unit), "x"), unit.path, *unit.sources]
    return any(table.allows(path, target, unit.is_test()) for path in files if table.layer(path)
               for target in targets)


def missing_links(tree, units):
    """Includes of headers whose .cpp file the including unit links neither itself nor through
    another unit. The linker finds them in a test, which is a program, but not in a library."""
    builders = collections.defaultdict(set)
    for unit in units.values():
        for source in unit.sources:
            builders[VARIANT.sub("", source)].add(unit.name)
    for unit in (unit for unit in units.values() if not unit.is_test()):
        linked = linked_units(units, unit)
        for source in unit.sources:
            for path in (source, re.sub(r"\.cpp$", ".h", source)):
                for line, name, _ in tree.includes(path) if path in tree.known else ():
                    needed = builders.get(VARIANT.sub("", name), linked)
                    if not needed & linked:
                        linked |= needed  # once is enough
                        yield (f"{path}:{line}: {unit.name} includes {name} and does not link "
                               f"{' or '.join(sorted(needed))}")


def linked_units(units, unit):
    """The names of unit and of all that it links."""
    seen, waiting = set(), [unit.name]
    while waiting:
        name = waiting.pop()
        if name in units and name not in seen:
            seen.add(name)
            waiting += [link for link, _, _ in units[name].links]
    return seen
