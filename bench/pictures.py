# SPDX-License-Identifier: GPL-2.0-or-later
"""The kinds of pictures of the report, drawn by gnuplot: lines, bars, and points in a plane.

All axes begin at zero, except for the rates of a plane, which are logarithmic.  Bars have their
values; points have their names beside them.
"""
import math
import os

from draw import COLOURS, block, gnuplot, look, quoted

# Lines that differ by no more than this are drawn as one.
SAME = 0.01
# Of an axis, beyond the largest number.
HEADROOM = 1.08
WIDTH = 900
STYLE = """
set terminal svg size %d,%d font "Helvetica,Arial,sans-serif,12" background rgb "white"
set title "{/:Bold*1.3 %s}"
set border 3 lc rgb "#666666"
set grid back lt 1 lc rgb "#dddddd" lw 1
set tics nomirror scale 0 textcolor rgb "#666666" noenhanced
set format "%%g"
set xlabel "%s" textcolor rgb "#666666"
set ylabel "%s" textcolor rgb "#666666"
set key tmargin right horizontal Left reverse samplen 3 noenhanced
"""


class Pictures:
    """Pictures in a directory beside the document, with its name."""

    def __init__(self, document):
        self.directory = os.path.splitext(document)[0]
        os.makedirs(self.directory, exist_ok=True)

    def draw(self, name, title, height, labels, script):
        """Draws a picture, and returns the line that shows it in the document."""
        commands = STYLE % (WIDTH, height, title, *labels) + "\n".join(script) + "\n"
        picture = gnuplot(commands, name)
        with open(os.path.join(self.directory, name), "wb") as file:
            file.write(picture)
        return "![%s](%s/%s)" % (title, os.path.basename(self.directory), name)

    def over_threads(self, name, title, series):
        """series: {codec: [(threads, line, small markers)]}, in bytes per second"""
        script, plots = ["set xrange [0:*]", "set yrange [0:*]", "set xtics 1"], []
        for i, codecs in enumerate(alike(series)):
            points = [(p[0], *(r / 1e6 for r in p[1:])) for p in series[codecs[0]]]
            faster = list(filter(is_faster, points))
            script += block("line%d" % i, points) + block("faster%d" % i, faster)
            plots.append("$line%d using 1:2 with linespoints lw 2 ps 0.9 dt %d %s title %s" %
                         (i, i % 4 + 1, look(i), quoted(label(codecs, series))))
            if len(series) > 1 and len(codecs) == len(series):
                plots.append("'' using 1:2:(sprintf('%.0f', $2)) with labels right offset -1,0.7 notitle")
            if faster:
                plots.append("$faster%d using 1:3 with points ps 0.4 %s notitle" % (i, look(i)))
        if any("$faster" in plot for plot in plots):
            plots.append("-1 with points ps 0.4 pt 7 lc rgb '#666666' title 'fastest rounds'")
        return self.draw(name, title, 480, ("threads and outputs", "MB/s of the source"),
                         [*script, "plot " + ", ".join(plots)])

    def groups(self, name, title, unit, columns, rows):
        """Upright bars in groups, with values.  rows: [(name of the group, a number for each column)];
        a line feed in a name begins its second line."""
        each = 0.84 / len(columns)
        most = max(n for row in rows for n in row[1:])
        script = ["set xrange [-0.6:%g]" % (len(rows) - 0.4), "set yrange [0:%g]" % (most * HEADROOM),
                  "set grid noxtics", "set bmargin 4", tics("x", ((row[0], at) for at, row in enumerate(rows)))]
        plots = []
        for i, column in enumerate(columns):
            script += block("bars%d" % i, [(at - 0.42 + (i + 0.5) * each, row[i + 1], number(row[i + 1]))
                                           for at, row in enumerate(rows)])
            plots += ["$bars%d using 1:2:(%g) with boxes fs solid noborder lc rgb '%s' title %s" %
                      (i, each * 0.95, COLOURS[i * 2], quoted(column)),
                      "'' using 1:2:3 with labels offset 0,0.6 font ',10' notitle"]
        return self.draw(name, title, 440, ("", unit), [*script, "plot " + ", ".join(plots)])

    def bars(self, name, title, unit, kinds, groups):
        """Bars to the right, with values.  kinds: what the colours mean; groups: lists of bars that
        are drawn together, as (name or "", kind, number or None)."""
        rows = [(at + 0.4 * group, *row) for at, (group, row) in
                enumerate((g, row) for g, of in enumerate(groups) for row in of)]
        numbers = [row[3] for row in rows if row[3] is not None]
        script = ["set xrange [0:%g]" % (max(numbers) * HEADROOM), "set yrange [%g:-0.7]" % (rows[-1][0] + 0.7),
                  "set grid noytics", tics("y", (row[1:2] + row[:1] for row in rows if row[1]))]
        plots = []
        for i, kind in enumerate(kinds):
            script += block("bars%d" % i, [(at, value, number(value, decimals_of(numbers)))
                                           for at, _, of, value in rows if of == i and value is not None])
            plots += ["$bars%d using (0):1:(0):2:($1-0.45):($1+0.45) with boxxyerror fs solid noborder "
                      "lc rgb '%s' title %s" % (i, COLOURS[i * 2], quoted(kind)),
                      "'' using 2:1:3 with labels left offset 0.5,0 font ',11' notitle"]
        return self.draw(name, title, 130 + 16 * len(rows) + 6 * len(groups), (unit, ""),
                         [*script, "plot " + ", ".join(plots)])

    def plane(self, name, title, series):
        """Rates over ratios.  series: {name: [(label, ratio, bytes per second)]}"""
        points = [(ratio, rate / 1e6, label, i) for i, of in enumerate(series.values())
                  for label, ratio, rate in of]
        box = Box(max(p[0] for p in points) * HEADROOM, [p[1] for p in points])
        script = box.script()
        box.taken = [(*box.at(*p[:2]), 12, 12) for p in points]
        for ratio, rate, what, i in points:
            script += box.write_beside(ratio, rate, what, COLOURS[i])
        for i, of in enumerate(series.values()):
            script += block("points%d" % i, [(ratio, rate / 1e6) for _, ratio, rate in of])
        return self.draw(name, title, Box.HEIGHT, ("ratio (bytes of the source per stored byte)",
                                                   "MB/s of the source, logarithmic"),
                         [*script, "plot " + ", ".join("$points%d with points ps 1 %s title %s" %
                                                       (i, look(i), quoted(name))
                                                       for i, name in enumerate(series))])


