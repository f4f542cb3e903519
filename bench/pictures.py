# SPDX-License-Identifier: GPL-2.0-or-later
"""The kinds of pictures of the report: lines, bars, and points in a plane.

All axes begin at zero, except for the rates of a plane, which are logarithmic.  Bars have their
values; lines and points have their names beside them.
"""
import itertools
import math
import os

from svg import FAINT, GRID, Svg, bar_colour, colour, decimals_of, number, tick, ticks, width_of

# Lines that differ by no more than this are drawn as one.
SAME = 0.01
# Of an axis, beyond the largest number.
HEADROOM = 1.05
WIDTH = 900


class Pictures:
    """Pictures in a directory beside the document, with its name."""

    def __init__(self, document):
        self.directory = os.path.splitext(document)[0]
        os.makedirs(self.directory, exist_ok=True)

    def write(self, svg, name, what):
        """Writes a picture, and returns the line that shows it in the document."""
        svg.write(os.path.join(self.directory, name))
        return "![%s](%s/%s)" % (what, os.path.basename(self.directory), name)

    def over_threads(self, name, title, series):
        """series: {codec: [(threads, line, small markers)]}, in bytes per second"""
        svg = Svg(title, WIDTH, 480)
        most = max(max(p[1:]) for points in series.values() for p in points) / 1e6
        threads = range(max(p[0] for points in series.values() for p in points) + 1)
        plot = Plot(svg, (70, 76, WIDTH - 280, 350), threads[-1], (0, most * HEADROOM))
        plot.y_axis(ticks(most * HEADROOM), "MB/s of the source")
        plot.x_axis(threads, "threads and outputs", lines=False)
        ends = []
        for i, codecs in enumerate(alike(series)):
            points = [(p[0], *(r / 1e6 for r in p[1:])) for p in series[codecs[0]]]
            svg.line([plot.at(p[0], p[1]) for p in points], colour(i), 2, DASHES[i % len(DASHES)])
            for p in points:
                svg.marker(*plot.at(p[0], p[1]), i)
                if is_faster(p):
                    svg.marker(*plot.at(p[0], p[2]), i, 2)
                if len(series) > 1 and len(codecs) == len(series):
                    svg.text(plot.at(p[0], p[1])[0] - 8, plot.at(p[0], p[1])[1] - 8, number(p[1]), "end")
            ends.append((plot.at(*points[-1][:2]), label(codecs, series), i))
        write_ends(svg, ends, plot)
        if any(is_faster(p) for points in series.values() for p in points):
            svg.text(WIDTH - 20, 58, "large: medians; small: fastest rounds", "end", 12, FAINT)
        return self.write(svg, name, title)

    def groups(self, name, title, unit, columns, rows):
        """Upright bars in groups, with values.  rows: [(name of the group, a number for each column)];
        a line feed in a name begins its second line."""
        svg = Svg(title, WIDTH, 440)
        most = max(n for row in rows for n in row[1:]) * HEADROOM
        plot = Plot(svg, (70, 84, WIDTH - 100, 290), len(rows), (0, most))
        plot.y_axis(ticks(most), unit)
        svg.legend(columns, svg.box)
        each = plot.scale_x * 0.84 / len(columns)
        for at, row in enumerate(rows):
            left = plot.at(at + 0.08, 0)[0]
            for i, value in enumerate(row[1:]):
                x, y = left + i * each, plot.at(0, value)[1]
                svg.bar(x + 1, y, each - 2, plot.bottom - y, bar_colour(i))
                svg.text(x + each / 2, y - 4, number(value), "middle", 10)
            for i, line in enumerate(row[0].split("\n")):
                svg.text(plot.at(at + 0.5, 0)[0], plot.bottom + 18 + 16 * i, line, "middle", 12)
        return self.write(svg, name, title)

    def bars(self, name, title, unit, kinds, groups):
        """Bars to the right, with values.  kinds: what the colours mean; groups: lists of bars that
        are drawn together, as (name or "", kind, number or None)."""
        rows = [row for group in groups for row in group]
        thick = 18 if len(groups) == len(rows) else 14
        left = 30 + max(width_of(row[0], 12) for row in rows)
        height = 96 + len(rows) * thick + len(groups) * 6 + 40
        svg = Svg(title, WIDTH, height)
        numbers = [row[2] for row in rows if row[2] is not None]
        plot = Plot(svg, (left, 80, WIDTH - left - 80, height - 140), max(numbers), (0, 1))
        plot.x_axis(ticks(max(numbers)), unit)
        svg.legend(kinds, svg.box)
        y = 84
        for group in groups:
            for what, kind, value in group:
                svg.text(left - 8, y + thick - 5, what, "end", 12)
                if value is not None:
                    svg.bar(left, y + 1, plot.at_x(value) - left, thick - 2, bar_colour(kind))
                    svg.text(plot.at_x(value) + 6, y + thick - 4, number(value, decimals_of(numbers)), size=11)
                y += thick
            y += 6
        return self.write(svg, name, title)

    def plane(self, name, title, series):
        """Rates over ratios.  series: {name: [(label, ratio, bytes per second)]}"""
        svg = Svg(title, WIDTH, 520)
        points = [(ratio, rate / 1e6, label, i) for i, of in enumerate(series.values())
                  for label, ratio, rate in of]
        rates = decades(min(p[1] for p in points), max(p[1] for p in points))
        ratios = max(p[0] for p in points) * HEADROOM
        plot = Plot(svg, (70, 84, WIDTH - 110, 370), ratios, (rates[0], rates[-1]), math.log10)
        plot.y_axis(rates, "MB/s of the source, logarithmic")
        plot.x_axis(ticks(ratios), "ratio (bytes of the source per stored byte)")
        svg.legend(series, svg.marker)
        taken = [(*plot.at(*p[:2]), 12, 12) for p in points]
        for ratio, rate, what, i in points:
            svg.marker(*plot.at(ratio, rate), i, 5.5)
        for ratio, rate, what, i in points:
            write_beside(svg, plot.at(ratio, rate), what, colour(i), taken)
        return self.write(svg, name, title)


