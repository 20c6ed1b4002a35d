"""Finds what nothing uses: files, C++ declarations, functions of Python, shell and CMake, links.

What it goes by is names. Two things of one name hide each other, so something dead may be missed;
what it reports is dead, or is used in a way that the constants below should know.
"""

import ast
import collections
import itertools
import posixpath
import re
from pathlib import Path

from tidy_checks import layers
from tidy_checks.declarations import read_declarations
from tidy_checks.sources import DATA_FOLDERS, folder_of, interpreter, is_test, strip_cpp
from tidy_checks.units import path_pattern, read_units

WORD = re.compile(r"[A-Za-z_]\w*")
FILE_WORD = re.compile(r"[\w.@+=-]+")
# A tool looks for these by name.
KNOWN_FILES = re.compile(r"(^|/)(README\.md|CMakeLists\.txt|CONTRIBUTING\.md|LICENSE|conftest\.py"
                         r"|CMakePresets\.json|vcpkg\.json|\.[^/]+|\.(ci|github)/.*)$")
# Here, files are found by their folder's name.
FOLDERS_OF_DATA = DATA_FOLDERS | {"testdata", "calibration"}
# The language or a library calls them without naming them.
IMPLICIT = {"begin", "end", "is_transparent", "to_json", "from_json", "main", "parse", "format",
            "LLVMFuzzerTestOneInput", "on_overflow", "la_version", "la_objopen",
            "la_symbind64", "la_x86_64_gnu_pltenter",
            "la_x86_64_gnu_pltexit"}
KINDS_THAT_NEED_A_USER = {"type", "function", "alias"}
FOR_TESTS_ALONE = "only tests use it; delete it, or say in its comment that it is for tests"
FOR_TESTS = re.compile(r"\bfor (the )?tests?\b", re.IGNORECASE)
PASTE = re.compile(r"(\w*)##(\w+)##(\w*)|(\w+)##(\w+)")
PYTEST_NAME = re.compile(r"(test|pytest)_|Test")
SHELL_FUNCTION = re.compile(r"^(\w+)\(\) *[{(]", re.MULTILINE)
PROJECT_PATH = re.compile(r"(?<![\w/.${}>*~@-])"
                          r"(?:harness|providers|scenarios|results|plots|ci)/[\w./@-]+")
# No file of the tree: a stand-in for a name, or a folder that a command makes.
PLACEHOLDER = re.compile(r"(^|[/.])(?:[A-Z][A-Z_]+|my\w+|mine)(?=[/.]|$)"
                         r"|^results/(baselines|calibration)(/|$)")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
LINK_DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
FENCE = re.compile(r"^( *)(```+|~~~+).*?^ *\2[^\n]*$", re.MULTILINE | re.DOTALL)


def check(tree):
    """Findings, as FILE:LINE: what, of all kinds."""
    return [*dead_files(tree), *dead_declarations(tree), *dead_python(tree),
            *dead_shell_functions(tree), *dead_cmake_functions(tree), *dead_links(tree),
            *dead_paths(tree)]


def is_data(path):
    return not FOLDERS_OF_DATA.isdisjoint(path.split("/")[:-1])


# Files

def cmake_patterns(tree):
    """One expression for each word of a CMakeLists.txt that may name a file or folder, and for
    what install() finds by its ending."""
    patterns = set()
    for path in tree.cmake:
        for call in tree.calls(path):
            words = [text for _, text in call.words]
            for word in words:
                for part in re.findall(r"[\w./@+*${}-]*[./][\w./@+*${}-]*[\w}]", word):
                    patterns.add(cmake_pattern(folder_of(path), part))
            if call.name == "install" and {"DIRECTORY", "PATTERN"} <= set(words):
                folder = cmake_pattern(folder_of(path), words[words.index("DIRECTORY") + 1])
                ending = words[words.index("PATTERN") + 1].removeprefix("*")
                patterns.add(rf"{folder}/.*{re.escape(ending)}")
    return patterns


