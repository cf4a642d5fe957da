# SPDX-License-Identifier: Apache-2.0
"""Drawings of tables for the book, made of the page's own cells, so that they cannot disagree with it. Part of `book`."""
import collections
import html
import math
import re

WIDTH = 860
CHARACTER = 6.6  # the mean width of one in the book's font of 12 pixels

# A sweep as lines: one for each column (over the rows) or, by rows, for each row.
Lines = collections.namedtuple("Lines", "heading number title by_rows", defaults=[False])
# Bars: a panel for each column, a bar for each row, from `base` on; `mark` is the row that becomes a line across a panel. Of a table with
# columns "name, setting" only the row `of` can be drawn: a panel for each name, a bar for each setting.
Panels = collections.namedtuple("Panels", "heading number title columns mark base of", defaults=["", 0, ""])

PLOTS = {"docs/papers.md": [
    Lines("Fig. 12: performance by sub-header width", 0, "Speed relative to H = 5", True),
    Lines("Fig. 13: bandwidth", 0, "Speed-ups over one GPU, and FinePack's over others"),
    Panels("Terms of the time model", 0, "What brings the speed-ups to the paper's, the dashed line",
           ["finepack", "infinite bandwidth", "finepack over p2p", "finepack over dma"], "the paper's"),
    Lines("Speed-up to copies by chunk size (Fig. 6)", 0, "Speed-up to copies"),
    Panels("Scaling on NVLink (Fig. 10)", 0, "Speed-up over copies by number of GPUs", ["PROACT over copies", "card over copies"], "", 1),
    Lines("Figs. 18 to 20: pooling", 0, "Speed-up, every flit pooled", True),
    Lines("Figs. 18 to 20: pooling", 1, "Speed-up, selective pooling", True),
    Lines("Figs. 18 to 20: pooling", 2, "Flits saved by selective pooling, %", True),
    Panels("Fig. 22: bandwidth", 0, "Speed-up of netcrafter by GB/s of a port and of the link",
           ["pagerank", "spmv", "transpose", "stencil2d", "fir", "geometric mean"], "", 1),
    Panels("Queue clocks per flit time", 0, "Speed-up by queue clocks per flit time, geometric mean", ["stitching", "pooling", "netcrafter"],
           "", 1, "geometric mean"),
]}

Table = collections.namedtuple("Table", "head rows end")  # end: number of the line behind it


def tables(lines):
    """The tables below each heading."""
    found, heading, code = collections.defaultdict(list), "", False
    for number, line in enumerate(lines):
        code ^= line.startswith("```")
        if line.startswith("#") and not code:
            heading = line.lstrip("#").strip()
        elif line.startswith("|---") and number and lines[number - 1].startswith("|"):
            end = next((n for n in range(number, len(lines)) if not lines[n].startswith("|")), len(lines))
            head, *rows = [[cell.strip() for cell in lines[n].strip().strip("|").split(" | ")] for n in [number - 1, *range(number + 1, end)]]
            found[heading].append(Table(head, rows, end))
    return found


def value(cell):
    """A cell's number; None if it has none."""
    match = re.match(r"[-+]?\d+(\.\d+)?", cell)
    return float(match[0]) if match else None


def placed(x, y, text, kind=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{html.escape(text)}</text>'


def line(kind, x1, y1, x2, y2):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def drawing(title, height, parts):
    """A block of HTML without empty lines, as Markdown asks for."""
    return "\n".join([f'<figure class="plot"><figcaption>{html.escape(title)}</figcaption>',
                      f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img"><title>{html.escape(title)}</title>',
                      *parts, "</svg></figure>"])


def ticks(low, high):
    """Round values from one not above `low` to one not below `high`."""
    exact = (high - low or 1) / 4
    step = next(s * 10 ** math.floor(math.log10(exact)) for s in (1, 2, 5, 10) if s * 10 ** math.floor(math.log10(exact)) >= exact * 0.999)
    return [step * k for k in range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)]


def apart(wanted, low, high, room=14):
    """Places near the wanted ones, `room` apart and in the drawing."""
    order, place = sorted(range(len(wanted)), key=lambda i: wanted[i]), {}
    for before, i in zip([None, *order], order):
        place[i] = max(wanted[i], low if before is None else place[before] + room)
    limit = high
    for i in reversed(order):
        place[i] = min(place[i], limit)
        limit = place[i] - room
    return [place[i] for i in range(len(wanted))]


def lines_of(plot, table):
    """Of each line its name and the cells, and the names of the points."""
    if plot.by_rows:
        return {row[0]: row[1:] for row in table.rows}, table.head[1:]
    return {name: [row[i] for row in table.rows] for i, name in enumerate(table.head) if i}, [row[0] for row in table.rows]


