# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py --results=DIR --document=FILE: the measurements as a document, with pictures beside it.

Each part of measure.py has a section here.  A part that was not measured says so.
"""
import argparse
import json
import os

import original
from drawing import Pictures, circumstances, difference, mb, percent, rate, ratio, table

MIB = 1 << 20
# What the kernel calls an algorithm, and nsplit a codec at the level that this stands for.
ZRAM_NAMES = {"lz4hc": "lz4hc:9", "zstd": "zstd:3", "deflate": "zlib:6"}


def by_codec(run):
    found = {}
    for cell in run["cells"]:
        found.setdefault(cell["codec"], []).append(cell)
    return found


# --- 1 -----------------------------------------------------------------------

def times_one(cells):
    """{threads: how many times as fast as one, by the medians}"""
    return {c["threads"]: c["capture"]["median"] / cells[0]["capture"]["median"] for c in cells}


def threads_table(run):
    codecs = by_codec(run)
    return table(["n", *codecs], [
        [cell["threads"], *("%s, %s (%.2f)" % (rate(cells[i]["capture"]),
                                               mb(cells[i]["capture"]["median"]),
                                               times_one(cells)[cell["threads"]])
                            for cells in codecs.values())]
        for i, cell in enumerate(codecs["raw"])])


def most_threads_table(run):
    """With the most threads: against one, against raw, and against the ceiling."""
    codecs = by_codec(run)
    most = codecs["raw"][-1]["threads"]
    raw = codecs["raw"][-1]["capture"]["median"]
    return table(["with %d" % most, *codecs], [
        ["of one, times", *("%.2f" % times_one(cells)[most] for cells in codecs.values())],
        ["of raw", *("%.2f" % (cells[-1]["capture"]["median"] / raw) for cells in codecs.values())],
        ["of the ceiling, fastest", *(percent(cells[-1]["share"]["best"]) for cells in codecs.values())]])


def threads_drawn(run, pictures, name, title):
    return pictures.over_threads(name, title, {
        codec: [(c["threads"], *(c["capture"][k] for k in ("median", "most")))
                for c in cells] for codec, cells in by_codec(run).items()})


def threads_2012():
    """Its seconds as MB/s, and as times of one."""
    names = [(year, c) for year in original.YEAR_2012 for c in range(3)]
    rows = [[n, *("%s (%.2f)" % (mb(1e10 / original.YEAR_2012[year][n][c]),
                                 original.YEAR_2012[year][1][c] / original.YEAR_2012[year][n][c])
                  for year, c in names)] for n in original.LINUX_3_4]
    eight = original.LINUX_3_4[8]
    return ["2012: PRIMEQUEST 1800E2, four disks and four LUNs, 10 GB of random data. With 8 of each, on "
            "Linux 3.4, LZO reached %.2f of raw, and Snappy %.2f." %
            (eight[0] / eight[1], eight[0] / eight[2]), "",
            *table(["n", *("%s, %s" % (original.CODECS_2012[c], year) for year, c in names)], rows)]


def threads(found, pictures):
    run = found["emulated"]
    lines = ["MB/s: the fastest round, the median, and in brackets how many times the median of one. A "
             "disk whose writer is held up is idle, and what a cgroup owes may pass at once: so medians "
             "say more here, since what disturbs does it to all alike. Each output takes 50 MiB a second, "
             "and random data does not compress, so every codec has all of it to write: as much for "
             "each output, however many there are. The command of each n was run several times, all n in "
             "turn, and the rounds of its runs are taken together.", "",
             *circumstances(run, found), "Outputs that are emulated by a token bucket:", "",
             *threads_table(run), "", *most_threads_table(run), "",
             threads_drawn(run, pictures, "threads-emulated.svg",
                           "Outputs emulated at 50 MiB/s, random data; dotted: fastest rounds")]
    if "loop" not in found:
        lines += ["", "Over loop devices: not measured, " + found["loop_missing"] + "."]
    else:
        run = found["loop"]
        lines += ["", "Loop devices in memory, limited by the blkio cgroup, direct writes:", "",
                  *threads_table(run), "", *most_threads_table(run), "",
                  threads_drawn(run, pictures, "threads-loop.svg",
                                "Loop devices limited to 50 MiB/s by a cgroup, random data; dotted: "
                                "fastest rounds")]
    return lines + ["", *threads_2012()]


# --- 2 -----------------------------------------------------------------------

def lzo_lz4_pairs(found):
    """(where, what, LZO's figures, LZ4's)"""
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
    lines = ["MB/s, and how many threads. Mixed data of mkfakevmcore, in memory: to files in memory and "
             "back, and through zram by direct dd, each side's in interleaved rounds. 2017: zram of a "
             "Snapdragon 660, fio, other data.", "", *circumstances(found["nsplit"], found),
             *table(["", "", "LZO", "LZ4", "difference"], rows), "",
             pictures.groups("lzo-lz4.svg", "LZO against LZ4, by threads", "MB/s of the source",
                             ["LZO", "LZ4"], [("%s\\n%s" % (where, what), a["most"] / 1e6,
                                               b["most"] / 1e6) for where, what, a, b in pairs])]
    if "zram_missing" in found:
        lines += ["", "zram: not measured, " + found["zram_missing"] + "."]
    return lines


def emulated_ratios(found, disk, kind):
    """{algorithm or pool: its ratio or ratios}"""
    return found["machine"].get("ratios", {}).get(disk, {}).get(kind, {})


def emulated_told(found, kind):
    if "missing" in found["machine"]:
        return ["", "In an emulated machine: not measured, %s." % found["machine"]["missing"]]
    return ["", "Emulated: %s of Debian's kernel on the first %d MiB, for the ratio alone, since times there "
            "say nothing; what is not named, that kernel does not have." %
            (kind, found["machine"]["sample"] // MIB)]


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
    lines = ["One thread; read is njoin's, or dd's from zram; MB/s. On the right what was measured on "
             "Linux 6.12 (i3-8100T, zram and tmpfs by dd, linux-6.12.tar; zstd at level 1 wrote 1.2 times "
             "as fast as at level 3, for 2.4 % less ratio). What stands for zlib on 2026-11-22 was measured with zlib's own "
             "library; with libdeflate, which has taken its place, it is some 2.4 times as fast (section 5).", "",
             *circumstances(found["zeros"]["nsplit"], found)]
    for name, title, beside in (("zeros", "Zeros", original.ZEROS_6_12),
                                ("linux", "The source of Linux", original.LINUX_6_12)):
        if name not in found:
            lines += ["", title + ": not measured, " + found["linux_missing"] + "."]
            continue
        one = found[name]
        lines += ["", "%s, %d MiB:" % (title, one["nsplit"]["source_size"] // MIB), "",
                  *table(["", "read", "write", "of the ceiling", "ratio", "6.12: read", "6.12: write",
                          "6.12: ratio"], corpus_rows(one, emulated_ratios(found, name, "zram"), beside))]
    missing = {n: f["missing"] for n, f in found["zeros"]["zram"].items() if "missing" in f}
    for why in dict.fromkeys(missing.values()):
        lines += ["", why[0].upper() + why[1:] + "."]
    if "linux" in found:
        lines += ["", corpus_drawn(found["linux"], pictures, "linux.svg",
                                   "Source of Linux: written, one thread")]
    return lines + emulated_told(found, "zram")


# --- 4 -----------------------------------------------------------------------

def density_ratios(one, pools):
    """What it is packed by, and its ratio."""
    for cell in one["nsplit"]["cells"]:
        if cell["threads"] == 1:
            yield "nsplit, " + cell["codec"], cell["ratio"]
    if "zram" in one:
        yield "zram, lz4: packed pages", one["zram"]["ratio"]
        yield "zram, lz4: zsmalloc", one["zram"]["memory_ratio"]
    for pool, ratio in pools.items():
        yield "zswap, lz4: %s, emulated" % pool, ratio


def nsplit_rates(parts):
    for part, one in parts.items():
        for cell in one["nsplit"]["cells"]:
            latency = cell["random_read"]
            yield [part + " %", cell["codec"], cell["threads"], rate(cell["capture"]),
                   percent(cell["share"]["best"]), rate(cell["join"]),
                   *("%.0f" % (1e6 * latency[k]) for k in ("median", "p99"))]


def fio_rates(parts):
    for part, one in parts.items():
        if "fio" in one:
            yield [part + " %, here", "zsmalloc", *(rate(one["fio"][k]) for k in
                                                    ("write", "read", "rw", "randrw")),
                   ratio(one["fio"]["memory_ratio"])]
    yield from original.YEAR_2021


def density(found, pictures):
    parts = found["parts"]
    ratios = {part: dict(density_ratios(one, emulated_ratios(found, part, "zswap")))
              for part, one in parts.items()}
    names = list(dict.fromkeys(name for part in parts for name in ratios[part]))
    packed = [(part + " %", *(ratios[part].get(name) for name in names)) for part in parts]
    lines = ["Random pages of which so many percent are zero, in memory.", "",
             *circumstances(parts["50"]["nsplit"], found),
             "nsplit and njoin, MB/s, and microseconds for a page that is read at random. A dump is "
             "written once, so that nothing is mixed:", "",
             *table(["zero part", "codec", "threads", "write", "of the ceiling", "read", "random read",
                     "99 of 100 within"], nsplit_rates(parts)), "",
             "zram with lz4 by fio, MB/s, of mixed ones in each direction; and 2021 (linux-mm):",
             "", *table(["zero part", "pages in", "write", "read", "mixed", "random mixed", "ratio"],
                        fio_rates(parts)), "",
             "Bytes of pages for each byte that they take; of zswap, of the pages that it took:", "",
             *table(["", *(row[0] for row in packed)],
                    [[name, *(ratio(row[i + 1]) for row in packed)] for i, name in enumerate(names)]),
             "", pictures.groups("density.svg", "How densely pages lie, by the part of them that is zero",
                                 "ratio", names, packed)]
    for what, key in (("zram", "zram_missing"), ("zram by fio", "fio_missing")):
        if key in found:
            lines += ["", "%s: not measured, %s." % (what, found[key])]
    return lines + emulated_told(found, "zswap")


# --- 5 -----------------------------------------------------------------------

def tools(found, pictures):
    measured = {k: v for k, v in found["tools"].items() if "most" in v}
    base = measured.get("makedumpfile, lzo")
    rows = [[name, rate(v), ratio(found["source_size"] / v["bytes"]),
             "%.1f" % (v["median"] / base["median"]) if base else ""]
            for name, v in measured.items()]
    for row, v in zip(rows, measured.values()):
        row.insert(2, mb(v["median"]))
    lines = ["One core, %.0f MiB, from memory to memory. Its segments show %.0f MiB twice (the kernel's own), "
             "which makedumpfile packs and stores once; all others take the file as it is." %
             (found["source_size"] / MIB, found["repeated"] / MIB), "",
             *circumstances(found["nsplit"], found),
             *table(["", "MB/s", "median", "ratio", "median, times makedumpfile, lzo"], rows), "",
             pictures.bars("tools.svg", "One core, from memory to memory", "MB/s of the source",
                           [(name, v["most"] / 1e6) for name, v in measured.items()])]
    for name in sorted(set(found["failed"])):
        lines += ["", "%s failed %d times." % (name, found["failed"].count(name))]
    if found["missing_tools"]:
        lines += ["", "Not installed, and not measured: %s." % "; ".join(found["missing_tools"])]
    return lines + ["", "The same core through nsplit's engine alone, beside its ceiling:", "",
                    *shares_table(found["nsplit"])]


def shares_table(run):
    return table(["codec", "threads", "MB/s", "of the ceiling", "ratio"],
                 [[c["codec"], c["threads"], rate(c["capture"]), percent(c["share"]["best"]),
                   ratio(c["ratio"])] for c in run["cells"]])


# --- 6 -----------------------------------------------------------------------

def agrees(a, b):
    """Two medians no further apart than the rounds of one of them spread."""
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
        points.append((name.replace(", ", "\\n"), a["most"] / 1e6, b["most"] / 1e6))
    return ["Medians, in brackets from the slowest round to the fastest one, should lie no further apart than "
            "that; and the fastest rounds, which say more, as near as they can.", "",
            *circumstances(found["runs"][0], found),
            *table(["codec, threads", "median, MB/s", "again", "within", "fastest", "again",
                    "difference", "of the ceiling", "again"], rows), "",
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
    """One thread, in parts of the serial twin."""
    return ", ".join("%s %.2f" % (codec, one["capture"]["median"] / serial["capture"]["median"])
                     for codec, (serial, one) in by_codec(run).items())


def of_makedumpfile(tools_found):
    """The median of nsplit to two files, in parts of the best of makedumpfile's."""
    measured = {k: v["median"] for k, v in tools_found.get("tools", {}).items() if "median" in v}
    said = []
    for codec, ours in (("lzo", "nsplit, lzo, 2 files"), ("zlib", "nsplit, zlib:1, 2 files")):
        theirs = [v for k, v in measured.items() if k.startswith("makedumpfile, " + codec)]
        if theirs and ours in measured:
            said.append("%s %.2f" % (codec, measured[ours] / max(theirs)))
    return ", ".join(said) or "not measured"


