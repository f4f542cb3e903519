# SPDX-License-Identifier: GPL-2.0-or-later
"""The elements of the report: tables, commands, and pictures drawn by gnuplot."""
import os
import subprocess

from lib import NEAR


def table(heading, rows):
    lines = ["| " + " | ".join(map(str, heading)) + " |", "|" + "---|" * len(heading)]
    return lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]


def mb(rate):
    return "%.0f" % (rate / 1e6) if rate >= 1e7 else "%.1f" % (rate / 1e6)


def percent(part):
    return "%.0f %%" % (100 * part)


def third(figures):
    """The third fastest round."""
    return sorted(figures["rounds"])[-3:][0]


def is_isolated(figures):
    """True if no two other rounds are near the fastest one, which then may be an outlier."""
    return len(figures["rounds"]) < 3 or third(figures) < figures["most"] / (1 + NEAR)


def rate(figures):
    """MB/s of the fastest round; marked if it is isolated."""
    return mb(figures["most"]) + (" !" if is_isolated(figures) else "")


def difference(a, b):
    """The difference of b from a; in parentheses if the fastest three rounds of both overlap."""
    text = "%+.0f %%" % (100 * (b["most"] / a["most"] - 1))
    overlap = third(a) <= b["most"] and third(b) <= a["most"]
    return "(%s)" % text if overlap else text


def ratio(number):
    return "" if not number else "over 1000" if number > 1000 else "%.2f" % number


def conditions(run, found):
    """The machine, the date, and the commands."""
    machine = run["machine"]
    return ["%s, %d CPUs, %s; %s; %d rounds. Before the measurement, other users of the machine "
            "took %s of the time of a thread." %
            (machine["processor"], machine["cpus"], machine["system"], run["date"], run["rounds"],
             percent(found["held_up"])),
            "", *("    " + c for c in found["commands"]), ""]


class Pictures:
    """Pictures in a directory beside the document, with its name."""

    def __init__(self, document):
        self.directory = os.path.splitext(document)[0]
        os.makedirs(self.directory, exist_ok=True)

    def draw(self, name, what, script):
        """Draws a picture, and returns the line that shows it in the document."""
        path = os.path.join(self.directory, name)
        subprocess.run(["gnuplot"], input="set terminal svg size 900,480 dynamic font 'sans,13' "
                       "background rgb 'white'\nset output '%s'\nset grid\n%s\n" %
                       (path, script), encoding="utf-8", check=True)
        return "![%s](%s/%s)" % (what, os.path.basename(self.directory), name)

    def over_threads(self, name, title, series):
        """series: {codec: [(threads, solid line, dotted line)]}, in bytes per second"""
        script, lines = "", []
        for i, (codec, points) in enumerate(series.items()):
            script += data("d%d" % i, [(p[0], *(r / 1e6 for r in p[1:])) for p in points])
            lines += ["$d%d using 1:2 with linespoints lt %d lw 2 pt 7 ps 0.6 title '%s'" %
                      (i, i + 1, codec),
                      "$d%d using 1:3 with lines lt %d dt 3 notitle" % (i, i + 1)]
        return self.draw(name, title, script + "set title '%s'\nset xlabel 'threads and outputs'\n"
                         "set ylabel 'MB/s of the source'\nset yrange [0:*]\nset xtics 1\n"
                         "set key top left\nset offsets 0.3,0.3,0,0\nplot %s" %
                         (title, ", ".join(lines)))

    def groups(self, name, title, unit, columns, rows):
        """Grouped bars.  rows: [(name of the group, a number or None for each column)]"""
        shown = [['"%s"' % row[0], *("NaN" if n is None else n for n in row[1:])] for row in rows]
        lines = ["$d using %d:xtic(1) title '%s'" % (i + 2, c) for i, c in enumerate(columns)]
        # gnuplot has eight colours.
        return self.draw(name, title, data("d", shown) + "set title '%s'\nset ylabel '%s'\n"
                         "set linetype 9 lc rgb 'brown'\nset linetype cycle 9\n"
                         "set style data histograms\nset style histogram cluster gap 1\n"
                         "set style fill solid 0.7\nset yrange [0:*]\nset xtics noenhanced\n"
                         "set key outside right top\nset bmargin 4\nplot %s" % (title, unit, ", ".join(lines)))

    def bars(self, name, title, unit, rows):
        """Horizontal bars, the longest one on top.  rows: [(name, number)]"""
        rows = sorted(rows, key=lambda row: row[1])
        points = data("d", [(i, n, '"%s"' % what) for i, (what, n) in enumerate(rows)])
        return self.draw(name, title, points + "set title '%s'\nset xlabel '%s'\n"
                         "set style fill solid 0.7\nset yrange [-0.6:%d]\nset xrange [0:*]\n"
                         "unset key\nset ytics noenhanced\n"
                         "plot $d using ($2/2):1:($2/2):(0.35):ytic(3) with boxxyerror" %
                         (title, unit, len(rows)))

    def plane(self, name, title, series):
        """Rates over ratios.  series: {name: [(label, ratio, bytes per second)]}"""
        script, lines = "", []
        for i, (what, points) in enumerate(series.items()):
            script += data("d%d" % i, [(ratio, rate / 1e6, '"%s"' % label)
                                       for label, ratio, rate in points])
            lines += ["$d%d using 1:2 with points lt %d pt 7 title '%s'" % (i, i + 1, what),
                      "$d%d using 1:2:3 with labels left rotate by %d font ',10' noenhanced "
                      "offset 0.6,%g notitle" % (i, -35 if i % 2 else 35, -0.4 if i % 2 else 0.4)]
        return self.draw(name, title, script + "set title '%s'\nset xlabel 'ratio'\n"
                         "set ylabel 'MB/s of the source'\nset logscale y\nset key top right\n"
                         "set offsets graph 0.08, graph 0.08, graph 0.1, graph 0.05\nplot %s" %
                         (title, ", ".join(lines)))


def data(name, rows):
    return "$%s << END\n%s\nEND\n" % (name, "\n".join(" ".join(map(str, r)) for r in rows))
