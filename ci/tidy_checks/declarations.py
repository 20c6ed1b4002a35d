"""The names that C++ declares outside of functions, found without a compiler.

A reader of tokens, not a parser of the language: it knows the shapes of this project's code (which
clang-format keeps alike) and leaves out what it does not understand, so that a name may be missed,
but is hardly ever made up.
"""

import collections
import re

# kind: type, alias, function, method, constant, field, enumerator or macro. token: the name's
# place in the list of tokens. own: the places between which a type's own name is no use of it.
# given: an enumerator with a number, or the first one, whose number is zero.
Declaration = collections.namedtuple("Declaration", "name kind line token own given",
                                     defaults=[None, False])

TOKEN = re.compile(r'[A-Za-z_]\w*|\d[\w\'.]*|""|::|->|\n|[^\s\w]')
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)")
NAME = re.compile(r"[A-Za-z_]\w*$")
# They look like a declared name, or like one that is called, and are not.
WORDS = set("""alignas alignof asm auto bool char class const consteval constexpr constinit decltype
    default delete double enum explicit extern false final float friend if inline int long mutable
    namespace noexcept nullptr operator override private protected public register requires return
    short signed sizeof static static_assert struct template this thread_local throw true typedef
    typename union unsigned using virtual void volatile while""".split())


def tokenize(code):
    """code (from strip_cpp) as lists of tokens and of their lines, without what begins with #."""
    code = DIRECTIVE.sub(lambda match: "\n" * match.group().count("\n"), code)
    tokens, lines, line = [], [], 1
    for token in TOKEN.findall(code):
        if token == "\n":
            line += 1
        else:
            tokens.append(token)
            lines.append(line)
    return tokens, lines


def read_macros(code):
    """The macros that code defines, as declarations without a place among the tokens."""
    for match in DIRECTIVE.finditer(code):
        define = DEFINE.match(match.group())
        if define:
            line = code.count("\n", 0, match.start()) + 1
            yield Declaration(define.group(1), "macro", line, None)


