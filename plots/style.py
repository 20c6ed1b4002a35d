"""The style of all plots. The only module that imports matplotlib.

The first colours are Okabe and Ito's palette (safe for colour-blind readers); markers, line styles
and dashes say the same again, so that a grey print loses nothing. Figures hold their axes only:
titles, legends and notes stand around them and `save` cuts the paper to fit.
"""
import io
import math
import sys
import textwrap

import units
from printable import replace_file

try:
    import matplotlib
    from matplotlib import colors, patheffects
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator
except ImportError as problem:
    print(f"error: {sys.executable} cannot import matplotlib ({problem}); install Debian's package "
          "python3-matplotlib and use /usr/bin/python3", file=sys.stderr)
    raise SystemExit(3) from None

matplotlib.use("Agg")
matplotlib.rcdefaults()
matplotlib.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 9, "axes.grid": True, "grid.color": "#d8d8d8",
    "grid.linewidth": 0.6, "axes.axisbelow": True, "axes.edgecolor": "#555555",
    "legend.frameon": False, "legend.fontsize": 8.5, "legend.handlelength": 2.8,
    "lines.linewidth": 1.5, "lines.markersize": 5, "savefig.dpi": 130,
    "svg.hashsalt": "tailgate", "svg.fonttype": "path", "text.parse_math": False,
})

# Twelve colours, each far from all others. The first seven are Okabe and Ito's with a darker
# purple, in an order in which the first four differ most when printed in grey.
PALETTE = ("#0072B2", "#E69F00", "#000000", "#B5538B", "#D55E00", "#56B4E9", "#009E73", "#5B2A86",
           "#8C4A10", "#8DB600", "#FF9DA7", "#1D2F6F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*", ">", "p", "h")
# How every plot draws the line of a percentile: colour, dashes, marker.
PERCENTILES = {"p50": ("#0072B2", "-", "o"), "p99": ("#D55E00", "--", "s"),
               "p99.9": ("#A03070", "-.", "^"), "max": ("#000000", ":", "v")}
GREY = "#808080"
# How a saturated step is drawn: where the sink did not reach the target rate.
SATURATED = {"facecolor": "#ededed", "edgecolor": "#b0b0b0", "hatch": "///"}
# How a point is marked whose events were lost.
LOST = {"marker": "o", "color": "#CC0000", "markersize": 9, "markerfacecolor": "none",
        "linestyle": "none"}
LEGEND_INCHES = 0.19  # height of a line of a legend
LABEL_INCHES = 0.165  # height of a line of text beside an axis
TITLE_INCHES = 0.074  # width of a character of a panel's title
MOST_IN_LABEL = 80    # characters of a label at a line's end; longer ones are put into a legend
HALO = [patheffects.withStroke(linewidth=3.2, foreground="white")]


def run_style(number):
    """Colour and marker of the number-th run of a plot. A colour repeats after twelve runs, with
    another marker; both repeat after 144."""
    turn, place = divmod(number, len(PALETTE))
    return {"color": PALETTE[place], "marker": MARKERS[(place + turn) % len(MARKERS)]}


def percentile_style(name):
    color, dashes, marker = PERCENTILES[name]
    return {"color": color, "linestyle": dashes, "marker": marker}


