"""Changes of C and C++ sources that change nothing that runs. Each takes a file's text and a
number that makes it unique, and returns the new text, or None where the file has no place for it.
"""

import re

KINDS = {}


def kind(name):
    def add(edit):
        KINDS[name] = edit
        return edit
    return add


def after_includes(lines):
    """The number of the line after the last #include; None without one."""
    found = [at for at, line in enumerate(lines) if line.startswith("#include")]
    return found[-1] + 1 if found else None


def before_end(text, added):
    """Puts a definition behind all others: before the last namespace ends, if there is one."""
    at = text.rfind("\n}  // namespace")
    return text + added if at < 0 else text[:at] + "\n" + added + text[at:]


@kind("comment")
def comment(text, number):
    lines = text.split("\n")
    at = after_includes(lines)
    if at is None:
        return None
    lines.insert(at, f"\n// Note {number}: this line changes nothing.")
    return "\n".join(lines)


@kind("unused function")
def unused_function(text, number):
    return before_end(text, f"int harmless_sum_{number}(const int* values, int count) {{\n"
                            "  int sum = 0;\n"
                            "  for (int i = 0; i < count; ++i) sum += values[i] * (i + 3);\n"
                            "  return sum;\n}\n")


@kind("unused table")
def unused_table(text, number):
    numbers = ", ".join(str(number + i) for i in range(37))
    return before_end(text, f"extern const int harmless_table_{number}[];\n"
                            f"const int harmless_table_{number}[] = {{{numbers}}};\n")


@kind("longer text that is not printed")
def longer_text(text, number):
    """Of an error: 'throw Error("...' or 'Error(fmt::format("...'."""
    found = re.search(r'Error\((?:fmt::format\()?"(?=[^"\\]{8,}")', text)
    if found is None:
        return None
    return text[:found.end()] + f"(note {number}, which nobody reads) " + text[found.end():]


def functions(lines):
    """Begin and end of the definitions at the first column, each between blank lines, with the
    comments above. Of members alone: their order in the file does not matter to a compiler."""
    blocks = []
    begin = 0
    for at, line in enumerate(lines):
        if line == "":
            begin = at + 1
        elif line == "}" and (at + 1 == len(lines) or lines[at + 1] == ""):
            head = next((text for text in lines[begin:at]
                         if text and not text.startswith("//")), "")
            if re.match(r"[A-Za-z][\w:<>&*, ]*\w::~?\w+\(", head):
                blocks.append((begin, at + 1))
            begin = at + 1
    return blocks


@kind("reordered functions")
def reordered_functions(text, number):
    """Two members that follow each other change places."""
    lines = text.split("\n")
    blocks = functions(lines)
    pairs = [(one, other) for one, other in zip(blocks, blocks[1:])
             if other[0] - one[1] == 1 and lines[one[1]] == ""]
    if not pairs:
        return None
    (a, b), (c, d) = pairs[number % len(pairs)]
    return "\n".join(lines[:a] + lines[c:d] + [""] + lines[a:b] + lines[d:])


@kind("renamed local")
def renamed_local(text, number):
    """A constant of a function gets another name in that function."""
    places = list(re.finditer(r"\n  const (?:auto|double|bool|std::\w+) (\w+) = ", text))
    for turn in range(len(places)):
        place = places[(number + turn) % len(places)]
        name = place.group(1)
        end = text.find("\n}", place.start())
        body = text[place.start():end]
        # Names behind a dot, an arrow or colons are somebody else's, and so may those in texts be.
        others = [rf"(?:\.|->|::|\[&?){name}\b", rf'"[^"\n]*\b{name}\b']
        if any(re.search(other, body) for other in others):
            continue
        renamed = re.sub(rf"\b{name}\b", f"{name}_{number}", body)
        return text[:place.start()] + renamed + text[end:]
    return None


@kind("reordered includes")
def reordered_includes(text, number):
    """Two own headers change places that follow each other; the first, the file's own, stays."""
    lines = text.split("\n")
    own = [at for at, line in enumerate(lines) if line.startswith('#include "')][1:]
    pairs = [at for at in own if at + 1 in own]
    if not pairs:
        return None
    at = pairs[number % len(pairs)]
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return "\n".join(lines)


@kind("moved lines")
def moved_lines(text, number):
    """Blank lines, so that all that follows has other line numbers."""
    lines = text.split("\n")
    at = after_includes(lines)
    if at is None:
        return None
    return "\n".join(lines[:at] + [""] * (number % 7 + 1) + lines[at:])