DASHES = ("", "8 3", "2 3", "10 3 2 3", "5 2")


def alike(series):
    """Lists of names whose lines differ by at most SAME everywhere."""
    groups = []
    for name, points in series.items():
        for group in groups:
            if all(abs(a / b - 1) <= SAME for p, q in zip(points, series[group[0]]) for a, b in zip(p, q)):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def is_faster(point):
    """Whether the fastest round is drawn beside the median."""
    return point[2] > point[1] * (1 + SAME)


def label(codecs, series):
    if len(codecs) == 1:
        return codecs[0]
    names = "all codecs" if len(codecs) == len(series) else ", ".join(codecs)
    return "%s, within %.0f %%" % (names, 100 * SAME)


def decades(least, most):
    """The numbers 1, 2 and 5 times powers of 10 that enclose a range."""
    numbers = [d * 10 ** e for e in range(-3, 9) for d in (1, 2, 5)]
    first = max(i for i, n in enumerate(numbers) if n <= least)
    last = min(i for i, n in enumerate(numbers) if n >= most)
    return numbers[first:last + 1]


class Plot:
    """Coordinates in a rectangle of a picture (left, top, width, height)."""

    def __init__(self, svg, place, most_x, range_y, y_of=lambda y: y):
        """x begins at 0; the y axis is linear in the result of y_of."""
        self.svg, self.range_y, self.y_of = svg, range_y, y_of
        self.left, self.top, self.width, self.height = place
        self.bottom = self.top + self.height
        self.scale_x = self.width / most_x

    def at(self, x, y):
        low, high = map(self.y_of, self.range_y)
        return (self.at_x(x), self.bottom - self.height * (self.y_of(y) - low) / (high - low))

    def at_x(self, x):
        return self.left + x * self.scale_x

    def x_axis(self, numbers, title, lines=True):
        for x in numbers:
            if lines:
                self.svg.line([(self.at_x(x), self.top), (self.at_x(x), self.bottom)])
            self.svg.text(self.at_x(x), self.bottom + 18, tick(x), "middle", 12, FAINT)
        self.svg.text(self.left + self.width, self.bottom + 38, title, "end", 12, FAINT)
        self.svg.line([(self.left, self.top), (self.left, self.bottom)], FAINT)

    def y_axis(self, numbers, title):
        for _, y in (self.at(0, y) for y in numbers):
            self.svg.line([(self.left, y), (self.left + self.width, y)])
        for y in numbers:
            self.svg.text(self.left - 8, self.at(0, y)[1] + 4, tick(y), "end", 12, FAINT)
        self.svg.text(20, self.top - 14, title, size=12, fill=FAINT)
        self.svg.line([(self.left, self.bottom), (self.left + self.width, self.bottom)], FAINT)


def write_ends(svg, ends, plot):
    """The names of lines at their right ends, moved apart, with a line to each."""
    ends.sort(key=lambda end: end[0][1])
    ys = [end[0][1] for end in ends]
    for i in range(1, len(ys)):
        ys[i] = max(ys[i], ys[i - 1] + 18)
    over = max(0, ys[-1] - plot.bottom)
    for ((x, y), what, i), at in zip(ends, ys):
        at -= over
        svg.line([(x + 6, y), (x + 22, at)], GRID)
        svg.marker(x + 30, at, i)
        svg.text(x + 40, at + 4, what)


def write_beside(svg, point, what, fill, taken):
    """A name near its point, where it covers neither a point nor another name."""
    w, h = width_of(what, 12), 14
    x, y = point

    def free(at):
        return all(abs(at[0] - t[0]) * 2 > w + t[2] or abs(at[1] - t[1]) * 2 > h + t[3] for t in taken)

    places = [(x + dx * (8 + w / 2) * far, y + dy * 16 * far)
              for far in (1, 1.5, 2, 2.5, 3, 4) for dx, dy in
              ((1, 0), (-1, 0), (0, -1), (0, 1), (0.8, -1), (-0.8, -1), (0.8, 1), (-0.8, 1))]
    at = next(itertools.chain((p for p in places if free(p)), places[:1]))
    if abs(at[0] - x) > w / 2 + 10 or abs(at[1] - y) > 18:
        svg.line([point, (at[0], at[1] - (h / 2 if at[1] > y else -h / 2))], FAINT, 0.7)
    taken.append((*at, w, h))
    svg.text(at[0], at[1] + 4, what, "middle", 12, fill)