def log_axis(axis, low, high, text=units.format_ns):
    """A logarithmic axis from low to high (both above 0), each tick with its unit."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log", f"{axis.axis_name}lim": (low, high)})
    decades = math.log10(high / low)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2.5 else (1,), numticks=30))
    axis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=300))
    axis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))
    axis.set_minor_formatter(NullFormatter())


def title(axes, name):
    """The name above the axes; of one that is wider than them, the ends."""
    most = int(axes.get_position().width * axes.figure.get_figwidth() / TITLE_INCHES)
    if len(name) > most:
        kept = most - 1
        name = f"{name[:kept - kept // 2]}\u2026{name[-(kept // 2):]}"
    axes.set_title(name, size=9, loc="left", pad=3)


def ticks(axis, places, texts):
    """Sets labelled ticks at these positions and no others."""
    axis.set_ticks(places, texts)
    axis.set_minor_locator(NullLocator())


def linear_rates(axis):
    """Labels a linear axis with rates."""
    axis.set_major_locator(MaxNLocator(8, steps=(1, 2, 2.5, 5, 10)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: units.format_rate(value)))


def linear_durations(axis):
    """Labels a linear axis of nanoseconds, which may be negative, in units of time."""
    axis.set_major_locator(MaxNLocator(6, steps=(1, 2, 2.5, 5, 10)))
    axis.set_major_formatter(FuncFormatter(
        lambda value, _: ("\u2212" if value < 0 else "") + units.format_ns(abs(value))))


def few_ticks(axis, most):
    """Limits the number of ticks; they are at round numbers."""
    axis.set_major_locator(MaxNLocator(most, steps=(1, 2, 2.5, 5, 10)))


def few_dates(axis):
    """Ticks at whole days, with the year where it begins."""
    locator = AutoDateLocator(minticks=3, maxticks=8)
    axis.set_major_locator(locator)
    axis.set_major_formatter(ConciseDateFormatter(locator))


def sheet(rows, columns, panel_inches, caption, *, gap_inches=(0.3, 0.3), **grid):
    """A figure with rows x columns axes (a list of rows), each of panel_inches (width, height),
    under the caption's headline and above its notes. `grid`: as for Figure.subplots."""
    width = columns * panel_inches[0] + (columns - 1) * gap_inches[0]
    height = rows * panel_inches[1] + (rows - 1) * gap_inches[1]
    figure = Figure(figsize=(width, height))
    axes = figure.subplots(rows, columns, squeeze=False, **grid)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1,
                           wspace=gap_inches[0] / panel_inches[0],
                           hspace=gap_inches[1] / panel_inches[1])
    # The text may also extend over the legend beside the panels.
    characters = max(90, int((width + 2.6) / 0.072))
    top = 0.3
    for words, size, weight, line, color in (
            (caption.subtitle, 9, "normal", 0.17, "black"),
            (caption.title, 12, "bold", 0.24, caption.title_color)):
        text = textwrap.fill(words, int(characters * 8.5 / size))
        figure.text(-0.6 / width, 1 + top / height, text, size=size, weight=weight, va="bottom",
                    color=color)
        top += line * (text.count("\n") + 1) + 0.04
    if caption.banner:
        figure.text(-0.5 / width, 1 + (top + 0.16) / height,
                    textwrap.fill(caption.banner, int(characters * 0.75)), size=10, weight="bold",
                    va="bottom",
                    bbox={"boxstyle": "square,pad=0.4", "facecolor": "white", "linewidth": 2})
    # A percent sign stays in the line of its number.
    notes = "\n".join(textwrap.fill(note.replace(" %", "\u00a0%"), characters,
                                    subsequent_indent="    ")
                      for note in caption.shown_notes)
    figure.text(-0.6 / width, -0.72 / height, notes, size=8.5, va="top")
    return figure, [list(row) for row in axes]


def spread(places, distance, low, high):
    """Moves ascending places as little as possible (sum of squares), so that neighbours are at
    least `distance` apart and all lie from low to high, if they fit."""
    blocks = []  # [sum, number] of places that move together, with the distances taken out
    for number, place in enumerate(places):
        blocks.append([place - number * distance, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    moved = [total / count for total, count in blocks for _ in range(count)]
    most = high - (len(places) - 1) * distance
    return [min(max(place, low), most) + number * distance for number, place in enumerate(moved)]


def label_ends(axes, ends):
    """Writes a label beside the end of each line, to the right of the axes, whose limits must be
    final. `ends`: (x, y, text, style of the line's run) each. Returns False, and writes nothing,
    when the labels do not fit."""
    height = axes.get_position().height * axes.figure.get_figheight()
    if (len(ends) * LABEL_INCHES > height + LABEL_INCHES or
            any(len(text) > MOST_IN_LABEL for _, _, text, _ in ends)):
        return False
    def place_of(end):
        return axes.transAxes.inverted().transform(axes.transData.transform(end[:2]))[1]
    ends = sorted(ends, key=place_of)
    places = spread([place_of(end) for end in ends], LABEL_INCHES / height, 0, 1)
    for (x, y, text, drawn), place in zip(ends, places):
        axes.annotate("", (x, y), xytext=(1.035, place), textcoords="axes fraction",
                      annotation_clip=False, zorder=1,
                      arrowprops={"arrowstyle": "-", "color": drawn["color"], "linewidth": 1.1,
                                  "linestyle": ":", "shrinkA": 0, "shrinkB": 0})
        axes.plot([1.035], [place], transform=axes.transAxes, clip_on=False, linestyle="none",
                  label="_end", **drawn)
        axes.annotate(text, (1.035, place), xycoords="axes fraction", xytext=(7, 0), gid="end",
                      textcoords="offset points", va="center", size=8.5)
    return True


def legend(axes, handles, inches=None):
    """A legend to the right of the axes, or so many inches away from them."""
    width = axes.get_position().width * axes.figure.get_figwidth()
    axes.legend(handles=handles, loc="upper left", borderaxespad=0,
                bbox_to_anchor=(1.02 if inches is None else 1 + inches / width, 1.02))


def below_legend(axes, panels):
    """The first of the panels, from top to bottom, that begins below what `legend` put beside the
    axes; the last one where all begin above its end."""
    lines = max((len(one.get_texts()) for one in axes.get_children() if isinstance(one, Legend)),
                default=0)
    height = axes.figure.get_figheight()
    end = axes.get_position().y1 - lines * LEGEND_INCHES / height
    return next((panel for panel in panels if panel.get_position().y1 < end), panels[-1])


def beside(axes, name, facts):
    """A name in bold and lines of facts to the right of the axes."""
    name = textwrap.fill(name, 34)
    axes.annotate(name, (1, 1), xycoords="axes fraction", xytext=(9, 0),
                  textcoords="offset points", va="top", size=8.5, weight="bold")
    axes.annotate("\n" * (name.count("\n") + 1) + "\n".join(facts), (1, 1), va="top", size=8.5,
                  xycoords="axes fraction", xytext=(9, 0), textcoords="offset points")


def join(upper, lower):
    """Lengthens the upper axes down to the lower ones, which have the same x axis."""
    above, below = upper.get_position(), lower.get_position()
    bottom = below.y1 + 0.1 / upper.figure.get_figheight()
    upper.set_position([above.x0, bottom, above.width, above.y1 - bottom])


def whole_row(row):
    """Widens the first axes of a row to the whole row, hides the others, and returns the first."""
    left, right = row[0].get_position(), row[-1].get_position()
    for panel in row[1:]:
        panel.set_visible(False)
    row[0].set_position([left.x0, left.y0, right.x1 - left.x0, left.height])
    return row[0]


def ranked_list(axes, heading, rows, inches):
    """A heading and rows of (amount, name) to the right of the axes, `inches` away."""
    for number, row in enumerate(rows):
        for text, align, x in zip(row, ("right", "left"), (42, 50)):
            # Each by itself: lines of one text are as high as their letters.
            axes.annotate(text, (1, 1), va="baseline", ha=align, xycoords="axes fraction",
                          xytext=(72 * inches + x, -32 - 12.5 * number), size=8.5,
                          textcoords="offset points", gid="list")
    axes.annotate(heading, (1, 1), xycoords="axes fraction", xytext=(72 * inches, 0), va="top",
                  textcoords="offset points", size=8.5, weight="bold")


def inside(axes, text):
    """A remark within the axes, at their lower left."""
    axes.annotate(text, (0, 0), xycoords="axes fraction", xytext=(4, 3), va="bottom", size=7.5,
                  textcoords="offset points", style="italic", zorder=5,
                  bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "alpha": 0.85,
                        "edgecolor": "none"})


def legend_above(axes, handles, beside_another=False):
    """A legend in one line right above the axes; beside_another: they keep the one they have."""
    if not handles:
        return
    kept = axes.get_legend() if beside_another else None
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncol=len(handles),
                borderaxespad=0.3, columnspacing=1.4)
    if kept:
        axes.add_artist(kept)
        kept.set_clip_on(False)  # or else save cuts the paper through it


