# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py --results=DIR --document=FILE: generates the document, with pictures beside it.

Each part of measure.py has a section here.  The section of a part that was not measured says so.
"""
import argparse
import json
import os

import original
from drawing import conditions, difference, mb, percent, rate, ratio, table
from pictures import Pictures
from report_columns import columns
from report_layers import layers, space
from report_estimate import estimate
from report_many import many

MIB = 1 << 20
# The kernel's name of an algorithm, and nsplit's codec at the equivalent level.
ZRAM_NAMES = {"lz4hc": "lz4hc:9", "zstd": "zstd:3", "deflate": "zlib:6"}


def by_codec(run):
    found = {}
    for cell in run["cells"]:
        found.setdefault(cell["codec"], []).append(cell)
    return found


# --- 1 -----------------------------------------------------------------------

def speedups(cells):
    """{threads: speed relative to one thread, by the medians}"""
    return {c["threads"]: c["capture"]["median"] / cells[0]["capture"]["median"] for c in cells}


def threads_table(run):
    codecs = by_codec(run)
    return table(["n", *codecs], [
        [cell["threads"], *("%s, %s (%.2f)" % (rate(cells[i]["capture"]),
                                               mb(cells[i]["capture"]["median"]),
                                               speedups(cells)[cell["threads"]])
                            for cells in codecs.values())]
        for i, cell in enumerate(codecs["raw"])])


def most_threads_table(run):
    """The largest number of threads compared with one thread, with raw, and with the ceiling."""
    codecs = by_codec(run)
    most = codecs["raw"][-1]["threads"]
    raw = codecs["raw"][-1]["capture"]["median"]
    return table(["with %d" % most, *codecs], [
        ["relative to 1", *("%.2f" % speedups(cells)[most] for cells in codecs.values())],
        ["relative to raw", *("%.2f" % (cells[-1]["capture"]["median"] / raw) for cells in codecs.values())],
        ["share of ceiling, fastest round", *(percent(cells[-1]["share"]["best"]) for cells in codecs.values())]])


def threads_drawn(run, pictures, name, title):
    return pictures.over_threads(name, title, {
        codec: [(c["threads"], *(c["capture"][k] for k in ("median", "most")))
                for c in cells] for codec, cells in by_codec(run).items()})


def threads_2012():
    """Its seconds as MB/s, and relative to one thread."""
    names = [(year, c) for year in original.YEAR_2012 for c in range(3)]
    rows = [[n, *("%s (%.2f)" % (mb(1e10 / original.YEAR_2012[year][n][c]),
                                 original.YEAR_2012[year][1][c] / original.YEAR_2012[year][n][c])
                  for year, c in names)] for n in original.LINUX_3_4]
    eight = original.LINUX_3_4[8]
    return ["2012: PRIMEQUEST 1800E2, four disks and four LUNs, 10 GB of random data. With 8 threads and "
            "8 outputs on Linux 3.4, LZO reached %.2f times the speed of raw, and Snappy %.2f times." %
            (eight[0] / eight[1], eight[0] / eight[2]), "",
            *table(["n", *("%s, %s" % (original.CODECS_2012[c], year) for year, c in names)], rows)]


def threads(found, pictures):
    run = found["emulated"]
    lines = ["MB/s: the fastest round, the median, and in parentheses the median relative to that of one "
             "thread. Medians are more reliable here, because disturbances affect all of them equally: "
             "a disk is idle while its writer is delayed, and a cgroup may then let the accumulated bytes "
             "pass at once.", "",
             "Each output accepts 50 MiB per second. Random data does not compress, so every "
             "codec has to write all of it; the amount for each output does not depend on the number of "
             "outputs. The command of each n was run several times, alternating with the other n; the "
             "rounds of all its runs are combined.", "",
             *conditions(run, found), "Outputs emulated by a token bucket:", "",
             *threads_table(run), "", *most_threads_table(run), "",
             threads_drawn(run, pictures, "threads-emulated.svg",
                           "Emulated outputs of 50 MiB/s, random data")]
    if "loop" not in found:
        lines += ["", "Loop devices: not measured, " + found["loop_missing"] + "."]
    else:
        run = found["loop"]
        lines += ["", "Loop devices in memory, limited by the blkio cgroup, written with direct I/O:", "",
                  *threads_table(run), "", *most_threads_table(run), "",
                  threads_drawn(run, pictures, "threads-loop.svg",
                                "Loop devices limited to 50 MiB/s by a cgroup, random data")]
    return lines + ["", *threads_2012()]


# --- 2 -----------------------------------------------------------------------

def lzo_lz4_pairs(found):
    """(program, operation, figures of LZO, figures of LZ4)"""
    cells = by_codec(found["nsplit"])
    for lzo, lz4 in zip(cells["lzo"], cells["lz4"]):
        for program, what, key in (("nsplit", "write", "capture"), ("njoin", "read", "join")):
            yield program, "%s %d" % (what, lzo["threads"]), lzo[key], lz4[key]
    zram = found.get("zram", {"lzo": {}})
    for what, figures in zram["lzo"].items():
        if isinstance(figures, dict):
            yield "zram", what, figures, zram["lz4"][what]


def lzo_lz4(found, pictures):
    cells, pairs = by_codec(found["nsplit"]), list(lzo_lz4_pairs(found))
    rows = [[where, what, rate(a), rate(b), difference(a, b)] for where, what, a, b in pairs]
    rows.append(["nsplit", "ratio", *(ratio(cells[c][0]["ratio"]) for c in ("lzo", "lz4")), ""])
    if "zram" in found:
        rows.append(["zram", "ratio", *(ratio(found["zram"][c]["ratio"]) for c in ("lzo", "lz4")), ""])
    rows += [["zram, 2017", what, a, b, "" if what == "ratio" else "%+.0f %%" % (100 * (b / a - 1))]
             for what, (a, b) in original.YEAR_2017.items()]
    lines = ["MB/s by number of threads. Mixed data of mkfakevmcore, in memory: written to files in memory "
             "and read back, and written to zram and read back by dd with direct I/O; the rounds of LZO and "
             "LZ4 alternate. 2017: zram on a Snapdragon 660, fio, other data.", "", *conditions(found["nsplit"], found),
             *table(["", "", "LZO", "LZ4", "difference"], rows), "",
             pictures.groups("lzo-lz4.svg", "LZO compared with LZ4, by threads", "MB/s of the source",
                             ["LZO", "LZ4"], [("%s\n%s" % (where, what), a["most"] / 1e6,
                                               b["most"] / 1e6) for where, what, a, b in pairs])]
    if "zram_missing" in found:
        lines += ["", "zram: not measured, " + found["zram_missing"] + "."]
    return lines


def emulated_ratios(found, disk, kind):
    """{algorithm or pool: its ratio or ratios}"""
    return found["machine"].get("ratios", {}).get(disk, {}).get(kind, {})


def emulated_note(found, kind):
    if "missing" in found["machine"]:
        return ["", "In an emulated machine: not measured, %s." % found["machine"]["missing"]]
    machine = found["machine"]
    return ["", "Emulated: %s of Debian's kernel %s in an emulated machine, on the first %d MiB (%s, `make bench "
            "PARTS=emulated`); only ratios, since times there mean nothing. Algorithms that are not listed are "
            "missing in that kernel." % (kind, machine["kernel"], machine["sample"] // MIB, machine["date"])]


def built_842(found):
    """Where the modules of 842 come from, if they were measured."""
    if "842" not in emulated_ratios(found, "zeros", "zram"):
        return []
    return ["", "Debian's kernels leave 842 out. Its modules were built from Debian's package of the kernel's source."]


# --- 3 -----------------------------------------------------------------------

def corpus_rows(one, ratios, beside):
    def row(name, known_as, *figures):
        then = beside.get(known_as, ())
        return [name, *figures, *("" if x is None else x for x in then), *[""] * (3 - len(then))]

    for cell in one["nsplit"]["cells"]:
        yield row("nsplit " + cell["codec"], cell["codec"], rate(cell["join"]), rate(cell["capture"]),
                  percent(cell["share"]["best"]), ratio(cell["ratio"]))
    for name, figures in one["zram"].items():
        if "missing" not in figures:
            yield row(name if name == "tmpfs" else "zram " + name, ZRAM_NAMES.get(name, name),
                      rate(figures["read"]), rate(figures["write"]), "", ratio(figures.get("ratio")))
    for name, figures in ratios.items():
        yield row("zram %s, emulated" % name, ZRAM_NAMES.get(name, name), "", "", "",
                  ratio(figures["ratio"]))
    if "" in beside:
        yield row("zram, any", "", "", "", "", "")


def corpus_drawn(one, pictures, name, title):
    return pictures.plane(name, title, {
        "nsplit": [(c["codec"], c["ratio"], c["capture"]["most"]) for c in one["nsplit"]["cells"]],
        "zram here": [(n, f["ratio"], f["write"]["most"]) for n, f in one["zram"].items()
                      if f.get("ratio")],
        "zram on Linux 6.12": [(n, then, write * 1e6)
                               for n, (_, write, then) in original.LINUX_6_12.items() if then]})


def corpora(found, pictures):
    lines = ["MB/s with one thread; reading is done by njoin, or by dd from zram. The columns on the right were "
             "measured on Linux 6.12 (i3-8100T, zram and tmpfs by dd, linux-6.12.tar; there, zstd at level 1 "
             "wrote 1.2 times as fast as at level 3, with a ratio that was 2.4 % lower). The figures of zlib "
             "from 2026-11-22 were measured with the library zlib; libdeflate, which has replaced it, is about "
             "2.4 times as fast (section 5).", "",
             *conditions(found["zeros"]["nsplit"], found)]
    for name, title, beside in (("zeros", "Zeros", original.ZEROS_6_12),
                                ("linux", "The source code of Linux", original.LINUX_6_12)):
        if name not in found:
            lines += ["", title + ": not measured, " + found["linux_missing"] + "."]
            continue
        one = found[name]
        lines += ["", "%s, %d MiB:" % (title, one["nsplit"]["source_size"] // MIB), "",
                  *table(["", "read", "write", "share of ceiling", "ratio", "6.12: read", "6.12: write",
                          "6.12: ratio"], corpus_rows(one, emulated_ratios(found, name, "zram"), beside))]
    missing = {n: f["missing"] for n, f in found["zeros"]["zram"].items() if "missing" in f}
    for why in dict.fromkeys(missing.values()):
        lines += ["", why[0].upper() + why[1:] + "."]
    if "linux" in found:
        lines += ["", corpus_drawn(found["linux"], pictures, "linux.svg",
                                   "The source code of Linux, written by one thread")]
    return lines + emulated_note(found, "zram") + built_842(found)


# --- 4 -----------------------------------------------------------------------

def density_ratios(one, pools, models):
    """(program and codec, ratio)"""
    for cell in one["nsplit"]["cells"]:
        if cell["threads"] == 1:
            yield "nsplit, " + cell["codec"], cell["ratio"]
    if "zram" in one:
        yield "zram, lz4: packed pages", one["zram"]["ratio"]
        yield "zram, lz4: zsmalloc", one["zram"]["memory_ratio"]
    for pool, ratio in pools.items():
        yield "zswap, lz4: %s, emulated" % pool, ratio
    for pool, ratio in models.items():
        yield "zswap, lz4: %s, model" % pool, ratio


def nsplit_rates(parts):
    for part, one in parts.items():
        for cell in one["nsplit"]["cells"]:
            yield [part + " %", cell["codec"], cell["threads"], rate(cell["capture"]),
                   percent(cell["share"]["best"]), rate(cell["join"])]


def fio_rates(parts):
    for part, one in parts.items():
        if "fio" in one:
            yield [part + " %, here", "zsmalloc", *(rate(one["fio"][k]) for k in
                                                    ("write", "read", "rw", "randrw")),
                   ratio(one["fio"]["memory_ratio"])]
    yield from original.YEAR_2021


MODEL = """
Model: ztree was never merged, so its row is computed from the sizes of the objects that zswap stored in zbud. The rule:
a block of 1, 2, 4 or 8 consecutive pages has 8 to 16 slots of one of sixteen sizes, and an object takes a slot of the
smallest size that is sufficient. The sizes are those of the patch that was posted to linux-mm in 2021
(tests/kernel/host/pools.awk). With the same sizes of objects, such models of zbud and zsmalloc give the number of bytes
that was measured, exactly, for all data of sections 3 and 4."""


def model_note(found):
    """How ztree was modelled, and its ratio for the source code of Linux, where the sizes of pages differ."""
    linux = {pool + how: value for kind, how in (("zswap", ""), ("model", " (model)"))
             for pool, value in emulated_ratios(found, "linux", kind).items()}
    if not emulated_ratios(found, "50", "model"):
        return []
    return MODEL.split("\n") + (["", "The source code of Linux in these pools: %s." % ", ".join(
        "%s %s" % (pool, ratio(value)) for pool, value in linux.items())] if linux else [])


def density_drawn(names, packed, pictures):
    """A group of bars for each name, with its name at the bar in the middle."""
    parts = range(len(packed))
    return pictures.bars("density.svg", "Density of stored pages, by the percentage of zero pages", "ratio",
                         [row[0] for row in packed],
                         [[(name if part == len(packed) // 2 else "", part, packed[part][i + 1])
                           for part in parts] for i, name in enumerate(names)])


def density(found, pictures):
    parts = found["parts"]
    ratios = {part: dict(density_ratios(one, emulated_ratios(found, part, "zswap"),
                                        emulated_ratios(found, part, "model")))
              for part, one in parts.items()}
    names = list(dict.fromkeys(name for part in parts for name in ratios[part]))
    packed = [(part + " %", *(ratios[part].get(name) for name in names)) for part in parts]
    lines = ["Random pages in memory; the given percentage of them is zero.", "",
             *conditions(parts["50"]["nsplit"], found),
             "nsplit and njoin, MB/s. A dump is written once, so there is no mixed load:", "",
             *table(["zero pages", "codec", "threads", "write", "share of ceiling", "read"], nsplit_rates(parts)), "",
             "zram with lz4, by fio, MB/s; for mixed loads, in each direction. Below, figures of 2021 (linux-mm):",
             "", *table(["zero pages", "pages in", "write", "read", "mixed", "random mixed", "ratio"],
                        fio_rates(parts)), "",
             "Bytes of pages per stored byte; for zswap, only of the pages that it accepted:", "",
             *table(["", *(row[0] for row in packed)],
                    [[name, *(ratio(row[i + 1]) for row in packed)] for i, name in enumerate(names)]),
             "", density_drawn(names, packed, pictures)]
    for what, key in (("zram", "zram_missing"), ("zram by fio", "fio_missing")):
        if key in found:
            lines += ["", "%s: not measured, %s." % (what, found[key])]
    return lines + emulated_note(found, "zswap") + model_note(found)


# --- 5 -----------------------------------------------------------------------

def tools_drawn(measured, pictures):
    kinds = ["nsplit", "makedumpfile", "other tools"]
    rows = [(name, next((i for i, kind in enumerate(kinds) if name.startswith(kind)), 2), v["most"] / 1e6)
            for name, v in measured.items()]
    return pictures.bars("tools.svg", "One core, from memory to memory", "MB/s of the source", kinds,
                         [[row] for row in sorted(rows, key=lambda row: -row[2])])


def tools(found, pictures):
    measured = {k: v for k, v in found["tools"].items() if "most" in v}
    base = measured.get("makedumpfile, lzo")
    rows = [[name, rate(v), ratio(found["source_size"] / v["bytes"]),
             "%.1f" % (v["median"] / base["median"]) if base else ""]
            for name, v in measured.items()]
    for row, v in zip(rows, measured.values()):
        row.insert(2, mb(v["median"]))
    lines = ["One core of %.0f MiB, from memory to memory. Its segments contain %.0f MiB twice (the kernel image), "
             "which makedumpfile compresses and stores once; all other tools process the whole file. Nothing is left "
             "out; section 9 has captures with `-d 31`. The ratio is the size of the core divided by that of the files." %
             (found["source_size"] / MIB, found["repeated"] / MIB), "",
             *conditions(found["nsplit"], found),
             *table(["", "MB/s", "median", "ratio", "median relative to makedumpfile, lzo"], rows), "",
             tools_drawn(measured, pictures)]
    for name in sorted(set(found["failed"])):
        count = found["failed"].count(name)
        lines += ["", "%s failed %s." % (name, "once" if count == 1 else "%d times" % count)]
    if found["missing_tools"]:
        lines += ["", "Not measured, because not installed: %s." % "; ".join(found["missing_tools"])]
    return lines + ["", "The same core, captured by nsplit-bench to null:, compared with the ceiling:", "",
                    *shares_table(found["nsplit"])]


def shares_table(run):
    return table(["codec", "threads", "MB/s", "share of ceiling", "ratio"],
                 [[c["codec"], c["threads"], rate(c["capture"]), percent(c["share"]["best"]),
                   ratio(c["ratio"])] for c in run["cells"]])


# --- 6 -----------------------------------------------------------------------

def agrees(a, b):
    """True if the medians differ by no more than the larger spread of the two."""
    apart = abs(a["median"] - b["median"])
    return apart <= max(x["most"] - x["least"] for x in (a, b))


def twice(found, pictures):
    rows, points = [], []
    for first, second in zip(*(run["cells"] for run in found["runs"])):
        name = "%s, %d" % (first["codec"], first["threads"])
        a, b = first["capture"], second["capture"]
        rows.append([name, *("%s (%s)" % (mb(x["median"]), percent(x.get("spread", 0)))
                             for x in (a, b)), "yes" if agrees(a, b) else "no", rate(a), rate(b),
                     difference(a, b), *(percent(x["share"]["best"]) for x in (first, second))])
        points.append((name.replace(", ", "\n"), a["most"] / 1e6, b["most"] / 1e6))
    return ["The same matrix, measured twice. The medians of both runs should differ by less than the spread (in "
            "parentheses: fastest minus slowest round). The fastest rounds are more reliable and should "
            "be closer.", "",
            *conditions(found["runs"][0], found),
            *table(["codec, threads", "median, MB/s", "second run", "within spread", "fastest", "second run",
                    "difference", "share of ceiling", "second run"], rows), "",
            pictures.groups("twice.svg", "The same matrix twice, by codec and threads: fastest rounds",
                            "MB/s of the source", ["first", "second"], points)]


# --- 7 -----------------------------------------------------------------------

def over(cells, figure):
    """'lzo 0.92, zstd 0.96'"""
    return ", ".join("%s %.2f" % (c["codec"], figure(c)) for c in cells)


def of_raw(run):
    raw = by_codec(run)["raw"][0]["capture"]["median"]
    return over([c for c in run["cells"] if c["codec"] != "raw"], lambda c: c["capture"]["median"] / raw)


def of_serial(run):
    """One thread relative to serial mode."""
    return ", ".join("%s %.2f" % (codec, one["capture"]["median"] / serial["capture"]["median"])
                     for codec, (serial, one) in by_codec(run).items())


def of_makedumpfile(tools_found):
    """The median of nsplit to two files, relative to the best of makedumpfile."""
    measured = {k: v["median"] for k, v in tools_found.get("tools", {}).items() if "median" in v}
    said = []
    for codec, ours in (("lzo", "nsplit, lzo, 2 files"), ("zlib", "nsplit, zlib:1, 2 files")):
        theirs = [v for k, v in measured.items() if k.startswith("makedumpfile, " + codec)]
        if theirs and ours in measured:
            said.append("%s %.2f" % (codec, measured[ours] / max(theirs)))
    return ", ".join(said) or "not measured"


def of_one(threads_found):
    codecs = by_codec(threads_found["emulated"]) if "emulated" in threads_found else {}
    return ", ".join("%s %.2f" % (codec, list(speedups(cells).values())[-1])
                     for codec, cells in codecs.items()) or "not measured"


def median_of(what):
    return lambda cell: cell[what]["median"]


def limits_rows(found, others):
    captures, disks = found["captures"], found["disks"]
    share = median_of("share")
    files = captures["files"]["cells"]
    raw_dd = found["copies"]["dd"]["median"]
    return [
        ["mixed data of fake: to null:, share of ceiling", "0.95", over(captures["fake"]["cells"], share)],
        ["real core in the page cache, mapped, to null:, share of ceiling", "0.85",
         over(captures["mapped"]["cells"], share)],
        ["the same core, read", "", over(captures["core"]["cells"], share)],
        ["the same core, mapped, to two files in tmpfs", "0.85", over(files, share)],
        ["speed to two files, relative to the best `makedumpfile -d 0` with this codec (section 5)", "3", of_makedumpfile(others["tools"])],
        ["8 emulated disks, relative to 1 (section 1)", "7.9", of_one(others["threads"])],
        ["7 disks of 50 MiB/s and one of 5, relative to their sum", "0.97",
         over(disks["uneven"]["cells"], lambda c: c["capture"]["median"] / sum(disks["rates"]))],
        ["random data to 8 emulated disks, relative to raw", "0.98", of_raw(disks["random"])],
        ["random data to two files in tmpfs, relative to raw", "", of_raw(disks["random_files"])],
        ["raw to two files in tmpfs, relative to two dd", "0.95",
         "read %.2f, mapped %.2f" % tuple(found["copies"][k]["median"] / raw_dd for k in ("nsplit", "mapped"))],
        ["verify, share of ceiling", "0.95", over(files, median_of("verify_share"))],
        ["join to /dev/null, share of ceiling", "0.95", over(files, median_of("join_share"))],
        ["join to a file in tmpfs, share of ceiling", "0.85",
         over(captures["joined"]["cells"], median_of("join_share"))],
        ["1 thread, relative to serial mode", "1", of_serial(found["one_thread"]["all"])],
        ["the same on one CPU", "1", of_serial(found["one_thread"]["one"])],
        ["complete run with 4 MiB, ms", "5", "%.1f (true: %.1f)" % tuple(
            1000 * found["start"][k]["median"] for k in ("nsplit", "true"))],
        ["peak memory, 8 threads, 8 outputs, MiB", "32", ", ".join(
            "%s: %.1f" % (name, bytes_ / MIB) for name, bytes_ in found["memory"].items())],
    ]


OBSERVED = """The following was observed on 2026-11-22, on a machine with 2 CPUs (Intel), with `perf record -e cpu-clock -g` on such
commands. It explains the rows that miss their goals:

