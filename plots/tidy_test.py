"""House style of the Python files: what fits a screen can be read."""
import ast
import pathlib

import pytest

FILES = sorted(pathlib.Path(__file__).parent.glob("*.py"))
MOST_COLUMNS, MOST_FUNCTION_LINES, MOST_FILE_LINES = 100, 70, 600


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_tidy(path):
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) <= MOST_FILE_LINES and text.endswith("\n") and not text.endswith("\n\n")
    for number, line in enumerate(lines, 1):
        assert len(line) <= MOST_COLUMNS, f"line {number} is too wide"
        assert line == line.rstrip() and "\t" not in line, f"line {number} has stray blanks"
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "the file does not say what it is for"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            length = node.end_lineno - node.lineno + 1
            assert length <= MOST_FUNCTION_LINES, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_import_is_used(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {(alias.asname or alias.name).split(".")[0] for node in ast.walk(tree)
                if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert imported <= used, f"unused: {imported - used}"
