"""How text that somebody else wrote is put into each kind of output, as harness/base/quoting.h does
it in the program: names, labels and remarks come from files of any origin, and none of them may
control where it is shown.
"""
import contextlib
import html
import os
import re
import sys

# Control characters, what reorders or separates lines of bidirectional text, and halves of
# surrogate pairs, which stand for bytes of a file's name that are not UTF-8.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
MARKUP = re.compile(r"[\\`*{}\[\]<>#|&!~$]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|^[-+](?= )")
MOST_CHARACTERS = 400  # of a text in a plot; a longer one would need paper of any size


def printable(text):
    """For a terminal, within a line: each unsafe character is replaced by '?'."""
    return UNSAFE.sub("?", str(text))


def say(text):
    """Prints a line at once, so that OSError tells when nobody can read it."""
    print(printable(text), flush=True)


def unwritable(error):
    """What an OSError says about the file that could not be written, and what to do."""
    if error.filename is None:  # from say()
        # Or else Python would try it again at its end, and complain in its own words.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
        return f"standard output: {error.strerror}; make room, or print elsewhere"
    return f"{error.filename}: {error.strerror}; give another --out"


def replace_file(path, data):
    """Writes the bytes to a file, which appears whole or not at all: OSError names the path when it
    cannot be written."""
    unfinished = path.with_name(f".{path.name[:200]}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None


def tell(text):
    """Prints a line on standard error."""
    print(printable(text), file=sys.stderr)


def markdown(text):
    """Markdown that shows the text as it is, within a line or a table's cell."""
    return MARKUP.sub(r"\\\g<0>", printable(text))


def markdown_code(text):
    """The same as code, unless a character of it would end the code or the table's cell."""
    return markdown(text) if re.search(r"[`|\\]", text) else f"`{printable(text)}`"


def markup(text):
    """HTML that shows the text as it is, within a line; also as an attribute's value."""
    return html.escape(printable(text))


def drawable(text):
    """For a plot: printable, and of a length that fits a sheet."""
    text = printable(text)
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS - 1] + "\u2026"


def drawable_data(data):
    """A file's data with drawable texts; the encoded histograms ("hdr") stay as they are."""
    if isinstance(data, dict):
        return {key: value if key == "hdr" else drawable_data(value) for key, value in data.items()}
    if isinstance(data, list):
        return [drawable_data(entry) for entry in data]
    return drawable(data) if isinstance(data, str) else data
