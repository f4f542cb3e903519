# SPDX-License-Identifier: GPL-2.0-or-later
"""Sections 9 and 10 of the report: captures that leave pages out."""
import statistics

from drawing import conditions, percent, table

MIB = 1 << 20
THREAD = 256 << 10      # bytes of memory that each thread may take besides
PASSES = 3              # after the first one: for each, a byte for each MiB of the source


def span(values, form="%.2f"):
    """'0.40 to 0.50, median 0.45'"""
    values = sorted(values)
    if not values:
        return "not measured"
    if len(values) == 1:
        return form % values[0]
    return " to ".join(form % v for v in (values[0], values[-1])) + ", median " + form % statistics.median(values)


def observed(text):
    return [*text.split("\n"), ""] if text else []


def introduction(found):
    text = ("`nsplit -d 31` leaves out free pages, and those of files and processes (doc/pages.md); the codec is LZO. "
            "Source and outputs are in memory; nsplit writes two files. ")
    if "makedumpfile" in found:
        return text + ("The cores are those of `make check-kernels` that %s can read here (doc/readers.md, "
                       "\"Kernels\")." % found["makedumpfile"])
    return text + ("%s was measured. makedumpfile: not measured, %s." %
                   ("One core" if found["real"] else "Only a made-up core of a few MiB", found["makedumpfile_missing"]))


# --- 9 -------------------------------------------------------------------------------

def of_makedumpfile(core):
    """{command: figures}"""
    return {name: run for name, run in core["commands"].items() if name.startswith("makedumpfile")}


def relative(core, name, figure="median"):
    """The time of a command, relative to the best of makedumpfile; None: there is none."""
    theirs = [run[figure] for run in of_makedumpfile(core).values()]
    return core["commands"][name][figure] / min(theirs) if theirs else None


def relative_times(cores, name, figure):
    return [r for r in (relative(core, name, figure) for core in cores.values()) if r]


def own_commands(cores):
    """The names of nsplit's, the one with most threads last."""
    return [name for name in next(iter(cores.values()))["commands"] if name.startswith("nsplit")]


def time_rows(cores):
    own = own_commands(cores)
    for name in own:
        number = name.split()[1]
        threads = number + (" thread" if number == "1" else " threads")
        for how, figure in (("medians", "median"), ("fastest rounds", "least")):
            yield ["time with %s, relative to the best of `makedumpfile -l -d 31`, %s" % (threads, how),
                   "0.5" if name == own[-1] else "", span(relative_times(cores, name, figure))]


def capture_kernels(found):
    """'7.3 0.80 (2026-11-23)': time relative to makedumpfile, medians."""
    return ", ".join("%s %.2f (%s)" % (name, statistics.median(run["nsplit-31"]) /
                                       statistics.median(run["makedumpfile-31"]), run["date"])
                     for name, run in found.items()) or "not measured"


def of_before(one):
    """'lzo 1.00, zstd 0.99': the median speed now, relative to that of before."""
    return ", ".join("%s %.2f" % (codec, run["now"]["median"] / run["before"]["median"])
                     for codec, run in one.items())


def unchanged_rows(found):
    if "unchanged" not in found:
        return [["without `-d`, relative to an earlier version", "1", "not measured: " + found["unchanged_missing"]]]
    one = found["unchanged"]
    what = "speed without `-d`, relative to version %s, " % one["version"]
    return [[what + "fake: to null:", "1", of_before(one["fake"])],
            [what + "a core to two files", "1", of_before(one["core"])],
            ["members without `-d` have the same bytes as those of that version", "yes", "yes" if one["equal"] else "no"]]


def shares(found, codec):
    return [one["classify"]["median"] / one[codec]["median"] for one in found["classification"].values()]


def layers_goals(found):
    return table(["measurement", "goal", "result"], [
        *time_rows(found["cores"]),
        ["time in an emulated capture kernel with one CPU, LZO to two disks, relative to `makedumpfile -l -d 31` "
         "to one", "1",
         capture_kernels(found["kernels"])],
        *unchanged_rows(found),
        *(["time to find all classes, relative to a capture of everything, 1 thread, " + codec, "0.1",
           span(shares(found, codec))] for codec in ("lzo", "raw"))])


