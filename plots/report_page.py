"""The parts of a report's page, as HTML. Texts that others wrote are made harmless here; nothing of
the page is loaded from elsewhere, and a script in an image does not run."""
import base64
import pathlib

from printable import markup

HERE = pathlib.Path(__file__).parent
FEW_ROWS = 50  # the metrics of one duet


def document(headline, lead, sections):
    """The whole page: headline is a text, lead and sections are HTML."""
    links = "".join(f'<a href="#{markup(one.name)}">{markup(one.title)}</a>' for one in sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="tailgate report">
<title>{markup(headline)}</title>
<style>
{(HERE / "report.css").read_text(encoding="utf-8")}</style>
</head>
<body>
<header>
<h1>{markup(headline)}</h1>
{"".join(lead)}
<nav aria-label="Sections">{links}</nav>
</header>
<main>
{"".join(one.html for one in sections)}
</main>
<script>
{(HERE / "report.js").read_text(encoding="utf-8")}</script>
</body>
</html>
"""


class Section:
    """A part of the page with a heading, to which the page's first lines link."""

    def __init__(self, name, title, html):
        self.name, self.title = name, title
        self.html = (f'<section id="{markup(name)}" aria-labelledby="{markup(name)}-title">\n'
                     f'<h2 id="{markup(name)}-title">{markup(title)}</h2>\n{html}</section>\n')


def section(name, title, *parts):
    return Section(name, title, "".join(parts))


def paragraph(text):
    return f"<p>{markup(text)}</p>\n"


def bullets(texts):
    return "<ul>" + "".join(f"<li>{markup(text)}</li>" for text in texts) + "</ul>\n"


def warning(text):
    return f'<p class="warning">{markup(text)}</p>\n'


def folded(summary, *parts):
    """Parts that a click on the summary shows."""
    return f"<details><summary>{markup(summary)}</summary>\n{''.join(parts)}</details>\n"


def figure(svg, name, texts, *, data=""):
    """An image with its texts, the title first, for those who do not see it. The page's script
    gives the link the image's data, which stand here once. data: the section of its numbers."""
    image = "data:image/svg+xml;base64," + base64.b64encode(svg).decode()
    title, *more = map(markup, texts)
    stop = "" if title.endswith((".", "?", "!")) else "."
    link = f' <a href="#{markup(data)}">Data</a>' if data else ""
    return (f'<figure>\n<img src="{image}" alt="{title}{stop} {" ".join(more)}">\n'
            f'<figcaption>{title} <a hidden download="{markup(name)}.svg">Save as SVG</a>{link}'
            '</figcaption>\n</figure>\n')


def download(text, name):
    """A link by which the page itself saves a file."""
    data = base64.b64encode(text.encode()).decode()
    return (f'<p><a download="{markup(name)}" href="data:text/csv;charset=utf-8;base64,{data}">'
            f'{markup(name)}</a></p>\n')


class Cell:
    """A table's cell: the text shown, the number by which a column is sorted, if it is one, and the
    class that says how it looks (by default that of a number)."""

    def __init__(self, text, number=None, mark=None):
        self.text, self.number = text, number
        self.mark = mark if mark is not None else "" if number is None else "number"

    def html(self, tag="td"):
        number = "" if self.number is None else f' data-number="{self.number!r}"'
        kind = f' class="{self.mark}"' if self.mark else ""
        scope = ' scope="row"' if tag == "th" else ""
        return f"<{tag}{scope}{number}{kind}>{markup(self.text)}</{tag}>"


def table(caption, titles, rows, *, quiet=(), quiet_words=""):
    """A table whose columns can be sorted and whose rows can be filtered. rows: lists of cells, the
    first of which names the row. quiet: for each row whether it is shown only on request; if all
    are quiet, and few, all are shown. quiet_words: what these rows are."""
    quiet = list(quiet) or [False] * len(rows)
    if all(quiet) and len(rows) <= FEW_ROWS:
        quiet = [False] * len(rows)
    heads = "".join(f'<th scope="col" aria-sort="none"><button type="button">{markup(title)}'
                    "</button></th>" for title in titles)
    body = "".join(f'<tr{" data-quiet" if hidden else ""}>{row[0].html("th")}'
                   f'{"".join(cell.html() for cell in row[1:])}</tr>\n'
                   for row, hidden in zip(rows, quiet))
    controls = '<label>Filter <input type="search" placeholder="words of a row"></label>'
    if any(quiet):
        controls += (f'<label><input type="checkbox"> also the {quiet.count(True)} '
                     f"{markup(quiet_words)}</label>")
    return (f'<div class="table">\n<div class="controls" hidden>{controls}'
            '<output aria-live="polite"></output></div>\n<div class="scroll" '
            f'tabindex="0" role="region" aria-label="{markup(caption)}"><table>\n'
            f"<caption>{markup(caption)}</caption>\n<thead><tr>{heads}</tr></thead>\n"
            f"<tbody>\n{body}</tbody>\n</table></div>\n</div>\n")
