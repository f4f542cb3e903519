# SPDX-License-Identifier: GPL-2.0-or-later
"""Section 13 of the report: the time that nsplit --estimate expects."""
import statistics

from drawing import conditions, table


def error_of(case):
    return case["estimate"]["median"] / case["capture"]["median"] - 1


def signed(part):
    return "%+.0f %%" % (part * 100)


def rows(cases):
    for case in cases:
        yield ["-d %d" % case["level"], case["codec"], case["threads"], case["where"],
               "%.2f" % case["estimate"]["median"], "%.2f" % case["capture"]["median"], signed(error_of(case))]


def of_machine(name, cases):
    return ["The machine %s:" % name, "",
            *table(["dump", "codec", "threads", "to", "estimated, s", "capture, s", "difference"], rows(cases)), ""]


OBSERVED = """2026-11-26: most of what is captured of 6.12-busy with `-d 31` are free pages in the lists of CPUs, 238
MiB that follow each other. They are read in larger pieces than the estimate assumes. Before that day, the classes of
pages were expected to take a sixth of the time that they take, pages were read one by one also for `-d 0`, and neither
the CPU time to write nor the start of the program counted: the time was up to half too short with `-d 31` and a third
too long with `-d 0`."""


def estimate(found, _):
    errors = [error_of(case) for cases in found["machines"].values() for case in cases]
    run = dict(found["bench"], rounds=len(next(iter(found["machines"].values()))[0]["capture"]["rounds"]))
    lines = ["`nsplit --estimate` of a machine, and captures of its core; medians. The core is /proc/kcore of that machine "
             "(NSPLIT_ROOT).", "", *conditions(run, found)]
    for name, cases in found["machines"].items():
        lines += of_machine(name, cases)
    return lines + ["The difference is between %s and %s; half of them are within %.0f %%." %
                    (signed(min(errors)), signed(max(errors)),
                     statistics.median(map(abs, errors)) * 100), "", OBSERVED]