def seconds_of(core, name):
    run = core["commands"].get(name)
    return "%.2f" % run["median"] if run else "failed" if name in core["failed"] else ""


def ratio_of(core, name):
    found = relative(core, name)
    return "" if found is None else "%.2f" % found


def times_table(found):
    cores = found["cores"]
    names = list(dict.fromkeys(name for core in cores.values() for name in core["commands"]))
    own = own_commands(cores)[-1]
    rows = []
    for name, core in cores.items():
        classes = found["classification"][name]
        rows.append([name, "%.0f" % (core["source_size"] / MIB), *(seconds_of(core, n) for n in names),
                     ratio_of(core, own), *("%.1f" % (1000 * classes["parts"][p]["median"])
                                            for p in ("open", "classify", "judge")),
                     *("%.2f" % classes[codec]["median"] for codec in ("lzo", "raw"))])
    return table(["machine", "MiB", *("%s: s" % n for n in names), own + ", relative to the best of makedumpfile",
                  "classes: open, ms", "all pages", "judge", "everything, lzo, s", "raw"], rows)


# By hand.
LAYERS_OBSERVED = """2026-11-29, AMD EPYC, 2 CPUs, Linux 6.18.44-fc-v782: the tables of 2026-11-23 in this section are of a version that packed
with the library of LZO. Since then, nsplit has an LZO encoder of its own, made for the pages of kernels, the image's second
place is not read a second time, and on one CPU the thread that compresses also writes. Finding all classes misses
its goal with raw, since a capture that compresses nothing is limited by memory only. The commands took turns, in tmpfs,
the fastest of 11 rounds (other users make a round slower only), relative to `makedumpfile -l -d 31 core out` of 1.7.8 with
one thread; one CPU is `taskset -c 0 nsplit -q -C lzo -d 31 -j1 core out`, two `-j2`. The core of 5 GB is of the machine
6.12 with 5120 MiB:

| core | members, one CPU | `--format=kdump`, one CPU | members, two | `--format=kdump`, two | size of the members | of the kdump form |
|---|---|---|---|---|---|---|
| 5.10 | 0.74 | 0.86 | 0.43 | 0.51 | 0.90 | 0.98 |
| 6.12 | 0.75 | 0.90 | 0.42 | 0.53 | 0.95 | 1.00 |
| 7.2 | 0.73 | 0.87 | 0.41 | 0.51 | 0.96 | 1.01 |
| 5 GB | 0.54 | 0.66 | 0.30 | 0.38 | 0.67 | 0.88 |

In the capture kernel by instructions, 6.12 is 0.81 (doc/kdump.md, "Speed in a capture kernel"). Of the ceiling of the codec, a
core held in memory as a file with holes (6.12, `nsplit-bench --threads=2 --codecs=... --write-only --cache=keep --sample=1G core
null:`) reaches LZO 0.89, Snappy 0.90, LZ4 0.91 and zstd:1 0.96, and without holes 0.83, 0.85, 0.86 and 0.96.
The rest of LZ4 and Snappy is the kernel's lookup of each page of tmpfs, and the copy: with `huge=always` they are 14 % faster, and a
mapped source is slower (doc/decisions.md). The dump of 7.2 has 615 pages (2 %) that makedumpfile 1.7.8 loses, since it takes
slabs of that kernel for pages of processes (doc/readers.md)."""


def layers(found, _):
    run = dict(found["bench"], rounds=len(next(iter(found["classification"].values()))["lzo"]["rounds"]))
    return [introduction(found) + " The commands of each core took turns, after a round that does not count; medians.",
            "", *conditions(run, found), *layers_goals(found), "", *observed(LAYERS_OBSERVED),
            "Each core: the commands by number of threads; and in one thread, the time to find the class of each page, and "
            "that of captures of everything:", "", *times_table(found)]


# --- 10 ------------------------------------------------------------------------------

def more_memory(pair):
    """KiB"""
    return (pair["with"] - pair["without"]) / 1024


def memory_goal(threads, source_size):
    """KiB"""
    return (int(threads) * THREAD + PASSES * source_size / MIB) / 1024