def cmake_pattern(folder, word):
    """The expression of the paths that a word in the CMakeLists.txt of a folder may mean."""
    word = re.sub(r"\$\{CMAKE_CURRENT_(SOURCE|LIST)_DIR\}/?", "", word)
    if re.match(r"\$\{\w*SOURCE_DIR\}/", word):
        folder, word = "", word.split("/", 1)[1]
    return path_pattern(posixpath.normpath(posixpath.join(folder, word)))


def mentioned_words(tree):
    """word -> the files whose text has it; data says nothing of other files."""
    mentions = collections.defaultdict(set)
    for path in tree.paths:
        if not is_data(path):
            for word in FILE_WORD.findall(tree.text(path)):
                mentions[word.strip(".-")].add(path)
    return mentions


def dead_files(tree):
    named = re.compile("|".join(sorted(cmake_patterns(tree))) or r"(?!)")
    included = collections.defaultdict(set)
    for path in tree.cpp:
        for _, _, file in tree.includes(path):
            included[file].add(path)
    mentions = mentioned_words(tree)
    modules = {folder_of(path) for path in tree.cmake}
    for path in tree.paths:
        if KNOWN_FILES.search(path) or named.fullmatch(path):
            continue
        if path.endswith(".cpp"):
            yield f"{path}:1: no CMakeLists.txt builds this file"
        elif path.endswith(".h"):
            if not included[path]:
                yield f"{path}:1: nothing includes this file"
        elif not (is_mentioned(tree, path, mentions)
                  or in_named_folder(path, named, mentions, modules)):
            yield f"{path}:1: nothing names this file"


def is_mentioned(tree, path, mentions):
    """True when some other file has the path's name, or a Python module's in an import."""
    name = posixpath.basename(path)
    stem, suffix = posixpath.splitext(name)
    names = {name} if suffix or not is_data(path) else set()
    if suffix in (".toml", ".cmake"):
        names |= {stem, stem.removeprefix("Find")}
    if any(mentions.get(name, set()) - {path} for name in names):
        return True
    imported = re.compile(rf"^\s*(from [\w.]*\b{re.escape(stem)} import|"
                          rf"(from [\w.]+ )?import [\w., ]*\b{re.escape(stem)}\b)", re.MULTILINE)
    return suffix == ".py" and any(imported.search(tree.text(other))
                                   for other in mentions.get(stem, set()) - {path})


def in_named_folder(path, named, mentions, modules):
    """True when CMake, or for fixtures and baselines some code, names a folder between the path
    and the folder of its CMakeLists.txt."""
    folder = folder_of(path)
    while folder and folder not in modules:
        name = posixpath.basename(folder)
        if named.fullmatch(folder) or (name in FOLDERS_OF_DATA - {"corpus"} and mentions.get(name)):
            return True
        folder = folder_of(folder)
    return False


# Declarations of C++

def test_files(tree):
    """Files that only tests are made of: by their name, since only tests are built of them, or
    since only such files, and what implements it, include a header."""
    builders, includers = collections.defaultdict(set), collections.defaultdict(set)
    for unit in read_units(tree).values():
        for source in unit.sources:
            builders[source].add(unit.is_test())
    for path in tree.cpp:
        for _, _, file in tree.includes(path):
            includers[file].add(path)
    tests = {path for path in tree.cpp if is_test(path) or builders[path] == {True}}
    grown = True
    while grown:
        grown = False
        for path in set(includers) - tests:
            stem = posixpath.splitext(path)[0]
            others = {other for other in includers[path] if not other.startswith(stem)}
            if others and others <= tests:
                tests.add(path)
                grown = True
    return tests


def pasted_names(tree):
    """An expression of the names that macros put together with ##."""
    patterns = set()
    for path in tree.cpp:
        if "##" not in tree.text(path):
            continue
        for match in PASTE.finditer(tree.text(path)):
            before, _, after, front, _ = match.groups()
            if before or after:
                patterns.add(rf"{before or ''}\w+{after or ''}")
            elif front:
                patterns.add(rf"{front}\w+")
    return re.compile("|".join(patterns) or r"(?!)")


