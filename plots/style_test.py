"""Styles, and that the same figure gives the same bytes."""
import pytest

import style
from caption import Caption


def test_styles_repeat_only_after_84_runs():
    styles = {tuple(style.run_style(number).values()) for number in range(84)}
    assert len(styles) == 84


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


def test_title_banner_and_notes_are_on_the_figure():
    figure, _ = style.sheet(1, 1, (4, 3), Caption("Title", "sub", "Wine", ["$x$ note"]))
    assert {"Title", "sub", "Wine", "$x$ note"} <= {text.get_text() for text in figure.texts}


@pytest.mark.parametrize("low, high, some", [(1, 1e9, "1 ms"), (100, 3000, "500 ns"),
                                             (1000, 1100, "1.04 µs")])
def test_every_axis_has_labelled_ticks(low, high, some):
    figure, [[axes]] = style.sheet(1, 1, (4, 3), Caption("", ""))
    style.log_axis(axes.yaxis, low, high)
    figure.canvas.draw()
    shown = [text for text, place in zip((t.get_text() for t in axes.get_yticklabels()),
                                         axes.get_yticks()) if low <= place <= high and text]
    assert len(shown) >= 2 and some in shown
