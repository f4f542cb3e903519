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
             "as fast as at level 3, for 2.4 % less ratio).", "",
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


HEAD = """# Measurements

Made by `make bench` (HACKING.md, "Measuring"), and nothing in it is written by hand. What was measured here
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
         ("5. Beside what people use today", tools), ("6. The same again", twice))


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
    return part(dict(found, machine=load(results, "emulated")), pictures)


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