def tics(axis, places):
    return "set %stics (%s) textcolor rgb 'black'" % (axis, ", ".join("%s %g" % (quoted(what), at)
                                                                      for what, at in places))


def number(value, decimals=0):
    """1,234"""
    return "{:,.{}f}".format(value, decimals)


def decimals_of(numbers):
    """How many decimals show the largest of these numbers with at least three digits."""
    return max(0, 2 - int(math.floor(math.log10(max(numbers)))))


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


class Box:
    """The places of points and names in a plane, in pixels."""
    LEFT, TOP, RIGHT, BOTTOM, HEIGHT = 80, 70, 40, 60, 520

    def __init__(self, ratios, rates):
        """The rates are enclosed by 1, 2 or 5 times powers of 10."""
        steps = [d * 10 ** e for e in range(-3, 9) for d in (1, 2, 5)]
        low, high = max(n for n in steps if n <= min(rates)), min(n for n in steps if n >= max(rates))
        self.ratios, self.range, self.taken = ratios, (low, high), []
        self.steps = [n for n in steps if low <= n <= high]

    def script(self):
        return ["set lmargin at screen %g" % (self.LEFT / WIDTH), "set rmargin at screen %g" % (1 - self.RIGHT / WIDTH),
                "set tmargin at screen %g" % (1 - self.TOP / self.HEIGHT),
                "set bmargin at screen %g" % (self.BOTTOM / self.HEIGHT),
                "set logscale y", "set xrange [0:%g]" % self.ratios, "set yrange [%g:%g]" % self.range,
                tics("y", ((number(n), n) for n in self.steps))]

    def at(self, ratio, rate):
        low, high = map(math.log10, self.range)
        return (self.LEFT + (WIDTH - self.LEFT - self.RIGHT) * ratio / self.ratios,
                self.BOTTOM + (self.HEIGHT - self.TOP - self.BOTTOM) * (math.log10(rate) - low) / (high - low))

    def write_beside(self, ratio, rate, what, colour):
        """A name near its point, where it covers neither a point nor another name."""
        w, h = 0.58 * 12 * len(what), 14
        x, y = self.at(ratio, rate)
        places = [(x + dx * (8 + w / 2) * far, y + dy * 16 * far)
                  for far in (1, 1.5, 2, 2.5, 3, 4) for dx, dy in
                  ((1, 0), (-1, 0), (0, 1), (0, -1), (0.8, 1), (-0.8, 1), (0.8, -1), (-0.8, -1))]
        at = next((p for p in places if not any(
            abs(p[0] - t[0]) * 2 <= w + t[2] and abs(p[1] - t[1]) * 2 <= h + t[3] for t in self.taken)), places[0])
        self.taken.append((*at, w, h))
        return ["set label %s at screen %g,%g center noenhanced textcolor rgb '%s'" %
                (quoted(what), at[0] / WIDTH, at[1] / self.HEIGHT, colour)]
