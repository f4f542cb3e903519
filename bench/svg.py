# SPDX-License-Identifier: GPL-2.0-or-later
"""A picture as SVG, in the style of all pictures of the report.

The colours are those of src/draw/canvas.c.  Each is lighter than the one before it, so that they
differ in grey, too; lines also differ by their markers.
"""
import math
from xml.sax.saxutils import escape

COLOURS = ("#17365c", "#a3243b", "#1b7f79", "#e07a1f", "#79b4e8", "#d9c24a")
TEXT, FAINT, GRID = "#222222", "#666666", "#dddddd"
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
SIZE = 13


def colour(i):
    return COLOURS[i % len(COLOURS)]


def bar_colour(i):
    """Bars touch each other, so their colours are farther apart."""
    return colour(i * 2)


def width_of(text, size=SIZE):
    """About the width of a text, since the viewer chooses the font."""
    return 0.58 * size * len(text)


class Svg:
    """Elements in the order in which they are drawn; y grows downwards."""

    def __init__(self, title, width, height):
        self.width, self.height = width, height
        self.lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
                      'font-family="%s" role="img">' % (width, height, width, height, FONT),
                      "<title>%s</title>" % escape(title),
                      '<rect width="100%" height="100%" fill="white"/>']
        self.text(20, 28, title, size=16, weight="bold")

    def text(self, x, y, text, anchor="start", size=SIZE, fill=TEXT, weight="normal"):
        self.lines.append('<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" fill="%s"%s>%s</text>' %
                          (x, y, size, anchor, fill, ' font-weight="bold"' if weight == "bold" else "",
                           escape(text)))

    def line(self, points, stroke=GRID, width=1.0, dash=""):
        self.lines.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"%s/>' %
                          (" ".join("%.1f,%.1f" % p for p in points), stroke, width,
                           ' stroke-dasharray="%s"' % dash if dash else ""))

    def bar(self, x, y, width, height, fill):
        self.lines.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' %
                          (x, y, max(width, 0.5), height, fill))

    def marker(self, x, y, i, radius=4.5):
        """Circle, square, triangle, diamond, inverted triangle, in turn; in the colour i."""
        r = radius
        shapes = (None, ((-r, -r), (r, -r), (r, r), (-r, r)), ((-r, r), (0, -r), (r, r)),
                  ((0, -r - 1), (r + 1, 0), (0, r + 1), (-r - 1, 0)), ((-r, -r), (r, -r), (0, r)))
        shape = shapes[i % len(shapes)]
        if shape:
            self.lines.append('<polygon points="%s" fill="%s"/>' %
                              (" ".join("%.1f,%.1f" % (x + a, y + b) for a, b in shape), colour(i)))
        else:
            self.lines.append('<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>' % (x, y, r, colour(i)))

    def legend(self, names, sign):
        """In one line at the right; sign(x, y, i) draws what stands for name i, 12 wide."""
        x = self.width - 20 - sum(width_of(name) + 42 for name in names)
        for i, name in enumerate(names):
            sign(x + 6, 54, i)
            self.text(x + 18, 58, name)
            x += width_of(name) + 42

    def box(self, x, y, i):
        self.bar(x - 6, y - 6, 12, 12, bar_colour(i))

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([*self.lines, "</svg>"]) + "\n")


def ticks(most):
    """Round numbers from 0, about five, not beyond most."""
    by = 10.0 ** math.floor(math.log10(most))
    by = next(by * part for part in (0.2, 0.5, 1, 2) if most / (by * part) < 7)
    return [by * i for i in range(int(most / by * (1 + 1e-9)) + 1)]


def number(value, decimals=0):
    """1,234"""
    return "{:,.{}f}".format(value, decimals)


def tick(value):
    return number(value, 0 if value == int(value) else 1)


def decimals_of(numbers):
    """How many decimals show the largest of these numbers with at least three digits."""
    return max(0, 2 - int(math.floor(math.log10(max(numbers)))))
