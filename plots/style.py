"""The style of all plots. The only module that imports matplotlib.

Colours are Okabe and Ito's palette (safe for colour-blind readers); markers, line styles and dashes
say the same again, so that a grey print loses nothing. Figures hold their axes only: titles,
legends and notes stand around them and `save` cuts the paper to fit.
"""
import math
import sys
import textwrap

import units

try:
    import matplotlib
    from matplotlib import colors, patheffects
    from matplotlib.figure import Figure
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

# The colours of Okabe and Ito with a darker purple: so the first four differ most when printed in
# grey.
PALETTE = ("#0072B2", "#E69F00", "#000000", "#B5538B", "#D55E00", "#56B4E9", "#009E73")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*", ">", "p", "h")
# How every plot draws the line of a percentile: colour, dashes, marker.
PERCENTILES = {"p50": ("#0072B2", "-", "o"), "p99": ("#D55E00", "--", "s"),
               "p99.9": ("#A03070", "-.", "^"), "max": ("#000000", ":", "v")}
GREY = "#808080"
HALO = [patheffects.withStroke(linewidth=3.2, foreground="white")]


def run_style(number):
    """Colour and marker of the number-th run of a plot; they repeat after 84 runs."""
    return {"color": PALETTE[number % len(PALETTE)], "marker": MARKERS[number % len(MARKERS)]}


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


def ticks(axis, places, texts):
    """Sets labelled ticks at these positions and no others."""
    axis.set_ticks(places, texts)
    axis.set_minor_locator(NullLocator())


def signed_log_durations(axis, linear_ns, low, high):
    """A logarithmic axis of nanoseconds from low to high, which may be negative: linear from
    -linear_ns to linear_ns, labelled in units of time."""
    axis.axes.set_yscale("symlog", linthresh=linear_ns, linscale=0.5)
    axis.axes.set_ylim(low, high)
    axis.set_major_formatter(FuncFormatter(
        lambda value, _: ("\u2212" if value < 0 else "") + units.format_ns(abs(value))))


def few_ticks(axis, most):
    """Limits the number of ticks; they are at round numbers."""
    axis.set_major_locator(MaxNLocator(most, steps=(1, 2, 2.5, 5, 10)))


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
    for words, size, weight, line in ((caption.subtitle, 9, "normal", 0.17),
                                      (caption.title, 12, "bold", 0.24)):
        text = textwrap.fill(words, int(characters * 8.5 / size))
        figure.text(-0.6 / width, 1 + top / height, text, size=size, weight=weight, va="bottom")
        top += line * (text.count("\n") + 1) + 0.04
    if caption.banner:
        figure.text(-0.5 / width, 1 + (top + 0.16) / height,
                    textwrap.fill(caption.banner, int(characters * 0.75)), size=10, weight="bold",
                    va="bottom",
                    bbox={"boxstyle": "square,pad=0.4", "facecolor": "white", "linewidth": 2})
    notes = "\n".join(textwrap.fill(note, characters, subsequent_indent="    ")
                      for note in caption.shown_notes)
    figure.text(-0.6 / width, -0.72 / height, notes, size=8.5, va="top")
    return figure, [list(row) for row in axes]


def legend(axes, handles):
    """A legend to the right of the axes."""
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.02, 1.02), borderaxespad=0)


def beside(axes, name, facts):
    """A name in bold and lines of facts to the right of the axes."""
    name = textwrap.fill(name, 34)
    axes.annotate(name, (1, 1), xycoords="axes fraction", xytext=(9, 0),
                  textcoords="offset points", va="top", size=8.5, weight="bold")
    axes.annotate("\n" * (name.count("\n") + 1) + "\n".join(facts), (1, 1), va="top", size=8.5,
                  xycoords="axes fraction", xytext=(9, 0), textcoords="offset points")


def legend_above(axes, handles):
    """A legend in one line right above the axes."""
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncol=len(handles),
                borderaxespad=0.3, columnspacing=1.4)


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
    metadata = {"Date": None, "Creator": "tailgate"} if path.suffix == ".svg" else {}
    figure.savefig(path, bbox_inches="tight", pad_inches=0.15, metadata=metadata)
