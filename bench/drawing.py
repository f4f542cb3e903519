# SPDX-License-Identifier: GPL-2.0-or-later
"""The elements of the report in text: tables, figures, commands."""
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