- From memory to null:, LZO and LZ4 processed about 2.5 GB/s per thread of this data, four fifths of which are
  same-filled blocks. The checksum took 2 % of the CPU time; waking and switching threads took 2 to 4 %.
- For a core in the page cache of ext4 (large folios), mapping cost 6 %, reading 12 % (the copy in the kernel), and
  the checksum 4 %. In tmpfs (4 KiB pages), mapping is no better than reading.
- On the machine of the table (AMD), the core is read faster than it is mapped, as the rows show. `--mmap=auto` reads files.
- A source of 100 GiB is captured in chunks of 2 MiB, so that its holes take fewer records, and the pool has twice the
  memory (`nsplit -n`: 52.1 MiB).
- When the outputs are in tmpfs, the kernel allocates and copies their pages on the CPUs that compress.
- In QEMU's software emulation (doc/kdump.md, "Speed in a capture kernel"), `/proc/vmcore` and `/proc/fakevmcore`, mapped
  by 4 MiB and copied by 256 KiB, reach 88 % of the rate of memcpy. Copied by 4 MiB, where the emulated memcpy is five
  times as fast, `/proc/fakevmcore` reaches 68 % of it, and `/proc/vmcore` 62 %.
- The one thread of makedumpfile spends its time in the same LZO library, and it compresses only once what this core
  contains twice. So two CPUs cannot be three times as fast with the same library.