def of_one(threads_found):
    codecs = by_codec(threads_found["emulated"]) if "emulated" in threads_found else {}
    return ", ".join("%s %.2f" % (codec, list(times_one(cells).values())[-1])
                     for codec, cells in codecs.items()) or "not measured"


def median_of(what):
    return lambda cell: cell[what]["median"]


def limits_rows(found, others):
    captures, disks = found["captures"], found["disks"]
    share = median_of("share")
    files = captures["files"]["cells"]
    raw_dd = found["copies"]["dd"]["median"]
    return [
        ["mixed data of fake: to null:, of the ceiling", "0.95", over(captures["fake"]["cells"], share)],
        ["a real core in the page cache, mapped, to null:, likewise", "0.85",
         over(captures["mapped"]["cells"], share)],
        ["the same, read", "", over(captures["core"]["cells"], share)],
        ["the same, mapped, to two files in tmpfs", "0.85", over(files, share)],
        ["to two files, of makedumpfile's best (section 5)", "3", of_makedumpfile(others["tools"])],
        ["8 emulated disks of 1 (section 1)", "7.9", of_one(others["threads"])],
        ["7 disks of 50 MiB/s and one of 5, of the sum", "0.97",
         over(disks["uneven"]["cells"], lambda c: c["capture"]["median"] / sum(disks["rates"]))],
        ["random data to 8 emulated disks, of raw", "0.98", of_raw(disks["random"])],
        ["random data to two files in tmpfs, of raw", "", of_raw(disks["random_files"])],
        ["raw to two files in tmpfs, of two dd", "0.95",
         "read %.2f, mapped %.2f" % tuple(found["copies"][k]["median"] / raw_dd for k in ("nsplit", "mapped"))],
        ["verify, of the ceiling", "0.95", over(files, median_of("verify_share"))],
        ["join to /dev/null, likewise", "0.95", over(files, median_of("join_share"))],
        ["join to a file in tmpfs, likewise", "0.85",
         over(captures["joined"]["cells"], median_of("join_share"))],
        ["1 thread, of the serial twin", "1", of_serial(found["one_thread"]["all"])],
        ["the same on one CPU", "1", of_serial(found["one_thread"]["one"])],
        ["start to end with 4 MiB, ms", "5", "%.1f (true: %.1f)" % tuple(
            1000 * found["start"][k]["median"] for k in ("nsplit", "true"))],
        ["memory at the peak, 8 threads, 8 outputs, MiB", "32", ", ".join(
            "%s: %.1f" % (name, bytes_ / MIB) for name, bytes_ in found["memory"].items())],
    ]


