"""Answers by a count: a figure for each number of something, and what each further one adds."""
import answers
import style
import units
from answers import ends, figures


def sheet(runs, question, title, slope, alone=()):
    """The runs that answer it, the dearest first, with a figure and its panel. slope: the name of
    the figure that says what each further one adds; alone: notes."""
    named = sorted(answers.answered(runs, question), key=lambda one: -value_of(one[0], slope))
    cannot = [f"{name} cannot {what}." for run, name in named
              for what in run.data["answer"]["cannot"]]
    figure, [[panel]] = style.sheet(1, 1, (5.6, 3.0), answers.words(
        title, runs, named, answers.where_asked(named), [*alone, *cannot]))
    return named, figure, panel


def value_of(run, name):
    return figures(run)[name]["value"] if name in figures(run) else 0.0


def by_count(run, key):
    """(count, figure), ascending. key: a pattern of the figures' names, whose group is the count.
    """
    found = [(int(match[1]), figure) for name, figure in figures(run).items()
             if (match := key.fullmatch(name))]
    return sorted(found, key=lambda one: one[0])


def all_counts(named, key):
    return sorted({count for run, _ in named for count, _ in by_count(run, key)}) or [1]


def draw_lines(panel, named, key, least=None):
    """A line a run, with the figures' intervals. least: what is below is drawn there."""
    for number, (run, name) in enumerate(named):
        found = by_count(run, key)
        if not found:
            continue
        drawn = style.run_style(number)
        values = [figure["value"] for _, figure in found]
        if least is not None:
            values = [max(least, value) for value in values]
        panel.plot([count for count, _ in found], values, label=name, **drawn)
        for count, figure in found:
            panel.vlines(count, *ends(figure), color=drawn["color"], linewidth=1, alpha=0.6)


def added(run, slope, words):
    """What a further one adds, as text, with its interval. words: what stands behind it."""
    if slope not in figures(run):
        return "\u2013"
    low, high = ends(figures(run)[slope])
    if low <= 0 <= high:
        return f"no difference that is told: {signed(low)} to {signed(high)}"
    return f"{signed(low)} to {signed(high)}{words}"


def signed(value_ns):
    return ("\u2212" if value_ns < 0 else "") + units.format_ns(abs(value_ns))


def legends(panel, texts, interval):
    """texts: of the runs; interval: what the lines are."""
    style.legend(panel, [style.handle(text, **style.run_style(number))
                         for number, text in enumerate(texts)])
    style.legend_above(panel, [style.handle(interval, color=style.GREY, marker="o")],
                       beside_another=True)