- With disks of different speed, the slowest disk needs 0.2 s for its last chunk, and the others are idle meanwhile.
- Verify and join read, check and decompress; the ceiling only decompresses, LZ4 at 12 GB/s. Of the time of verify
  with LZ4, a fifth is the kernel's copy out of the page cache, and a tenth the checksum. A join to /dev/null needs
  one `write` for each range of zeros, by one thread at a time. In tmpfs, one thread at a time writes to a file, and
  allocating its pages costs more than decompressing them.
- Of the 7 to 9 ms of a complete run, 1.2 are the process (`true`), 0.5 six libraries, 0.5 the second process, 2.5 the
  allocation of all memory by one thread before the capture starts, 3.3 the 4 MiB, 0.4 the end of the capture, 1.2 the
  release of the memory.
- `-C auto` starts with the first level of zstd until the speed of sinks and codecs is known: a few milliseconds,
  which matter where a whole capture takes 30. When a disk changes its speed, some data is still written with the old
  choice.

Tried and rejected: read buffers of 64 KiB (slower);
16 or 64 windows of a mapping at a time (no better than four); waking a writer only for every second chunk
(2026-11-23, `nsplit-bench --codecs=lzo --threads=2 --write-only --cache=keep fake:1G null:`, six alternating runs of
7 rounds: 5.1 GB/s with it and 5.4 without, 0.92 and 0.91 of the ceiling; the CPU time of `nsplit --mmap=always` with
raw, lz4 and lzo, 1 to 4 threads and 2 GiB to null: is 0.99 of that without it, on average); `-C auto` with a choice
for each period of the data (no faster, and stores more); huge pages for the pool (a gain of 1 to 2 %, and 0.8 ms of
the start, for a kernel that may have to compact memory when it has least); twice as many threads as CPUs for an ordered
join, of which one per CPU works (0.7 times the speed: each turn wakes one). Several writes in flight for one
sink were not built, since fio measured no gain on the available disk (virtio, `--direct=1 --rw=write --size=512M
--end_fsync=1`, three runs): one write of 1 MiB at a time 1.31 to 1.37 GB/s, two 1.22 to 1.69, four 1.32 to 1.44, four
of 256 KiB awaited together 1.16 to 1.49. Not measured: 16 cores, which this machine does not have."""


def auto_table(found):
    rows = []
    for one in found["auto"]:
        cells = {c["codec"]: c for c in one["run"]["cells"]}
        own = cells.pop("auto")
        best = max(cells.values(), key=lambda c: c["capture"]["median"])
        disk = (one["rate"] or "unlimited") + (", then " + one["later"].split(":")[1] if one["later"] else "")
        rows.append([disk, best["codec"], mb(best["capture"]["median"]), ratio(best["ratio"]),
                     mb(own["capture"]["median"]), ratio(own["ratio"]),
                     "%.2f" % (own["capture"]["median"] / best["capture"]["median"]),
                     "%.3f" % (own["bytes"] / best["bytes"]), percent(own["capture"].get("spread", 0)),
                     one["run"]["rounds"]])
    return table(["disk, bytes/s", "best fixed codec", "MB/s", "ratio", "auto, MB/s", "ratio",
                  "speed relative to best", "stored bytes relative to best", "spread", "rounds"], rows)


def limits(found, _):
    return ["Medians, with 2 threads unless stated otherwise, and the goal for each.", "",
            *conditions(found["captures"]["fake"], found),
            *table(["measurement", "goal", "result"], limits_rows(found, found["others"])), "",
            *OBSERVED.split("\n"), "",
            "`-C auto` compared with the fastest fixed codec, by the speed of an emulated disk:", "",
            *auto_table(found)]


# --- 8 -----------------------------------------------------------------------

def crash_rows(starts):
    base = starts["the core"]["median"]
    return [[name, "%.2f" % v["median"], "%.2f" % (v["median"] / base)] for name, v in starts.items()]


def readers(found, _):
    lines = ["One core of %.0f MiB and its sets of two members, in memory; medians." % (found["source_size"] / MIB), "",
             *conditions(found["bench"], found),
             *table(["codec", "cp, MB/s of the members", "njoin --format=kdump", "relative to cp"],
                    [[codec, mb(v["cp"]["median"]), mb(v["njoin"]["median"]),
                      "%.2f" % (v["njoin"]["median"] / v["cp"]["median"])]
                     for codec, v in found["exports"].items()]), "",
             "The kdump-compressed format does not support LZ4, so njoin compresses these pages with LZO. Through a "
             "mount: reading one random page, which is dropped from the page cache of the kernel first, and "
             "reading the whole file in order:", "",
             *table(["codec", "random page, median, us", "99th percentile, us",
                     "in order, MB/s"],
                    [[codec, "%.0f" % (1e6 * v["median"]), "%.0f" % (1e6 * v["most"]),
                      mb(v["rate"]["median"])]
                     for codec, v in found["mounts"].items()])]
    starts = [v["crash"] for v in found["mounts"].values() if v["crash"]]
    if starts:
        lines += ["", "crash, until it has printed its summary:", "",
                  *table(["", "s", "relative to the core"], crash_rows(starts[0]))]
    return lines


HEAD = """# Measurements

