# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws what nsplit-bench has measured, from its JSON:
    python3 draw.py [--csv[=FILE]] [--html[=FILE]] [--plot=FILE] < JSON

Without "=FILE", it writes to standard output.  It needs nothing beyond Python, except for gnuplot, which draws all pictures: those of --plot, unless FILE
ends in .gp, and those of the page, which has tables with bars in any case.  bench/pictures.py draws with it, too.

A FILE is opened when its content is complete, so an older one is kept if that fails.  The exit status is 1 if
anything failed, which a message says.
"""
import argparse
import html
import json
import math
import os
import re
import shutil
import stat
import subprocess
import sys
import urllib.parse

# Each of the colours is lighter than the one before it, so that they differ in grey, too; curves also differ in
# markers and dashes.
COLOURS = ("#17365c", "#a3243b", "#1b7f79", "#e07a1f", "#79b4e8", "#d9c24a")
MARKERS = (7, 5, 9, 13, 11)
DASHES = 4


class Failed(Exception):
    """The text is a message."""


def say(text):
    sys.stderr.write("draw.py: %s\n" % text)


# gnuplot

def gnuplot(script, name):
    """The picture.  Without the settings of the user, which are for other pictures.  name: for messages"""
    if not shutil.which("gnuplot"):
        raise Failed("%s: gnuplot is not installed; its commands can be written to a FILE that ends in .gp" % name)
    done = subprocess.run(["gnuplot", "-d"], input=script.encode("utf-8", "replace"), stdout=subprocess.PIPE)
    if done.returncode or not done.stdout:
        raise Failed("%s: gnuplot failed" % name)
    return done.stdout


def quoted(text):
    """A string of gnuplot.  A name with a line feed, a quote or a backquote must not begin another command."""
    return '"%s"' % re.sub(r'[\x00-\x1f"\\`]', lambda c: {"\n": "\\n", '"': '\\"', "\\": "\\\\", "`": "\\140"}.get(c[0], "?"),
                           text)


def block(name, rows):
    """Data of gnuplot, in which texts are not interpreted."""
    return ["$%s << END" % name,
            *(" ".join('"%s"' % re.sub(r'[\x00-\x1f"\\]', "?", c) if isinstance(c, str) else
                       "%d" % c if isinstance(c, int) else "%g" % c for c in row) for row in rows), "END"]


def look(i):
    return "lc rgb '%s' pt %d" % (COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)])


# Figures as text

def shown(text):
    """Control characters and what is no character would end a line, or the page."""
    return re.sub("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)


def size(number):
    if number < 1024:
        return "%d B" % number
    number, prefixes = number / 1024, "KMGTPE"
    # 1023.95 would be printed as 1024.0.
    while number >= 1023.95:
        number, prefixes = number / 1024, prefixes[1:]
    return "%.1f %siB" % (number, prefixes[0])


def mb(rate):
    """Bytes per second as MB/s: "1,234", "12.3" or "0.52"."""
    rate /= 1e6
    return "{:,.{}f}".format(rate, 2 if rate < 10 else 1 if rate < 100 else 0)


def percent(share):
    return "%.*f %%" % (share < 0.1, 100 * share)


def plural(number, what):
    return "%d %s%s" % (number, what, "" if number == 1 else "s")


def threads_of(cell):
    return plural(cell["threads"], "thread") if cell["threads"] else "serial"


# What was measured

# A measure, the keys of its share and its ceiling, its heading, and the titles of its charts.
CAPTURE = ("capture", "share", "ceiling", "Captures",
           ("Captures", "Captures, as a share of the ceiling", "Speed and compression"))
READS = [(key, key + "_share", "unpack_ceiling", key.title(),
          (key.title(), key.title() + ", as a share of the ceiling")) for key in ("verify", "join")]
RATE, SHARE, RATIO = range(3)


def is_wide(rounds, figures):
    """Allows no conclusions; as summary_is_wide() of src/bench."""
    return rounds < 3 or figures["spread"] > 0.2


class Series:
    """The cells of a report; those of a series are adjacent, and differ in threads, and perhaps outputs."""

    def __init__(self, report):
        self.cells = report["cells"]
        threads = [cell["threads"] for cell in self.cells]
        self.length = next(n for n in range(1, len(threads) + 1)
                           if len(threads) % n == 0 and threads == threads[:n] * (len(threads) // n))
        self.count = len(threads) // self.length
        self.bars = self.length <= 2
        kinds = [(cell["codec"], cell["block_size"]) for cell in self.of(0, every=True)]
        self.codecs, self.blocks = len({k[0] for k in kinds}), len({k[1] for k in kinds})
        self.outputs = len(kinds) > len(set(kinds))

    def of(self, i, every=False):
        """The cells of series i, or the first cell of every one."""
        return self.cells[::self.length] if every else self.cells[i * self.length:(i + 1) * self.length]

    def name(self, i):
        """What the series of this report differ in: "lzo, 2 outputs, 64K"."""
        first, last = self.of(i)[0], self.of(i)[-1]
        text = shown(first["codec"])[:40]
        if self.outputs:
            text += ", as many outputs" if first["outputs"] != last["outputs"] else \
                ", " + plural(first["outputs"], "output")
        return text + (", %dK" % (first["block_size"] // 1024) if self.blocks > 1 else "")

    def row(self, i):
        """The place of a bar: there is a gap between two series."""
        return i + 0.3 * (i // self.length)

    def group(self, what, chart):
        """Lists of series whose curves cannot be told apart: by 1 % of the rate, or 2 points of the share."""
        groups = []
        for i in range(self.count):
            points = [figures_of(cell, what, chart) for cell in self.of(i)]
            if not any(points):
                continue
            # Compared with the first ones only: a chain of small steps is no group.
            for first, others in groups:
                if all(bool(p) == bool(q) and (not p or abs(p[0] - q[0]) <= (2 if chart == SHARE else 0.01 * p[0]))
                       for p, q in zip(first, points)):
                    others.append(i)
                    break
            else:
                groups.append((points, [i]))
        return [others for _, others in groups]

    def group_name(self, group, chart):
        """"lzo", "lzo, lz4, 2 more, within 1 %", or "all codecs, within 1 %"."""
        if len(group) == 1:
            return self.name(group[0])
        if len(group) == self.count:
            text = "all codecs" if self.codecs == self.count else "all"
        else:
            text = ", ".join(map(self.name, group[:2])) + (", %d more" % (len(group) - 2) if len(group) > 2 else "")
        return text + (", within 2 points" if chart == SHARE else ", within 1 %")


def figures_of(cell, what, chart):
    """Median, slowest and fastest round, in MB/s or percent; None: not measured."""
    figures = cell.get(what[1 if chart == SHARE else 0])
    return figures and [figures[key] * (100 if chart == SHARE else 1e-6) for key in ("median", "least", "most")]


# Charts: bars if one or two numbers of threads were measured, curves over the threads if there are more.  The ceiling
# has none: it can be a hundred times as high as what it is compared with.

WIDTH, HEADING = 480, 40


def chart_height(series, chart):
    return 384 if chart == RATIO or not series.bars else 100 + 23 * series.row(len(series.cells))


def step_of(most):
    """1, 2 or 5 times a power of ten, so that an axis has at most six numbers, which do not touch."""
    return next(d * 10.0 ** e for e in range(-6, 19) for d in (1, 2, 5) if most / (d * 10.0 ** e) <= 6)


def bars(series, what, chart):
    rows, most = [], 100 if chart == SHARE else 0
    for i, cell in enumerate(series.cells):
        name = series.name(i // series.length) + (", " + threads_of(cell) if series.length > 1 else "")
        found = figures_of(cell, what, chart)
        text = "not measured"
        if found:
            most = max(most, found[2])
            text = percent(found[0] / 100) if chart == SHARE else mb(found[0] * 1e6)
            wide = is_wide(len(cell[what[0]]["rounds"]), cell[what[1 if chart == SHARE else 0]])
            text += " !" if wide else ""
        rows.append((name, series.row(i), int(COLOURS[i // series.length % len(COLOURS)][1:], 16),
                     *(found or (0, 0, 0)), text))
    # The longest bar leaves room for its value.
    most = (most or 1) * 1.25
    return [*block("rows", rows), "unset key", "set grid noytics", "set style textbox opaque noborder margins 0.5,0.3",
            "set xrange [0:%g]" % most, "set xtics %g" % step_of(most), "set yrange [%g:-0.7]" % (rows[-1][1] + 0.7),
            "plot $rows using (0):2:(0):4:($2-0.4):($2+0.4):3:ytic(1) with boxxyerror fs solid noborder lc rgb "
            "variable, '' using 5:2:($6-$5):(0) with vectors nohead lw 1.5 lc rgb '#666666', '' using 6:2:7 with "
            "labels boxed left offset 0.7,0 noenhanced"]


def curves(series, what, chart):
    threads = [cell["threads"] for cell in series.of(0)]
    # Whole numbers, at most about eight; 0 stands for the serial engine.
    script = ["set xrange [0:%d]" % max(1, *threads), "set xtics %d" % ((max(1, *threads) + 7) // 8),
              "set yrange [0:%s]" % ("100<*" if chart == SHARE else "*")]
    script += ["set xtics add ('serial' 0)"] if 0 in threads else []
    plots = []
    for group in series.group(what, chart):
        i = group[0]
        found = [(cell["threads"], figures_of(cell, what, chart)) for cell in series.of(i)]
        script += block("series%d" % i, [(n, *figures) for n, figures in found if figures])
        plots += ["$series%d using 1:3:(0):($4-$3) with vectors nohead lc rgb '%s' notitle" %
                  (i, COLOURS[i % len(COLOURS)]),
                  "'' using 1:2 smooth unique with linespoints lw 2 ps 0.8 dt %d %s title %s" %
                  (i % DASHES + 1, look(i), quoted(series.group_name(group, chart)))]
    return script + ["plot " + ", ".join(plots or ["NaN notitle"])]


def plane(series):
    """Rate and ratio of each series, with the most threads."""
    plots = []
    for i in range(series.count):
        cell = max((cell for cell in series.of(i) if "capture" in cell), key=lambda c: c["threads"], default=None)
        if cell:
            plots.append("'+' every ::::0 using (%g):(%g) with points %s title %s" %
                         (cell.get("ratio", 0), cell["capture"]["median"] / 1e6, look(i), quoted(series.name(i))))
    return ["set offsets 0, graph 0.05, graph 0.05, 0", "set xrange [0:*]", "set yrange [0:*]",
            "plot " + ", ".join(plots or ["NaN notitle"])]


def chart_script(series, what, chart):
    """Commands that depend on nothing that was set before, except for the terminal."""
    unit = "of the ceiling" if chart == SHARE else "MB/s of the source"
    labels = (unit, "") if series.bars else ("threads", unit)
    script = []
    if chart == RATIO:
        labels = ("ratio (bytes of the source per byte of the members)", unit + ", with the most threads")
        script = plane(series)
    elif chart == SHARE:
        # Percentages of a ceiling that is marked.
        script = ["set format %s '%%.0f %%%%'" % ("x" if series.bars else "y"), "set arrow from %s nohead back dt 2 "
                  "lw 1.5 lc rgb '#666666'" % ("100,graph 0 to 100,graph 1" if series.bars else
                                               "graph 0,first 100 to graph 1,first 100")]
    if chart != RATIO:
        script += (bars if series.bars else curves)(series, what, chart)
    return ["reset", "set title '{/:Bold*1.2 %s}' enhanced" % what[4][chart],
            "set border 3 lc rgb '#666666'", "set grid back lt 1 lc rgb '#dddddd' lw 1",
            "set tics nomirror scale 0 textcolor rgb '#666666' noenhanced",
            "set xlabel '%s' offset 0,0.3 textcolor rgb '#666666'" % labels[0],
            "set ylabel '%s' textcolor rgb '#666666'" % labels[1],
            "set key bmargin center horizontal height 1 Left reverse samplen 3 noenhanced", *script]


def terminal(width, height, png=False):
    return "set terminal %s size %.0f,%.0f background rgb 'white'" % \
        ("pngcairo font 'sans,9'" if png else "svg font 'Helvetica,Arial,sans-serif,11'", width, height)


def plot(report, name):
    """The charts of the captures side by side: SVG, PNG, or the script for gnuplot that draws them."""
    series, machine = Series(report), report["machine"]
    heading = "%.200s, %s; %s; %s, %s" % (report["source"], size(report["source_size"]), report["date"],
                                         machine["processor"], plural(machine["cpus"], "CPU"))
    script = [terminal(3 * WIDTH, HEADING + max(chart_height(series, chart) for chart in (RATE, SHARE, RATIO)),
                       name.endswith(".png")),
              "set multiplot layout 1,3 title %s noenhanced" % quoted(shown(heading))]
    for chart in (RATE, SHARE, RATIO):
        script += chart_script(series, CAPTURE, chart)
    script = "\n".join(script + ["unset multiplot", ""])
    return script.encode("utf-8", "replace") if name.endswith(".gp") else gnuplot(script, name)


# CSV: one line for each combination.  Rates in bytes per second, fsync included.

def csv(report):
    rates, shares = ("median", "least", "most", "spread"), ("median", "spread", "best")
    # The name, the object, its keys with their endings, and how they are written.
    columns = [(name, keys, form) for name, keys, form in (
        ("share", shares, "%.4f"), ("capture", rates, "%.0f"), ("ceiling", rates, "%.0f"), ("memcpy", rates, "%.0f"),
        ("verify_share", shares, "%.4f"), ("verify", rates, "%.0f"), ("join_share", shares, "%.4f"),
        ("join", rates, "%.0f"), ("unpack_ceiling", rates, "%.0f"))]
    lines = [",".join(["threads", "codec", "outputs", "block_size", "source_bytes", "bytes"] + [
        name if key == "median" else name + "_" + key
        for name, keys, _ in columns for key in keys])]
    for cell in report["cells"]:
        fields = [cell["threads"] or "serial", cell["codec"], cell["outputs"], cell["block_size"],
                  cell.get("stored_bytes", 0), cell.get("bytes", 0)]
        for name, keys, form in columns:
            found = cell.get(name, {})
            # A single round has no spread.
            fields += [("%.4f" if key == "spread" else form) % found[key] if key in found else "" for key in keys]
        lines.append(",".join(map(str, fields)))
    return "\n".join(lines + [""]).encode("utf-8", "replace")


# A page that is complete in one file: no scripts, fonts, pictures or style sheets from elsewhere, so that it can be
# sent by mail and opened on a machine without a network.  On a dark screen, the charts have inverse lightness, but the
# same hues.

STYLE = """\
:root { color-scheme: light dark; --paper: #fff; --text: #222; --faint: #5c5c5c; --rule: #ddd;
  --band: #f4f5f7; --bar: #b9d3ee; --good: #1b6e3c; --bad: #9a5b00; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 76rem; background: var(--paper);
  color: var(--text); font: 1rem/1.5 system-ui, Helvetica, Arial, sans-serif; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.2; }
