# SPDX-License-Identifier: GPL-2.0-or-later
"""The section about many workers."""
from drawing import conditions, mb, percent, table


def of_one(cells, cell):
    """The work of a worker, relative to one that is alone; the work is proportional to the time slept."""
    alone = cells[0]
    return (cell["rate"] * cell["nanoseconds"] / cell["workers"]) / (alone["rate"] * alone["nanoseconds"])


def sleeping_table(sleeping):
    counts = [cell["workers"] for cell in next(iter(sleeping.values()))][1:]
    return table(["output", *("a worker of %d" % n for n in counts)],
                 [[name, *("%.2f" % of_one(cells, cell) for cell in cells[1:])] for name, cells in sleeping.items()])


def real_table(run):
    codecs = list(dict.fromkeys(cell["codec"] for cell in run["cells"]))
    counts = list(dict.fromkeys(cell["threads"] for cell in run["cells"]))
    cells = {(cell["threads"], cell["codec"]): cell for cell in run["cells"]}
    return table(["threads", *codecs],
                 [[n, *("%s of %s MB/s (%s)" % (mb(cells[n, c]["capture"]["median"]), mb(cells[n, c]["ceiling"]["median"]),
                                                percent(cells[n, c]["share"]["median"])) for c in codecs)]
                  for n in counts])


MANY_OBSERVED = """2026-11-25: before that day, also a single file was written in the order of the source, by a pool of workers + outputs + 5
chunks. A worker of 16 then did 0.57 of what one does alone, and one of 64 0.40, to a file, to null: and to a stream alike
(16 workers, 2 GiB to /dev/null). A stream was until 2026-11-29, by a pool with three more chunks for each worker; its
records are in any order now. The remaining loss with 256 workers is the time of two CPUs. One file in tmpfs is limited by the one
thread that writes it and allocates its pages there: in other runs, it was 0.92 to 0.95 with 64 workers and 0.68 to 0.80 with
256."""


def many(found, _):
    return ["An LZO that sleeps instead of computing (bench/sleepy.c) takes no CPU. Work of one worker, relative to a worker "
            "that is alone:", "",
            *conditions(found["bench"], found), *sleeping_table(found["sleeping"]), "",
            "Real codecs, a core of %.0f MiB in memory to null:, up to the number of CPUs of this machine:" %
            (found["source_size"] / (1 << 20)), "",
            *real_table(found["real"]), "", MANY_OBSERVED]