def draw_lines(plot, table):
    lines, points = lines_of(plot, table)
    values = [value(cell) for cells in lines.values() for cell in cells]
    left, right, top, bottom = 50, WIDTH - 30 - CHARACTER * max(map(len, lines)), 10, 250
    log = min(values) > 0 and max(values) > 8 * min(values)
    scale = math.log10 if log else float
    marks = [s * 10.0 ** k for k in range(-3, 7) for s in (1, 2, 5)] if log else ticks(min(values), max(values))
    if log:
        marks = [m for i, m in enumerate(marks) if marks[min(i + 1, len(marks) - 1)] > min(values) and marks[max(i - 1, 0)] < max(values)]
    low, high = scale(marks[0]), scale(marks[-1])

    def x(i):
        return left + (i + 0.5) * (right - left) / len(points)

    def y(v):
        return bottom - (scale(v) - low) / (high - low) * (bottom - top)

    parts = [part for m in marks for part in (line("grid", left, y(m), right, y(m)), placed(left - 6, y(m) + 4, f"{m:g}", "end"))]
    parts += [line("axis", left, bottom, right, bottom), *(placed(x(i), bottom + 16, name, "middle") for i, name in enumerate(points))]
    names = apart([y(value(cells[-1])) for cells in lines.values()], top, bottom)
    for style, (name, cells) in enumerate(lines.items()):
        parts.append(f'<polyline class="line s{style}" points="{" ".join(f"{x(i):.1f},{y(value(c)):.1f}" for i, c in enumerate(cells))}"/>')
        parts += [f'<circle class="s{style}" cx="{x(i):.1f}" cy="{y(value(cell)):.1f}" r="3.5">'
                  f"<title>{html.escape(f'{name}, {points[i]}: {cell}')}</title></circle>" for i, cell in enumerate(cells)]
        parts += [line(f"lead s{style}", x(len(points) - 1) + 5, y(value(cells[-1])), right + 4, names[style]),
                  placed(right + 8, names[style] + 4, name)]
    return drawing(plot.title + (" (logarithmic)" if log else ""), bottom + 24, parts)


def panels_of(plot, table):
    """Of each panel its name and the cells, of the marked row too, and the names of the bars."""
    if plot.of:
        row = next(row for row in table.rows if row[0] == plot.of)
        cells = dict(zip(table.head, row))
        settings = list(dict.fromkeys(name.split(", ")[1] for name in table.head[1:]))
        return {name: [cells[f"{name}, {setting}"] for setting in settings] for name in plot.columns}, settings
    return {name: [row[table.head.index(name)] for row in table.rows] for name in plot.columns}, [row[0] for row in table.rows]


def draw_panels(plot, table):
    panels, names = panels_of(plot, table)
    values = [v for cells in panels.values() for v in map(value, cells) if v is not None]
    low, high = min(plot.base, *values), max(plot.base, *values)
    left, top, step = 14 + CHARACTER * max(map(len, names)), 26, 22
    wide, bars = (WIDTH - left) / len(panels), [i for i, name in enumerate(names) if name != plot.mark]
    bottom, parts = top + step * len(bars), []
    texts = [placed(left - 8, top + step * at + 15, names[i], "end") for at, i in enumerate(bars)]
    if len(bars) + bool(plot.mark) != len(names):
        raise ValueError(f"no row {plot.mark} below {plot.heading}")
    for panel, (column, cells) in enumerate(panels.items()):
        begin = left + panel * wide

        def x(v, begin=begin):
            return begin + (v - low) / (high - low) * (wide - 58)

        texts.append(placed(x(plot.base), 14, column))
        parts.append(line("axis", x(plot.base), top, x(plot.base), bottom))
        for at, i in enumerate(bars):
            ends = sorted((x(plot.base), x(value(cells[i]))))
            parts += [f'<rect class="plain" x="{ends[0]:.1f}" y="{top + step * at + 3}" width="{ends[1] - ends[0]:.1f}" height="{step - 6}">'
                      f"<title>{html.escape(f'{names[i]}, {column}: {cells[i]}')}</title></rect>"]
            texts.append(placed(ends[1] + 5, top + step * at + 15, cells[i]))
        if plot.mark and value(cells[names.index(plot.mark)]) is not None:
            at = x(value(cells[names.index(plot.mark)]))
            parts.append(line("mark", at, top - 2, at, bottom + 4))
            texts.append(placed(at, bottom + 18, f"{plot.mark}: {cells[names.index(plot.mark)]}", "middle"))
    return drawing(plot.title, bottom + (24 if plot.mark else 6), parts + texts)


def with_plots(name, text):
    """A page's text with drawings behind its tables."""
    lines = text.splitlines()
    found, behind = tables(lines), {}
    for plot in PLOTS.get(name, ()):
        if len(found[plot.heading]) <= plot.number:
            raise ValueError(f"{name} has no table {plot.number + 1} below {plot.heading}")
        table = found[plot.heading][plot.number]
        behind[table.end] = ["", draw_lines(plot, table) if isinstance(plot, Lines) else draw_panels(plot, table), ""]
    return "\n".join(part for number, line in enumerate([*lines, ""]) for part in [*behind.get(number, []), line])