def dead_declarations(tree):
    """What no code uses; and what headers declare, but only tests use, or only the file that
    defines it."""
    declared, users, defined = {}, collections.defaultdict(set), collections.defaultdict(set)
    for path in tree.cpp:
        declared[path], uses = read_declarations(strip_cpp(tree.text(path)))
        for name, count in uses.items():
            if count > 0:
                users[name].add(path)
        for declaration in declared[path]:
            defined[declaration.name].add(path)
    tests, pasted = test_files(tree), pasted_names(tree)
    for path in tree.cpp:
        for declaration in declared[path]:
            name = declaration.name
            if name in IMPLICIT or name.startswith("_") or pasted.fullmatch(name):
                continue
            what = judge(declaration, path, users[name], defined[name], tests)
            if what == FOR_TESTS_ALONE and says_for_tests(tree, path, declaration.line):
                continue
            if declaration.kind == "method" and overrides_a_library(
                    tree, path, declaration.line, defined[name]):
                continue
            if what:
                yield f"{path}:{declaration.line}: {declaration.kind} '{name}': {what}"


def judge(declaration, path, users, defined, tests):
    """What is wrong with a declaration, or ''."""
    kind = declaration.kind
    if kind == "enumerator" and declaration.given:
        return ""  # numbered as somebody else's format is, or what a zeroed variable holds
    if path.endswith(".cpp"):
        # What a header declares as well is judged there; macros steer the headers that follow.
        own = kind != "macro" and not any(file.endswith(".h") for file in defined)
        return "" if users or not own else "nothing uses it; delete it"
    if not users:
        return "nothing uses it; delete it"
    if users <= tests and path not in tests and kind not in ("field", "enumerator"):
        return FOR_TESTS_ALONE
    implementations = {file for file in defined if file.endswith(".cpp")}
    if kind in KINDS_THAT_NEED_A_USER and len(users) == 1 and users <= implementations:
        return f"only {min(users)} uses it; declare it there"
    return ""


def overrides_a_library(tree, path, line, defined):
    """True when a method overrides one that no header of this tree declares: a library calls it."""
    text = "\n".join(tree.text(path).split("\n")[line - 1:])
    head = re.match(r"[^;{}]*", strip_cpp(text)).group()
    return "override" in head.split() and not any(file.endswith(".h") for file in defined)


def says_for_tests(tree, path, line):
    """True when the comment above or beside a line says that what is declared is for tests."""
    lines = tree.text(path).split("\n")
    comment = [lines[line - 1].partition("//")[2]]
    above = reversed(lines[:line - 1])
    comment += itertools.takewhile(lambda text: text.lstrip().startswith("//"), above)
    return FOR_TESTS.search(" ".join(comment)) is not None


# Functions of Python, the shell and CMake

def find_scripts(tree, kind):
    return [path for path in tree.paths
            if not is_data(path) and interpreter(tree.root, Path(path)) == kind]