h2 { margin: 2.2rem 0 .6rem; font-size: 1.2rem; }
p { margin: .4rem 0; max-width: 48rem; }
ul { margin: 1rem 0; padding-left: 1.2rem; }
.faint { color: var(--faint); }
.verdict { margin: 1.2rem 0; padding: .8rem 1rem; border-left: .3rem solid var(--bad);
  background: var(--band); }
.verdict.good { border-color: var(--good); }
.conclusion { font-weight: 600; }
.caption { margin-top: .8rem; }
.charts { display: grid; gap: 1rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); }
figure { margin: 0; border: 1px solid var(--rule); border-radius: .3rem; overflow: hidden; }
figure img { display: block; width: 100%; height: auto; }
.scroll { overflow-x: auto; margin: .3rem 0 1.2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; }
th { font-weight: 600; }
th.name, td.name { text-align: left; }
td.bar { min-width: 8rem;
  background: linear-gradient(to right, var(--bar) var(--part), transparent 0);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
td.unsure { color: var(--bad); }
tbody tr:nth-child(even) { background: var(--band); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: .6rem 0; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--rule); font-size: .9rem; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16181c; --text: #e6e6e6; --faint: #a5a9b0; --rule: #363a42; --band: #1f2228;
    --bar: #2c4a6e;
    --good: #58c482; --bad: #f0b35a; }
  figure img { filter: invert(.91) hue-rotate(180deg); }
}
@media (max-width: 30rem) {
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
  th, td { padding: .25rem .4rem; font-size: .85rem; }
}
@media print {
  body { padding: 0; max-width: none; font-size: 10pt; }
  figure, tr, .verdict { break-inside: avoid; } h2 { break-after: avoid; }
  .charts { grid-template-columns: 1fr 1fr; } .scroll { overflow: visible; }
  th, td { padding: .1rem .4rem; font-size: 8pt; }
}
"""

EXPLANATION = """\
<p>MB/s are 10<sup>6</sup> bytes of the source per second, without pages that are left out: the
median of all rounds, with a thin line from the slowest to the fastest one. The time of a capture
goes from the first open of an output to its last fsync and close.</p>
<p>The <em>ceiling</em> is the speed of compression alone (for reading, of decompression alone):
the same threads and blocks, in memory, without input, output, records or checksums. It is
measured just before each figure that is compared with it. A share near 100 % means that the
processors limit the speed; with a low share, something else does, usually the disks.</p>
<p>The <em>spread</em> is the difference between the slowest and the fastest round, relative to
the median. Figures marked with ! allow no conclusions.</p>
"""


def escaped(text):
    return html.escape(shown(text)).replace("&#x27;", "&#39;")


def table(caption, headings, rows):
    """The first column has names.  A table that is too wide for the screen scrolls, also by keyboard."""
    yield ('<p class="caption faint">%s</p>\n<div class="scroll" tabindex="0" role="region" aria-label="%s">\n'
           '<table>\n<thead><tr>' % (caption, caption))
    yield "".join('<th scope="col"%s>%s</th>' % ('' if i else ' class="name"', heading)
                  for i, heading in enumerate(headings))
    yield "</tr></thead>\n<tbody>\n"
    for row in rows:
        yield "<tr>%s</tr>\n" % "".join(row)
    yield "</tbody>\n</table>\n</div>\n"


def td(text, attributes=""):
    return "<td%s>%s</td>" % (attributes, text)


def cell_names(cell):
    return [td(escaped(cell["codec"]), ' class="name"'), td(cell["threads"] or "serial"), td(cell["outputs"]),
            td("%dK" % (cell["block_size"] // 1024))]


CELL_HEADINGS = ["codec", "threads", "outputs", "block"]


def figures_cells(cell, what, most):
    """Unreliable figures are marked.  most: of the medians of all cells, for the bars"""
    rate, share, ceiling = (cell.get(key) for key in what[:3])

    def bar(part, text):
        return td(text, ' class="bar" style="--part: %.1f%%"' % (100 * part))

    def spread(figures):
        if not figures or "spread" not in figures:
            return td("–")
        text = "%.0f&nbsp;%%" % (100 * figures["spread"])
        return td(text + " !", ' class="unsure"') if is_wide(len(rate["rounds"]), figures) else td(text)

    yield bar(rate["median"] / most, mb(rate["median"])) if rate else bar(0, "–")
    yield spread(rate)
    yield td(mb(rate["most"]) if rate else "–")
    yield bar(min(share["median"], 1), percent(share["median"])) if share else bar(0, "–")
    yield spread(share)
    yield td(percent(share["best"]) if share else "–")
    yield td(mb(ceiling["median"]) if ceiling else "–")
    if what is CAPTURE:
        yield td(mb(cell["memcpy"]["median"]) if "memcpy" in cell else "–")
        yield td("%.2f" % cell["ratio"] if "ratio" in cell else "–")


def figures_table(report, what):
    cells = [cell for cell in report["cells"] if what is CAPTURE or what[0] in cell]
    most = max([cell[what[0]]["median"] for cell in cells if what[0] in cell] + [1])
    return table("MB/s of the source; share: of the ceiling; best: fastest round of each",
                 CELL_HEADINGS + ["median", "spread", "fastest", "share", "spread", "best", "ceiling"] +
                 (["memcpy", "ratio"] if what is CAPTURE else []),
                 (cell_names(cell) + list(figures_cells(cell, what, most)) for cell in cells))


class Page:
    """failed: a chart failed, which was said; the page is complete otherwise"""

    def __init__(self, report):
        self.report, self.series, self.failed = report, Series(report), False
        self.charts = shutil.which("gnuplot") is not None

    def chart(self, what, chart):
        """A picture as a part of the page: every byte that means something there or in an address is encoded."""
        script = [terminal(WIDTH, chart_height(self.series, chart)), *chart_script(self.series, what, chart), ""]
        try:
            picture = gnuplot("\n".join(script), what[4][chart])
        except Failed as failed:
            say(failed)
            self.failed = True
            return ""
        return '<figure><img alt="%s" src="data:image/svg+xml,%s"></figure>\n' % \
            (what[4][chart], urllib.parse.quote(picture, safe="!$'()*+,/:;=?@[]^`{|}\\"))

    def measure(self, what):
        if any(what[0] in cell for cell in self.report["cells"]):
            yield "<section>\n<h2>%s</h2>\n" % what[3]
            if self.charts:
                yield '<div class="charts">\n'
                yield from (self.chart(what, chart) for chart in range(len(what[4])))
                yield "</div>\n"
            yield from figures_table(self.report, what)
            yield "</section>\n"

    def best(self):
        """The fastest captures, and the smallest members: of those that differ by at most 0.1 %, the last."""
        cells = [c for c in self.report["cells"] if "capture" in c]
        if not cells:
            return
        least = min(cell["bytes"] for cell in cells)
        yield "<ul>\n"
        for name, cell in (("Fastest", max(cells, key=lambda c: c["capture"]["median"])),
                           ("Smallest", [c for c in cells if c["bytes"] <= 1.001 * least][-1])):
            yield "<li>%s: %s%s: %s MB/s%s" % (name, escaped(cell["codec"]),
                                              (" with " if cell["threads"] else ", ") + threads_of(cell),
                                              mb(cell["capture"]["median"]),
                                              " (!)" if is_wide(len(cell["capture"]["rounds"]), cell["capture"]) else "")
            if "share" in cell:
                yield ", %s of the ceiling" % percent(cell["share"]["median"])
            yield ", ratio %.2f</li>\n" % cell.get("ratio", 0)
        yield "</ul>\n"

    def verdict(self):
        wide = any(is_wide(len(cell[what[0]]["rounds"]), cell[key]) for cell in self.report["cells"]
                   for what in (CAPTURE, *READS) for key in what[:2] if key in cell)
        yield '<section class="verdict%s">\n<p class="conclusion">%s</p>\n</section>\n' % \
            (("", "Some figures (!) are unreliable, with fewer than three rounds or a spread above 20 %; use more --rounds "
              "or a larger SOURCE.") if wide else
             (" good", "The speeds and their shares of the ceiling are reliable."))

    def settings(self):
        report, machine = self.report, self.report["machine"]
        terms = [("Processor", "%s, %s" % (machine["processor"], plural(machine["cpus"], "CPU"))),
                 ("System", machine["system"]),
                 ("Source", "%s, %s" % (report["source"], size(report["source_size"])))]
        terms.append(("Outputs", ", ".join(report["outputs"])))
        if report["disk_rates"]:
            def rates(key):
                return ", ".join(size(rate) + "/s" for rate in report[key])
            terms.append(("Emulated disks", rates("disk_rates") + (
                "; after %g s: %s" % (report["later"], rates("later_disk_rates")) if "later" in report else "")))
        terms += [("Page cache", report["page_cache"]), ("Chunks", size(report["chunk_size"])),
                  ("Rounds", "%d after %d to warm up" % (report["rounds"], report["warmup"]))]
        yield "<section>\n<h2>Machine and settings</h2>\n<dl>\n"
        yield from ("<dt>%s</dt><dd>%s</dd>\n" % (term, escaped(text)) for term, text in terms)
        yield "</dl>\n</section>\n"

    def parts(self):
        report = self.report
        name, date = escaped(report["source"]), escaped(report["date"])
        yield ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" '
               'content="width=device-width, initial-scale=1">\n<title>Speed of captures: %s, %s</title>\n<style>\n'
               '%s</style>\n</head>\n<body>\n' % (name, date, STYLE))
        yield '<header>\n<h1>Speed of captures</h1>\n<p class="faint">%s, %s, on %s</p>\n</header>\n' % \
            (name, size(report["source_size"]), date)
        if not report["whole"]:
            yield "<p><strong>The benchmark ended early, so the results are incomplete.</strong></p>\n"
        yield "<main>\n"
        yield from self.best()
        yield from self.verdict()
        for what in (CAPTURE, *READS):
            yield from self.measure(what)
        yield from self.settings()
        yield ('<section>\n<h2>What the figures mean</h2>\n%s</section>\n</main>\n<footer>\n<p class="faint">Written by '
               'nsplit-bench of nsplit %s.</p>\n</footer>\n</body>\n</html>\n' % (EXPLANATION, escaped(report["version"])))


def write(name, content):
    """name: "" is standard output"""
    try:
        if name:
            # As nsplit-bench writes its own: for their owner only.
            with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600), "wb") as file:
                if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    os.fchmod(file.fileno(), 0o600)
                    file.truncate(0)
                file.write(content)
        else:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
    except OSError as error:
        raise Failed("%s: %s" % (name or "standard output", error.strerror)) from error


def draw(report, kind, name):
    """True: all of it."""
    if kind == "html":
        page = Page(report)
        write(name, "".join(page.parts()).encode("utf-8", "replace"))
        return not page.failed
    write(name, csv(report) if kind == "csv" else plot(report, name))
    return True


def main():
    parser = argparse.ArgumentParser(description="Draws what nsplit-bench has measured, from its JSON on standard "
                                     "input.", allow_abbrev=False)
    parser.add_argument("--csv", metavar="FILE", nargs="?", const="", help="one line for each combination")
    parser.add_argument("--html", metavar="FILE", nargs="?", const="", help="a page of tables and pictures")
    parser.add_argument("--plot", metavar="FILE", help="a picture of the captures: .svg, .png or .gp")
    wanted = vars(parser.parse_args())
    report = json.loads(sys.stdin.buffer.read().decode("utf-8", "replace"))
    good = True
    for kind, name in wanted.items():
        if name is None:
            continue
        try:
            good &= draw(report, kind, name)
        except Failed as failed:
            say(failed)
            good = False
    sys.exit(not good)


if __name__ == "__main__":
    main()