def overhead(one):
    return (one["members"] - one["packed"]) / one["packed"]


def page_bytes(one):
    """Of a packed page; 8 of each MiB are stored."""
    return one["packed"] / (one["source"] / MIB * 8)


def space_goals(found):
    of = found["peaks"]["core"]
    peaks, plans = found["peaks"]["threads"], found["plans"]
    sizes = [core["with"] / core["makedumpfile"] for core in found["cores"].values() if "makedumpfile" in core]
    return table(["measurement", "goal", "result"], [
        ["size, relative to the file of makedumpfile with LZO", "1.0", span(sizes, "%.3f")],
        *(["memory besides that without `-d`, %s, KiB, by threads" % what,
           ", ".join("%s: %.0f" % (n, memory_goal(n, size)) for n in pairs),
           ", ".join("%s: %.0f" % (n, more_memory(pair)) for n, pair in pairs.items())]
          for what, size, pairs in (("peak of the core " + of, found["cores"][of]["core"], peaks),
                                    ("planned for 1 TiB", 1 << 40, plans))),
        ["memory of the reader's map for 1 TiB with scattered pages of the kernel, MiB", "16",
         "%.1f" % (found["map"]["map"] / MIB)],
        ["overhead of records with scattered pages", "5 %",
         span([100 * overhead(one) for one in found["overhead"]], "%.1f %%")]])


def sizes_table(found):
    rows = [[name, *("%.1f" % (core[k] / MIB) if k in core else "" for k in ("core", "without", "with", "makedumpfile")),
             "%.3f" % (core["with"] / core["makedumpfile"]) if "makedumpfile" in core else ""]
            for name, core in found["cores"].items()]
    return table(["machine", "core, MiB", "`nsplit -c`", "`nsplit -c -d 31`", "`makedumpfile -l -d 31`", "relative"], rows)


def memory_table(found):
    peaks, plans = found["peaks"]["threads"], found["plans"]
    return table(["threads", "peak of the core %s, MiB" % found["peaks"]["core"], "with `-d 31`",
                  "planned for 1 TiB, MiB", "with `-d 31`"],
                 [[n, *("%.1f" % (pair[n][k] / MIB) for pair in (peaks, plans) for k in ("without", "with"))]
                  for n in peaks])


def overhead_table(found):
    return table(["bytes of a packed page", "packed, bytes", "headers and lists", "padding, index, footer", "overhead",
                  "of which padding, index, footer"],
                 [["%.0f" % page_bytes(one), one["packed"], one["lists"], one["padding"],
                   "%.2f %%" % (100 * overhead(one)), percent(one["padding"] / (one["lists"] + one["padding"]))]
                  for one in found["overhead"]])


SPACE_OBSERVED = """2026-11-23, on the goals that are missed:

- The members are larger than the files of makedumpfile only for some machines with 7.3, by up to 0.4 MiB. They have 563 to
  639 pages of the kernel that makedumpfile leaves out wrongly (doc/readers.md).
- For 1 TiB, more memory is planned than the goal. The ledger has nine bits for each MiB of the source and each pass, not
  eight, and the filter notes in another one which MiB it has seen: 512 KiB more.

A third to two thirds of the overhead is padding to 4 KiB, index and footer. Padding depends on the size of the packed pages;
in these sets, all pages of a row have nearly the same size."""


def space(found, _):
    read = found["map"]
    run = dict(found["bench"], rounds=found["rounds"])
    return [introduction(found), "", *conditions(run, found), *space_goals(found), "", *observed(SPACE_OBSERVED),
            *sizes_table(found), "",
            "The memory of nsplit. Besides that without `-d`, it may take 256 KiB for each thread, and a byte for each MiB of "
            "the source and each of %d passes:" % PASSES, "", *memory_table(found), "",
            "Scattered pages: 8 of each MiB are kept, none of them beside another. A set of a machine with 1 TiB of such "
            "memory has %d records with %d runs. Its map takes %.1f MiB. Commands that list what is left out take another "
            "%.1f MiB. Overhead of 1 GiB, by the size of the packed pages:" %
            (read["records"], read["runs"], read["map"] / MIB, read["contents"] / MIB), "", *overhead_table(found)]
