"""Styles, and that the same figure gives the same bytes."""
import itertools
import math
import pathlib

import pytest

import style
from caption import Caption


def test_styles_repeat_only_after_144_runs():
    styles = {tuple(style.run_style(number).values()) for number in range(144)}
    assert len(styles) == 144


def lab(color):
    """CIE L*a*b* of an sRGB colour (IEC 61966-2-1, white D65)."""
    parts = [int(color[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def test_twelve_runs_have_twelve_colours_that_are_told_apart():
    colors = [style.run_style(number)["color"] for number in range(12)]
    # 2.3 is just noticeable side by side (Mahy et al. 1994); lines are thin and far apart.
    assert min(math.dist(lab(a), lab(b)) for a, b in itertools.combinations(colors, 2)) > 8 * 2.3


def test_labels_are_spread_as_little_as_possible():
    assert style.spread([0.1, 0.5, 0.9], 0.1, 0, 1) == pytest.approx([0.1, 0.5, 0.9])
    assert style.spread([0.5, 0.5, 0.5], 0.1, 0, 1) == pytest.approx([0.4, 0.5, 0.6])
    assert style.spread([0.2, 0.5, 0.52], 0.1, 0, 1) == pytest.approx([0.2, 0.46, 0.56])
    assert style.spread([1, 1], 0.1, 0, 1) == pytest.approx([0.9, 1])
    assert style.spread([0, 0], 0.1, 0, 1) == pytest.approx([0, 0.1])


def labelled(number, text="sink"):
    figure, [[axes]] = style.sheet(1, 1, (4, 3), Caption("", ""))
    axes.set(xlim=(0, 1), ylim=(0, 1))
    fits = style.label_ends(axes, [(1, 0.5, f"{text}{k}", style.run_style(k))
                                   for k in range(number)])
    figure.canvas.draw()
    return fits, [one for one in axes.texts if one.get_gid() == "end"]


def test_labels_at_the_ends_do_not_overlap():
    fits, texts = labelled(15)
    boxes = sorted((text.get_window_extent() for text in texts), key=lambda box: box.y0)
    assert fits and len(boxes) == 15
    assert all(low.y1 <= high.y0 for low, high in zip(boxes, boxes[1:]))


def test_labels_that_do_not_fit_are_not_written():
    assert labelled(40) == (False, []) and labelled(1, "x" * 200) == (False, [])


def grey(color):
    """The luma of ITU-R BT.601: the grey that a colour becomes in print."""
    red, green, blue = (int(color[k:k + 2], 16) / 255 for k in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_the_first_colours_differ_in_grey_and_all_from_paper():
    greys = sorted(grey(color) for color in style.PALETTE[:4])
    assert min(b - a for a, b in zip(greys, greys[1:])) > 0.05
    assert max(grey(color) for color in style.PALETTE) < 0.75
    styles = [style.percentile_style(name) for name in style.PERCENTILES]
    for key in ("color", "linestyle", "marker"):
        assert len({one[key] for one in styles}) == len(styles)


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_same_figure_gives_the_same_bytes(tmp_path, suffix):
    written = []
    for name in ("a", "b"):
        figure, [[axes]] = style.sheet(1, 1, (4, 3), Caption("Title", "sub", "label", ["note"]))
        axes.plot([1, 2], [30, 4000])
        style.log_axis(axes.yaxis, 10, 10_000)
        path = tmp_path / f"{name}.{suffix}"
        style.save(figure, path)
        written.append(path.read_bytes())
    assert written[0] == written[1]


def test_a_full_disk_leaves_no_file(tmp_path, monkeypatch):
    figure, [[axes]] = style.sheet(1, 1, (4, 3), Caption("", ""))
    axes.plot([1, 2], [3, 4])
    path = tmp_path / "a.png"
    path.write_bytes(b"the picture before")

    def refuse(self, data):
        with self.open("wb") as file:
            file.write(bytes(data)[:100])
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(pathlib.Path, "write_bytes", refuse)
    with pytest.raises(OSError) as refused:
        style.save(figure, path)
    assert refused.value.filename == str(path) and refused.value.errno == 28
    assert [one.name for one in tmp_path.iterdir()] == ["a.png"]
    assert path.read_bytes() == b"the picture before"


def test_title_banner_and_notes_are_on_the_figure():
    figure, _ = style.sheet(1, 1, (4, 3), Caption("Title", "sub", "Wine", ["$x$ note"]))
    assert {"Title", "sub", "Wine", "$x$ note"} <= {text.get_text() for text in figure.texts}


def test_a_title_wider_than_its_panel_keeps_its_ends():
    _, [[axes]] = style.sheet(1, 1, (3, 2), Caption("", ""))
    style.title(axes, "short")
    assert axes.get_title(loc="left") == "short"
    style.title(axes, "vendor:" + "x" * 90 + ":every=1000")
    shown = axes.get_title(loc="left")
    assert shown.startswith("vendor:xx") and shown.endswith("x:every=1000") and "\u2026" in shown


def test_a_legend_is_put_below_a_longer_one():
    figure, rows = style.sheet(4, 1, (3, 1), Caption("t", "s"))
    whole, *panels = [row[0] for row in rows]
    assert style.below_legend(whole, panels) is panels[0]
    style.legend(whole, [style.handle(str(number), color="black") for number in range(12)])
    figure.canvas.draw()
    end = whole.get_legend().get_window_extent().y0
    chosen = style.below_legend(whole, panels)
    assert chosen is panels[1] and chosen.get_window_extent().y1 < end
    assert panels[0].get_window_extent().y1 > end
    style.legend(whole, [style.handle(str(number), color="black") for number in range(99)])
    assert style.below_legend(whole, panels) is panels[-1]


def test_a_second_legend_leaves_the_first_on_the_paper():
    figure, [[axes]] = style.sheet(1, 1, (3, 2), Caption("", ""))
    style.legend(axes, [style.handle("a long name beside the axes", color="black")])
    [first] = [axes.get_legend()]
    style.legend_above(axes, [style.handle("p99", color="black")], beside_another=True)
    figure.canvas.draw()
    assert first in axes.get_default_bbox_extra_artists()
    style.legend_above(axes, [])  # without any handle there is nothing to show


def test_rows_of_a_ranked_list_are_level():
    figure, [[axes]] = style.sheet(1, 1, (3, 2), Caption("", ""))
    style.ranked_list(axes, "Rates", [("\u2265 1k", "x"), ("none", "a_y")], 0.5)
    figure.canvas.draw()
    places = [text.xyann[1] for text in axes.texts if text.get_gid() == "list"]
    assert places[0] == places[1] and places[2] == places[3] < places[0]


@pytest.mark.parametrize("low, high, some", [(1, 1e9, "1 ms"), (100, 3000, "500 ns"),
                                             (1000, 1100, "1.04 µs")])
def test_every_axis_has_labelled_ticks(low, high, some):
    figure, [[axes]] = style.sheet(1, 1, (4, 3), Caption("", ""))
    style.log_axis(axes.yaxis, low, high)
    figure.canvas.draw()
    shown = [text for text, place in zip((t.get_text() for t in axes.get_yticklabels()),
                                         axes.get_yticks()) if low <= place <= high and text]
    assert len(shown) >= 2 and some in shown