`make bench` generates this document (HACKING.md, "Measuring"). Only the next section and the paragraphs with a date
were written by hand. The figures of a section come from interleaved rounds of the commands that are listed there.
Compare them with each other. With figures of another machine, compare only the shape.

MB/s means 10^6 bytes of the source per second. The time of a capture includes fsync. Unless a section says otherwise,
a figure is that of the fastest round: other users of a shared machine only make a round slower, some by a factor of
ten for a second. Each section says how much of the CPU time they took. A ! means that no two other rounds were within
10 % of the fastest one. A difference in parentheses is smaller than the differences between such rounds. The JSON
files beside the pictures have all rounds, medians and spreads.

## How nsplit-bench measures

- nsplit-bench calls the engine in its own process, in the same way as nsplit. A time excludes the allocation of
  memory and what a program does before it. It includes everything from the first open to the last fsync and close.
- The *ceiling* is measured in the same round, just before the figure that is compared with it, on the same blocks (a
  sample from the whole source, for at least 0.05 s and 64 chunks a thread), by the same number of threads. Each thread detects same-filled
  blocks and compresses the others into a buffer that stays in its cache. There is no input, record, checksum or
  communication between threads. A capture can come near the ceiling; it exceeds it only if the machine changed in
  between.
- Each round measures all combinations, every other round in reverse order, so that a drift of the machine affects all
  of them equally. For the same reason, a *share* is the median of the quotients of the rounds, not the quotient of
  the medians.