def legend_below(axes, handles):
    """A legend in one line below the axes and their labels."""
    height = axes.get_position().height * axes.figure.get_figheight()
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(0, -0.42 / height),
                ncol=len(handles), borderaxespad=0, columnspacing=1.4)


def handle(label, **line_style):
    """A line for a legend."""
    return Line2D([], [], label=_legend_text(label), **line_style)


def gap():
    """An empty row of a legend, between its groups."""
    return Line2D([], [], label="", linestyle="none")


def patch(label, **line_style):
    """A filled box for a legend."""
    return Patch(label=_legend_text(label), **line_style)


def _legend_text(label):
    """matplotlib leaves a label out that begins with an underscore."""
    return f" {label}" if label.startswith("_") else label


def table(axes, headings, rows, places, first_inches=0.12, column_inches=0.72):
    """Columns of text to the right of the axes. headings: (text, colour) each; rows: a list of
    texts each, at these heights of the y axis, the last text left-aligned and of any length."""
    for column, (text, color) in enumerate(headings):
        axes.annotate(text, (1, 1), xycoords="axes fraction", textcoords="offset points",
                      xytext=(72 * (first_inches + (column + 1) * column_inches) - 6, 4),
                      ha="right", va="bottom", size=8.5, weight="bold", color=color)
    for row, place in zip(rows, places):
        for column, text in enumerate(row):
            last = column == len(row) - 1
            x = 72 * (first_inches + (column + (0 if last else 1)) * column_inches)
            axes.annotate(text, (1, place), xycoords=("axes fraction", "data"),
                          textcoords="offset points", xytext=(x - (0 if last else 6), 0),
                          ha="left" if last else "right", va="center", size=8.5)


def count_colors(highest):
    """Greys, so that coloured lines stay visible on them, and a logarithmic norm for counts from 1
    to `highest`; zero is white."""
    shades = colors.LinearSegmentedColormap.from_list("counts", ["#ececec", "#858585"])
    return {"cmap": shades, "norm": colors.LogNorm(1, max(10, highest))}


def color_scale(figure, axes, mesh, label):
    """A narrow scale of the mesh's colours to the right of the axes, below their legend."""
    inch = 1 / (axes.get_position().width * figure.get_figwidth())
    scale = axes.inset_axes([1 + 0.18 * inch, 0, 0.14 * inch, 0.55])
    figure.colorbar(mesh, cax=scale, label=label,
                    format=FuncFormatter(lambda value, _: units.format_rate(value)))
    scale.yaxis.set_minor_formatter(NullFormatter())


def save(figure, path):
    """Writes the figure in the format of the path's suffix; the bytes are the same every time."""
    replace_file(path, drawn(figure, path.suffix[1:]))


def drawn(figure, kind):
    """The bytes of the figure as "svg" or "png"."""
    metadata = {"Date": None, "Creator": "tailgate"} if kind == "svg" else {}
    file = io.BytesIO()
    figure.savefig(file, format=kind, bbox_inches="tight", pad_inches=0.15, metadata=metadata)
    return file.getvalue()
