"""What the plots of answers share.

A scenario that asks a question (QUESTIONS) writes its answer into the result. Its steps differ in
what they try, so only the plot of the question shows them.
"""
from caption import Part, Skip, caption, listed, missing_steps, names, notes, rate_text

QUESTIONS = ("crash", "stopped", "capacity", "payload", "fields", "stacks", "toggle", "disabled",
             "realtime", "queue", "retention", "parity", "kernel_flags", "contention", "sessions",
             "soak")
MOST_NAMES = 8  # in one note


def is_for(run, kind):
    """Whether this kind of plot shows the run."""
    asked = question_of(run)
    return asked == kind if kind in QUESTIONS else asked not in QUESTIONS


def question_of(run):
    """What was asked of the run's trials: by its answer, or by the scenario of a run that ended too
    early to have one; empty if it only measures."""
    if "answer" in run.data:
        return run.data["answer"]["question"]
    name = run.data["scenario"]["name"]
    return name if name in QUESTIONS else ""


def skipped(kind):
    """Why a kind of plot found no run."""
    if kind in QUESTIONS:
        return f"needs a run of the scenario {kind}"
    return f"the plots of {', '.join(QUESTIONS)} alone show what these scenarios answered"


def answered(runs, question):
    """The runs that answer this question, each with its name."""
    asked = [run for run in runs if question_of(run) == question]
    found = [run for run in asked if is_answered(run)]
    if not found:
        raise Skip("no run has an answer" if asked else skipped(question))
    return list(zip(found, names(found)))


def is_answered(run):
    return "answer" in run.data and bool(run.data["summary"])


def unanswered(runs, question):
    """Notes on runs that have no answer."""
    absent = [run for run in runs if question_of(run) == question and not is_answered(run)]
    if absent:
        yield f"! {listed(names(absent), MOST_NAMES)}: without an answer, so left out"


def figures(run):
    """The answer's figures by name."""
    return {figure["name"]: figure for figure in run.data["answer"]["figures"]}


def ends(figure):
    """The interval of a figure; its value where an end is open."""
    return figure.get("low", figure["value"]), figure.get("high", figure["value"])


def cheapest_first(name):
    """Sorts pairs of a run and its name by that figure; those without it come last."""
    def key(one):
        figure = figures(one[0]).get(name)
        return (figure is None, figure["value"] if figure else 0)
    return key


def option(run, name):
    """The value of an option of the run's scenario, as text; empty if it has none of this name."""
    return next((one["value"] for one in run.data["scenario"]["options"] if one["name"] == name),
                "")


def by_step(run, key):
    """The trials of a run by what their step tried, ascending."""
    found = {}
    for trial in run.data["trials"]:
        found.setdefault(key(trial), []).append(trial)
    return dict(sorted(found.items()))


def plot_name(question, runs):
    """The name of the plot's file; the question is not said twice."""
    scenario = runs[0].scenario
    said = scenario == question or scenario.startswith(f"{question}-")
    return scenario if said else f"{question}-{scenario}"


def words(title, runs, named, where="", more=()):
    """The caption: the question, where it was asked, the plot's notes, which of the runs have no
    answer, and what restricts the figures of those that have one."""
    parts = [Part(run, name, step) for run, name in named for step in run.data["summary"]]
    made = caption(title, parts)
    made.title = ", ".join(filter(None, (f"{title} \u2013 {named[0][0].scenario}", where)))
    # What became of the events is what is asked: no note repeats it.
    made.notes = [*more, *unanswered(runs, question_of(named[0][0])), *missing_steps(named),
                  *notes(parts, [], troubles=False)]
    return made


def where_asked(named):
    """The rate of all runs, for a title; empty if it is not one."""
    rates = {step["rate_hz"] for run, _ in named for step in run.data["summary"]}
    return rate_text(rates.pop()) if len(rates) == 1 else ""