SEEN = """What was seen on 2026-11-22, on 2 CPUs, by `perf record -e cpu-clock -g` of such commands, where rows fall short:

- From memory to null:, LZO and LZ4 did some 2.5 GB/s a thread on this data, of which four fifths are same-filled
  blocks. Two hundredths of the CPUs' time were the checksum, two to four waking and switching threads.
- Of a core in ext4's page cache (large folios) a mapping cost six hundredths, reading it twelve (the kernel's copy),
  the checksum four. In tmpfs (4 KiB pages) a mapping is no better than reading.
- To tmpfs the kernel takes pages and copies to them on the CPUs that compress.
- makedumpfile's one thread spends its time in the same LZO, and it packs once what that core has twice: two CPUs
  cannot be three times as fast with the same library.
- With uneven disks the last chunk of the slowest takes a fifth of a second, in which the others are done.
- Verify and join read, check and unpack; the ceiling only unpacks, LZ4 at 12 GB/s: of verify's time with LZ4 a fifth is
  the kernel's copy out of the page cache, a tenth the checksum. A join to /dev/null is made of as many `write` as
  there are runs of zeros, by one thread at a time. In tmpfs one file is written by one thread at a time, and to take
  its pages costs more than to unpack them.
- Of a whole command's 7 to 9 ms, 1.2 are the process (`true`), 0.5 six libraries, 0.5 the second process, 2.5 one
  thread taking all memory before it begins, 3.3 the 4 MiB, 0.4 their end, 1.2 giving the memory back.
- `-C auto` begins with the first level of zstd, until sinks and codecs are known: some milliseconds, which show where
  all takes 30. Where a disk changes, what is written before it shows is of the old choice.

Tried, and not kept: buffers of the pool used again last in, first out (no difference); read buffers of 64 KiB
(slower); 16 or 64 windows of a mapping at a time (no more than four); a writer woken for three or four chunks (no
more than for two); `-C auto` that chooses for each stretch of the data (no faster, and stores more); huge pages for the
pool (0.01 to 0.02, and 0.8 ms of the start, for a kernel that may have to make room for them when it has least); twice
as many threads for a join in order, of which as many work as there are CPUs (0.7 of the speed: each turn wakes one).
Several writes of a sink at once: not built, since fio saw no gain on the disk at hand (virtio, `--direct=1 --rw=write
--size=512M --end_fsync=1`, three runs): one of 1 MiB at a time 1.31 to 1.37 GB/s, two 1.22 to 1.69, four 1.32 to 1.44, four
of 256 KiB awaited together 1.16 to 1.49. Not measured: 16 cores, which this machine lacks."""


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
    return table(["disk, bytes a second", "best fixed codec", "MB/s", "ratio", "auto, MB/s", "ratio",
                  "throughput of the best's", "stored of the best's", "spread", "rounds"], rows)