def read_python(text):
    """(top-level definitions as (name, line), imported names likewise, used names) of one Python
    file."""
    defined, imported, used = [], [], collections.Counter()
    parsed = ast.parse(text)
    for node in parsed.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.decorator_list:
            defined.append((node.name, node.lineno))
        elif isinstance(node, ast.Assign):
            defined += [(target.id, node.lineno) for target in node.targets
                        if isinstance(target, ast.Name)]
    for node in ast.walk(parsed):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used[node.id] += 1
        elif isinstance(node, ast.Attribute):
            used[node.attr] += 1
        elif isinstance(node, ast.arg):
            used[node.arg] += 1  # a fixture of pytest
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imported += [((name.asname or name.name).split(".")[0], node.lineno)
                         for name in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            used[node.value] += 1  # a name for getattr, monkeypatch, importlib
    return defined, imported, used


def dead_python(tree):
    """Functions, classes, constants and imports of Python files that nothing uses, or only
    tests."""
    defined, users = {}, collections.defaultdict(set)
    for path in find_scripts(tree, "python"):
        defined[path], imported, used = read_python(tree.text(path))
        for name in used:
            users[name].add(path)
        for name, line in imported:
            if not used[name]:
                yield f"{path}:{line}: import of '{name}': nothing uses it; delete it"
    for path, names in defined.items():
        for name, line in names:
            if PYTEST_NAME.match(name) or name == "pytestmark" or name.startswith("__"):
                continue
            if not users[name]:
                yield f"{path}:{line}: '{name}': nothing uses it; delete it"
            elif all(map(is_test_script, users[name])) and not is_test_script(path):
                yield f"{path}:{line}: '{name}': only tests use it; move it to them"


def is_test_script(path):
    name = posixpath.basename(path)
    return is_test(path) or name in ("conftest.py", "testing.py", "command_module.py")


def dead_shell_functions(tree):
    scripts = find_scripts(tree, "sh")
    words = collections.Counter()
    for path in scripts:
        words.update(WORD.findall(re.sub(r"(^|\s)#[^\n]*", "", tree.text(path))))
    for path in scripts:
        for match in SHELL_FUNCTION.finditer(tree.text(path)):
            if words[match.group(1)] == 1:
                line = tree.text(path).count("\n", 0, match.start()) + 1
                yield f"{path}:{line}: function '{match.group(1)}': nothing calls it; delete it"


def dead_cmake_functions(tree):
    words, defined = collections.Counter(), []
    for path in tree.cmake:
        for call in tree.calls(path):
            words[call.name] += 1
            for _, text in call.words:
                words.update(WORD.findall(text))
            if call.name in ("function", "macro"):
                defined.append((call.words[0][1], "function", path, call.line))
            elif call.name == "set" and call.words[0][1].islower():
                defined.append((call.words[0][1], "variable", path, call.line))
    for name, kind, path, line in defined:
        if words[name] == 1:
            yield f"{path}:{line}: {kind} '{name}': nothing uses it; delete it"


# Links

def heading_anchors(text):
    """The anchors that GitHub gives to the headings of a Markdown text."""
    anchors, seen = set(), collections.Counter()
    for heading in re.findall(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$", FENCE.sub("", text), re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        anchors.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return anchors | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def blank(match):
    return "\n" * match.group().count("\n")


def dead_links(tree):
    folders = {folder for path in tree.paths for folder in parents(path)}
    for path in tree.paths:
        if not path.endswith(".md") or is_data(path):
            continue
        text = re.sub(r"`[^`\n]*`", blank, FENCE.sub(blank, tree.text(path)))
        for match in [*LINK.finditer(text), *LINK_DEFINITION.finditer(text)]:
            target = match.group(1)
            if re.match(r"\w+:", target):
                continue
            line = text.count("\n", 0, match.start(1)) + 1
            name, _, anchor = target.partition("#")
            file = posixpath.normpath(posixpath.join(folder_of(path), name)) if name else path
            if file not in tree.known and file not in folders:
                yield f"{path}:{line}: link to {target}: there is no {file}"
            elif anchor and file.endswith(".md") and anchor not in heading_anchors(tree.text(file)):
                yield f"{path}:{line}: link to {target}: no heading of {file} gives this anchor"


def parents(path):
    while path := folder_of(path):
        yield path


def dead_paths(tree):
    """Texts and comments that name a file of the project which is not there."""
    present = tree.known | {folder for path in tree.paths for folder in parents(path)}
    for path in tree.paths:
        if is_data(path) or path.endswith("_test.py") or path == layers.TABLE:
            continue
        text = LINK.sub(blank, tree.text(path)) if path.endswith(".md") else tree.text(path)
        for number, line in enumerate(text.split("\n"), 1):
            if "#include" in line:
                continue  # the layers check tells
            for match in PROJECT_PATH.finditer(line):
                name = match.group().rstrip("./-")
                if name not in present and not PLACEHOLDER.search(name):
                    yield f"{path}:{number}: names {name}, which is not there"
