"""What the checks read out of the project's files: C++ without comments, includes, CMake calls."""

import collections
import functools
import posixpath
import re

CPP_SUFFIXES = {".h", ".cpp"}
# Bytes that some other program reads or wrote: recorded as they are.
DATA_FOLDERS = {"fixtures", "corpus", "baselines"}
TEST_FILE = re.compile(r"(^|/)(testing/|test_[^/]*$)|_(test|bench|fuzz)\.(h|cpp|py)$")
# Numbers come first: the ' in 1'000 begins no character.
NOT_CODE = re.compile(r"""\b\d[\w'.]*|//(?:[^\n]*\\\n)*[^\n]*|/\*.*?\*/
    |R"(?P<raw>[^\s()\\]{0,16})\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
                      re.DOTALL | re.VERBOSE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"', re.MULTILINE)
# A word of CMake: quoted, or up to the next blank or parenthesis.
CMAKE_TOKEN = re.compile(r'"((?:\\.|[^"\\])*)"|#[^\n]*|([()])|([^\s()"#]+)')

CMakeCall = collections.namedtuple("CMakeCall", "name line words")  # words: of (line, text)


def is_test(path):
    """True for a file that only tests are made of."""
    return TEST_FILE.search(path) is not None


def folder_of(path):
    return posixpath.dirname(path)


def strip_cpp(text):
    """C++ with comments removed and strings emptied; every line keeps its number."""
    def replace(match):
        found = match.group()
        if found[0].isdigit():
            return found
        return ('""' if '"' in found[:2] else "") + "\n" * found.count("\n")
    return NOT_CODE.sub(replace, text)


def without_comments(text):
    """C++ with its strings, the names in #include among them, but without comments."""
    def replace(match):
        found = match.group()
        return "\n" * found.count("\n") if found[:2] in ("//", "/*") else found
    return NOT_CODE.sub(replace, text)


def interpreter(root, path):
    """'python', 'sh' or '' for the program that runs the script at path."""
    if path.suffix == ".py":
        return "python"
    if path.suffix == ".sh":
        return "sh"
    if path.suffix:
        return ""
    with open(root / path, "rb") as file:
        first = file.readline(100)
    if not first.startswith(b"#!"):
        return ""
    return "python" if b"python" in first else "sh" if b"sh" in first else ""


class Tree:
    """The project's files, by path relative to its root, and what was read out of them."""

    def __init__(self, root, files):
        self.root = root
        self.paths = [path.as_posix() for path in files]
        self.known = set(self.paths)
        self.cpp = [path for path in self.paths if path.endswith(tuple(CPP_SUFFIXES))]
        self.cmake = [path for path in self.paths
                      if path.endswith((".cmake", "CMakeLists.txt"))]

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        """A file's text; of a file that is no text, nothing."""
        data = (self.root / path).read_bytes()
        return "" if b"\0" in data else data.decode("utf-8", errors="replace")

    @functools.lru_cache(maxsize=None)
    def includes(self, path):
        """(line, name, file) of each #include "name"; file is '' where no file has that name."""
        found = []
        text = without_comments(self.text(path))
        for match in INCLUDE.finditer(text):
            name = match.group(1)
            beside = posixpath.normpath(posixpath.join(folder_of(path), name))
            file = next((file for file in (name, beside) if file in self.known), "")
            found.append((text.count("\n", 0, match.start()) + 1, name, file))
        return found

    @functools.lru_cache(maxsize=None)
    def calls(self, path):
        """The calls in a file of CMake, those within conditions and functions included."""
        return list(read_calls(self.text(path)))


def read_calls(text):
    """Yields a CMakeCall for each command in text."""
    name, words, depth = None, [], 0
    line, position = 1, 0
    for match in CMAKE_TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        quoted, parenthesis, word = match.groups()
        if parenthesis == "(":
            depth += 1
            if depth == 1:
                start = line
                words = []
        elif parenthesis == ")":
            depth -= 1
            if depth == 0:
                yield CMakeCall(name, start, words)
        elif depth == 0:
            name = word
        elif quoted is not None or word is not None:
            words.append((line, word if quoted is None else quoted))


def find_circles(arrows):
    """Circles in {node: set of nodes}: one, as short as it gets, for each group of nodes that
    reach each other. Each is a list of nodes, the first again at its end."""
    nodes = sorted(set(arrows).union(*arrows.values()) if arrows else set())
    circles, seen = [], set()
    for start in nodes:
        if start in seen:
            continue
        circle = shortest_circle(arrows, start)
        if circle:
            circles.append(circle)
            seen.update(node for node in nodes if shortest_way(arrows, start, node)
                        and shortest_way(arrows, node, start))
    return circles


def shortest_circle(arrows, start):
    if start in arrows.get(start, ()):
        return [start, start]
    return shortest_way(arrows, start, start)


def shortest_way(arrows, start, end):
    """The nodes of a shortest way from start to end that has at least one arrow; else []."""
    came_from, queue = {}, collections.deque([start])
    while queue:
        node = queue.popleft()
        for following in sorted(arrows.get(node, ())):
            if following == end:
                way = [end, node]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if following not in came_from and following != start:
                came_from[following] = node
                queue.append(following)
    return []