def limits(found, _):
    return ["Medians, each in parts of what is named, with 2 threads unless something else is said; what is "
            "aimed at beside it.", "",
            *circumstances(found["captures"]["fake"], found),
            *table(["what", "aim", "here"], limits_rows(found, found["others"])), "",
            *SEEN.split("\n"), "",
            "`-C auto` beside the fastest of the fixed codecs, by what an emulated disk takes:", "",
            *auto_table(found)]


# --- 8 -----------------------------------------------------------------------

def crash_rows(starts):
    base = starts["the core"]["median"]
    return [[name, "%.2f" % v["median"], "%.2f" % (v["median"] / base)] for name, v in starts.items()]


def readers(found, _):
    alone = {c["codec"]: c["random_read"] for c in found["bench"]["cells"]}
    lines = ["One core, %.0f MiB, and its sets of two members, in memory; medians." % (found["source_size"] / MIB), "",
             *circumstances(found["bench"], found),
             *table(["codec", "cp, MB/s of the members", "njoin --format=kdump", "of cp"],
                    [[codec, mb(v["cp"]["median"]), mb(v["njoin"]["median"]),
                      "%.2f" % (v["njoin"]["median"] / v["cp"]["median"])]
                     for codec, v in found["exports"].items()]), "",
             "LZ4 is not known to that form, and recoded to LZO. Through a mount, reads of a page anywhere, dropped from "
             "the kernel's cache before each, and the whole in order:", "",
             *table(["codec", "a page, us", "1 of 100 takes longer than", "nsplit-bench, without a mount or a cache",
                     "in order, MB/s"],
                    [[codec, "%.0f" % (1e6 * v["median"]), "%.0f" % (1e6 * v["most"]),
                      "%.0f" % (1e6 * alone[codec]["median"]), mb(v["rate"]["median"])]
                     for codec, v in found["mounts"].items()])]
    starts = [v["crash"] for v in found["mounts"].values() if v["crash"]]
    if starts:
        lines += ["", "crash, until it has told what it is about:", "",
                  *table(["", "s", "of the core's"], crash_rows(starts[0]))]
    return lines


HEAD = """# Measurements

Made by `make bench` (HACKING.md, "Measuring"), and nothing in it is written by hand but
what bears a date. What was measured here
was measured in interleaved rounds of one run of the command that is named; compare it with what the same
command measured, and with another machine's for its shape only.

MB/s are 10^6 bytes of the source a second; a capture's time has its fsync in it. What stands is the fastest
round: others who share a machine only make it slower, some by ten times for a second, and each part says how
much of the time they took. A ! says that no two other rounds came within a tenth of it; a difference in
brackets is smaller than between such rounds. All rounds, with their medians and spreads, are in the JSON
beside the pictures."""

PARTS = (("1. n threads to n outputs, random data", threads), ("2. LZO against LZ4", lzo_lz4),
         ("3. Zeros, and the source of Linux", corpora),
         ("4. Compressibility, and how densely pages lie", density),
         ("5. Beside what people use today", tools), ("6. The same again", twice),
         ("7. As fast as the machine", limits),
         ("8. What analysts wait for", readers))


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