- The fastest rounds are shown beside the medians, with their share of the fastest ceiling: other guests of a shared
  machine only make it slower.
- The spread is the difference between the fastest and the slowest round. No round is discarded. nsplit-bench warns if
  the spread is above 20 % or if there are fewer than three rounds.
- A capture that is incomplete or lost an output ends the run, and so does a set that does not hold the whole source.
- Files are removed before they are written again, and before the clock starts. Otherwise a capture would also pay for
  freeing what the previous one wrote.
- An emulated disk (`--disk-rate`) sleeps after each write until a disk of that rate would have completed it. An idle
  disk saves nothing for later; only the time by which a thread overslept is made up for. The sink is `null:` or a
  file, so everything in the engine that waits for disks waits for these, too.
- `fake:` shows a pool of memory again and again, as the kernel module fakevmcore does. So a source of 1 TiB needs 64
  MiB, besides the sample. The pool is mapped twice in a row, so that blocks of any size are contiguous."""

PARTS = (("1. n threads to n outputs, random data", threads), ("2. LZO compared with LZ4", lzo_lz4),
         ("3. Zeros, and the source code of Linux", corpora),
         ("4. Compressibility, and density of stored pages", density),
         ("5. nsplit and other tools", tools), ("6. Repeatability", twice),
         ("7. Compared with the limits of the machine", limits),
         ("8. Analysis: export, mount, crash", readers),
         ("9. Speed of captures that leave pages out", layers),
         ("10. Space for captures that leave pages out", space),
         ("11. Many workers", many),
         ("12. The memory map in columns, and large machines", columns),
         ("13. Estimates", estimate))


def load(results, name):
    try:
        with open(os.path.join(results, name + ".json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"missing": "it was not asked for"}


def section(part, results, pictures):
    found = load(results, part.__name__)
    if "missing" in found:
        return ["Not measured: %s." % found["missing"]]
    others = {name: load(results, name) for name in ("emulated", "threads", "tools")}
    return part(dict(found, machine=others["emulated"], others=others), pictures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", required=True)
    parser.add_argument("--document", required=True)
    args = parser.parse_args()
    pictures = Pictures(args.document)
    lines = [HEAD]
    for title, part in PARTS:
        lines += ["", "## " + title, "", *section(part, args.results, pictures)]
    with open(args.document, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main()
