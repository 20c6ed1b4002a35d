"""The campaign's cases, as cases.toml lists them."""

import dataclasses
import re
import tomllib

DUET_RATE_HZ = 20_000
RUN_LOAD = {"rate_hz": 10_000, "duration_s": 2, "warmup_s": 0.2}
MEASURES = {"duet": ("call", "slow_call", "daemons", "losses", "memory"),
            "run": ("service", "response", "delivery")}
BESIDE = ("hog", "sync", "memory")
FIELDS = {"plant", "sinks", "set", "cause", "name", "measure", "planted_ns", "quick"}
ONLY = {"duet": {"a", "b", "nothing", "turns", "explain_s"}, "run": {"beside", "actions"}}


@dataclasses.dataclass(frozen=True)
class Case:
    kind: str  # duet or run
    plant: str
    sink: str
    causes: tuple = ()  # one of these must come first; none: no part may be distinct
    names: tuple = ()   # … and with one of these in its name; none: whatever its name
    measure: str = ""
    planted_ns: float = None
    settings: dict = dataclasses.field(default_factory=dict)
    a: str = ""
    b: str = ""
    turns: int = None   # a side in a round; none: as in all cases
    explain_s: float = None  # likewise, the time for traced rounds
    beside: dict = dataclasses.field(default_factory=dict)
    actions: tuple = ()
    quick: bool = False

    @property
    def title(self):
        return f"{self.plant}: {self.sink}"

    @property
    def slug(self):
        """Of its files."""
        return re.sub(r"[^0-9a-z]+", "-", f"{self.kind} {self.title}".lower()).strip("-")


def listed(value):
    return tuple(value) if isinstance(value, list) else (value,) if value else ()


def check(kind, row):
    """Raises ValueError about what the row has wrong."""
    row_name = row.get("plant", "?")
    if unknown := set(row) - FIELDS - ONLY[kind]:
        raise ValueError(f"{row_name}: unknown: {', '.join(sorted(unknown))}")
    needed = ["plant", "sinks"] + (["a", "b"] if kind == "duet" else ["measure"])
    if missing := [name for name in needed if not row.get(name)]:
        raise ValueError(f"{row_name}: {', '.join(missing)} is missing")
    if bool(row.get("cause")) == bool(row.get("nothing")):
        raise ValueError(f"{row_name}: give either a cause, or nothing = true")
    if row.get("measure", MEASURES[kind][0]) not in MEASURES[kind]:
        raise ValueError(f"{row_name}: measure is one of {', '.join(MEASURES[kind])}")
    if "planted_ns" in row and "measure" not in row:
        raise ValueError(f"{row_name}: planted_ns needs the measure that it is planted into")
    if row.get("beside", {"do": "hog"}).get("do") not in BESIDE:
        raise ValueError(f"{row_name}: beside.do is one of {', '.join(BESIDE)}")


def cases_of(kind, row):
    check(kind, row)
    load = {"rate_hz": DUET_RATE_HZ} if kind == "duet" else RUN_LOAD
    for place, sink in enumerate(row["sinks"]):
        yield Case(kind, row["plant"], sink, listed(row.get("cause")), listed(row.get("name")),
                   row.get("measure", ""), row.get("planted_ns"), load | row.get("set", {}),
                   row.get("a", ""), row.get("b", ""), row.get("turns"), row.get("explain_s"),
                   row.get("beside", {}), tuple(row.get("actions", ())),
                   bool(row.get("quick")) and place == 0)


def load(path):
    """All cases, in the file's order, and the table `shares`. Raises ValueError and OSError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if unknown := set(data) - {"duet", "run", "shares"}:
            raise ValueError(f"unknown table {', '.join(sorted(unknown))}")
        cases = [case for kind in ("duet", "run") for row in data.get(kind, [])
                 for case in cases_of(kind, row)]
        slugs = [case.slug for case in cases]
        if twice := sorted({slug for slug in slugs if slugs.count(slug) > 1}):
            raise ValueError(f"two cases are called {twice[0]}; give them another plant or sink")
        return cases, data.get("shares", {"sinks": [], "runs": 0})
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