class Reader:
    """Reads the declarations of one file."""

    def __init__(self, code):
        self.tokens, self.lines = tokenize(code)
        self.at = 0
        self.found = []
        # Places of names that repeat a declaration: Type in Type::member() {}, constructors.
        self.repeated = set()
        while self.at < len(self.tokens):
            self.read_scope("")
            self.at += 1  # a closing brace that nothing opened

    def peek(self, ahead=0):
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def skip_balanced(self):
        """Steps over the bracket here and what it encloses."""
        depth = 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            depth += token in "({[" and token != ""
            depth -= token in ")}]"
            self.at += 1
            if depth == 0:
                return

    def skip_angles(self):
        """Steps over <...> where it is a template's list; else over the < alone."""
        start, depth = self.at, 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token in "([{":
                self.skip_balanced()
                continue
            if token == "<":
                depth += 1
            elif token == ">":
                depth -= 1
            elif token in ";)}]":
                break
            self.at += 1
            if depth == 0:
                return
        self.at = start + 1

    def skip_to_end(self):
        """Steps over the rest of a statement, its ; included."""
        while self.at < len(self.tokens) and self.peek() not in (";", "}"):
            if self.peek() in "([{":
                self.skip_balanced()
            else:
                self.at += 1
        if self.peek() == ";":
            self.at += 1

    def declare(self, kind, token, own=None, given=False):
        self.found.append(Declaration(self.tokens[token], kind, self.lines[token], token, own,
                                      given))

    def read_scope(self, owner):
        """Reads up to the scope's closing brace; owner is the class whose scope it is, or ''."""
        while self.at < len(self.tokens) and self.peek() != "}":
            self.read_statement(owner)

    def read_statement(self, owner):
        token = self.peek()
        if token == ";":
            self.at += 1
        elif token in ("public", "private", "protected") and self.peek(1) == ":":
            self.at += 2
        elif token == "namespace" or (token == "inline" and self.peek(1) == "namespace"):
            self.read_namespace()
        elif token == "extern" and self.peek(1) == '""':
            self.read_foreign()
        elif token == "template" and self.peek(1) == "<":
            self.at += 1
            self.skip_angles()
        elif token == "requires":
            self.read_requires()
        elif token in ("static_assert", "friend"):
            self.skip_to_end()
            # A friend may be defined here.
        elif token in ("using", "typedef", "concept"):
            self.read_alias(token)
        elif token == "enum":
            self.read_enum()
        elif token in ("class", "struct", "union") and self.read_class():
            pass
        else:
            self.read_declarators(owner)

    def read_namespace(self):
        while self.peek() not in ("{", ";", ""):
            self.at += 1
        if self.peek() == "{":
            self.at += 1
            self.read_scope("")
        self.at += 1

    def read_foreign(self):
        """Reads what extern "C" offers to or takes from other languages: no names of ours."""
        known = len(self.found)
        self.at += 2
        if self.peek() == "{":
            self.at += 1
            self.read_scope("")
            self.at += 1
        else:
            self.read_statement("")
        self.repeated.update(declaration.token for declaration in self.found[known:])
        del self.found[known:]

    def read_requires(self):
        """Steps over a constraint: names, <...>, (...) and what joins them."""
        self.at += 1
        joined = True
        while joined or self.peek() in ("<", "(", "&", "|", "::"):
            token = self.peek()
            joined = token in ("&", "|", "::", "!")
            if token == "(":
                self.skip_balanced()
            elif token == "<":
                self.skip_angles()
            elif token == "":
                return
            else:
                self.at += 1

    def read_alias(self, token):
        place = self.at + 1
        if token == "typedef":
            self.skip_to_end()
            self.declare("alias", self.at - 2)
            return
        if self.tokens[place + 1] == "=":
            self.declare("alias", place)
        self.skip_to_end()

    def read_enum(self):
        start, scoped = self.at, self.peek(1) in ("class", "struct")
        self.at += 2 if scoped else 1
        # Code that uses an enumerator of an unscoped one need not name the type.
        place = self.at if scoped and NAME.match(self.peek()) else None
        while self.peek() not in ("{", ";", ""):
            self.at += 1
        if self.peek() != "{":
            self.skip_to_end()
            return
        opening = self.at
        self.skip_balanced()
        end = self.at
        if place is not None:
            self.declare("type", place, (start, end))
        depth = 0
        for i in range(opening + 1, end - 1):
            token = self.tokens[i]
            depth += (token in "({[") - (token in ")}]")
            if depth == 0 and NAME.match(token) and self.tokens[i - 1] in ("{", ","):
                given = i == opening + 1 or self.tokens[i + 1] == "="
                self.declare("enumerator", i, given=given)
        self.skip_to_end()

    def read_class(self):
        """Reads a class's definition or mere announcement; False where something else begins."""
        start, place = self.at, None
        self.at += 1
        while self.peek() not in ("{", ";", ":", "(", "=", ""):
            if self.peek() == "[":
                self.skip_balanced()
            elif self.peek() == "<":
                self.skip_angles()
            else:
                if NAME.match(self.peek()) and self.peek() not in WORDS:
                    place = self.at
                self.at += 1
        if self.peek() in ("(", "=", "") or (self.peek() == ";" and self.at - start > 2):
            self.at = start + 1  # struct tm name; or a function that returns a struct
            return False
        if self.peek() == ";":
            self.repeated.add(place)
            return True
        while self.peek() not in ("{", ";", ""):  # the bases
            if self.peek() == "<":
                self.skip_angles()
            else:
                self.at += 1
        self.at += 1
        name = self.tokens[place] if place is not None else ""
        self.read_scope(name or "unnamed")
        self.at += 1
        if place is not None:
            self.declare("type", place, (start, self.at))
            self.skip_to_end()
        else:
            self.read_declarators("unnamed")  # struct { } name;
        return True

    def read_declarators(self, owner):
        """Reads variables or one function, up to its end."""
        while self.at < len(self.tokens):
            token, before = self.peek(), self.tokens[self.at - 1] if self.at else ""
            if token == "}":
                return
            if token == "operator":
                self.read_operator()
                return
            if token == "(" and self.is_name(before):
                self.read_function(owner, self.at - 1)
                return
            if token in (";", ",", "=", "{", ":") or (token == "[" and self.peek(1) != "["):
                if self.is_name(before):
                    self.declare("field" if owner else "constant", self.at - 1)
                self.skip_initializer()
                if self.tokens[self.at - 1] == ";" or self.peek() == "}":
                    return
            elif token == "<":
                self.skip_angles()
            elif token in "([":
                self.skip_balanced()
            else:
                self.at += 1

    @staticmethod
    def is_name(token):
        return NAME.match(token) is not None and token not in WORDS

    def skip_initializer(self):
        """Steps behind the , or ; that ends a variable's declaration."""
        while self.at < len(self.tokens) and self.peek() not in (",", ";", "}"):
            if self.peek() in "([{":
                self.skip_balanced()
            elif self.peek() == "<" and NAME.match(self.tokens[self.at - 1]):
                self.skip_angles()
            else:
                self.at += 1
        if self.peek() != "}":
            self.at += 1

    def read_operator(self):
        self.at += 1
        if self.peek() == "(":
            self.at += 2
        while self.peek() not in ("(", ";", ""):
            self.at += 1
        self.skip_function_end()

    def read_function(self, owner, place):
        name = self.tokens[place]
        before = self.tokens[place - 1] if place else ""
        qualifier = place
        while qualifier >= 2 and self.tokens[qualifier - 1] == "::":
            qualifier -= 2
            self.repeated.add(qualifier)
        if name.isupper():
            pass  # a macro's call
        elif name == owner or before == "~" or (qualifier != place
                                              and self.tokens[place - 2] == name):
            self.repeated.add(place)
        else:
            self.declare("method" if owner else "function", place)
        self.skip_function_end()

    def skip_function_end(self):
        """From a function's parameters to behind its body or its ;"""
        if self.peek() == "(":
            self.skip_balanced()
        while self.at < len(self.tokens):
            token = self.peek()
            if token == "{":
                self.skip_balanced()
                return
            if token == ":":
                self.skip_member_initializers()
            elif token == "(" or (token == "[" and self.peek(1) == "["):
                self.skip_balanced()
            elif token == "<":
                self.skip_angles()
            elif token == "}":
                return
            else:
                self.at += 1
                if token == ";":
                    return

    def skip_member_initializers(self):
        """Steps over : a_(x), b_{y} up to the body's brace."""
        self.at += 1
        while self.at < len(self.tokens):
            while self.peek() not in ("(", "{", ""):
                if self.peek() == "<":
                    self.skip_angles()
                else:
                    self.at += 1
            self.skip_balanced()
            while self.peek() == ".":
                self.at += 1
            if self.peek() != ",":
                return
            self.at += 1


def read_declarations(code):
    """(declarations, uses) of code, as strip_cpp returns it; uses counts the names in it that
    neither declare nor define what they name. The name of a type in the type itself is no use."""
    reader = Reader(code)
    macros = list(read_macros(code))
    uses = collections.Counter(token for token in reader.tokens if NAME.match(token))
    declared = {declaration.token for declaration in reader.found} | reader.repeated
    declared.discard(None)
    uses.subtract(reader.tokens[place] for place in declared)
    for declaration in reader.found:
        if declaration.own:
            first, last = declaration.own
            uses[declaration.name] -= sum(
                reader.tokens[place] == declaration.name and place not in declared
                for place in range(first, last))
    for match in DIRECTIVE.finditer(code):
        uses.update(re.findall(r"[A-Za-z_]\w*", match.group()))
    uses.subtract(macro.name for macro in macros)
    return reader.found + macros, uses
