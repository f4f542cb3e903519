# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py --results=DIR --document=FILE: the measurements as a document, with pictures beside it.

Each part of measure.py has a section here.  A part that was not measured says so.
"""
import argparse
import json
import os
import subprocess

MIB = 1 << 20

# 'Benchmark of I/O multiplexing with LZO/snappy compression', kexec list, 18 June 2012, Linux 3.4: seconds
# for 10 GB of random data, n threads to n disks: raw, lzo, snappy.
YEAR_2012 = {1: (89.6, 162.0, 69.6), 2: (68.5, 86.6, 86.9), 3: (48.7, 60.5, 35.2),
             4: (28.0, 47.2, 28.4), 5: (23.5, 37.2, 23.4), 6: (18.2, 28.4, 18.6),
             7: (15.9, 29.9, 16.7), 8: (13.7, 23.2, 13.9)}
# zram on a Snapdragon 660, December 2017, MB/s: lzo, lz4.
YEAR_2017 = {"write 1": (640, 828), "read 1": (663, 743), "write 8": (3077, 3065),
             "read 8": (3980, 3984), "ratio": (12.85, 12.97)}
# zram and tmpfs by dd, i3-8100T, Linux 6.12, linux-6.12.tar: read and write in MB/s, ratio.
LINUX_6_12 = {"tmpfs": (9800, 2200, None), "lzo-rle": (900, 460, 3.17), "lzo": (890, 459, 3.17),
              "lz4": (1200, 490, 3.06), "lz4hc:9": (1300, 63.5, 3.45), "zstd:3": (433, 160, 4.42),
              "zlib:6": (231, 33.4, 4.63), "842": (100, 52.0, 2.14)}
# What the kernel calls an algorithm, and nsplit a codec at the level that this stands for.
ZRAM_NAMES = {"lz4hc": "lz4hc:9", "zstd": "zstd:3", "deflate": "zlib:6"}
# linux-mm, September 2021, zram with lz4: ratios of z3fold, zsmalloc, ztree.
YEAR_2021 = [("emulated cortex-a53, 30 and 50 %", 1.5, 2.4, 2.0),
             ("Raspberry Pi 3 B, 50 %", 2.0, 2.5, 2.05),
             ("Raspberry Pi 4 B, 50 and 70 %", 1.4, 2.2, 1.8)]


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)]
    return lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]


def mb(rate):
    return "%.0f" % (rate / 1e6) if rate >= 1e7 else "%.1f" % (rate / 1e6)


def spread(rate):
    return "%.0f %%" % (100 * rate["spread"])


def commands(found):
    return ["", *("    " + c for c in found["commands"]), ""]


def circumstances(run):
    machine = run["machine"]
    return "%s, %d CPUs, %s; %s; %d rounds, medians." % (
        machine["processor"], machine["cpus"], machine["system"], run["date"], run["rounds"])


def plot(path, script):
    subprocess.run(["gnuplot"], input="set terminal svg size 900,480 dynamic font 'sans,13' "
                   "background rgb 'white'\nset encoding utf8\nset output '%s'\nset grid\n%s\n" %
                   (path, script), encoding="utf-8", check=True)


def data(name, rows):
    return "$%s << END\n%s\nEND\n" % (name, "\n".join(" ".join(map(str, r)) for r in rows))


def by_codec(run):
    found = {}
    for cell in run["cells"]:
        found.setdefault(cell["codec"], []).append(cell)
    return found


# --- 1 -----------------------------------------------------------------------

def speedups(run):
    """codec -> {threads: how many times as fast as one}"""
    return {codec: {c["threads"]: c["capture"]["median"] / cells[0]["capture"]["median"]
                    for c in cells} for codec, cells in by_codec(run).items()}


def threads_plot(run, picture, title):
    script, lines = "", []
    for i, (codec, cells) in enumerate(by_codec(run).items()):
        script += data("d%d" % i, [(c["threads"], c["capture"]["median"] / 1e6,
                                    c["capture"]["least"] / 1e6, c["capture"]["most"] / 1e6)
                                   for c in cells])
        lines.append("$d%d using 1:2:3:4 with yerrorlines lw 2 pt 7 ps 0.6 title '%s'" % (i, codec))
    script += ("set title '%s'\nset xlabel 'threads, and outputs'\nset ylabel 'MB/s of the source'\n"
               "set yrange [0:*]\nset xtics 1\nset key top left\nset offsets 0.3,0.3,0,0\nplot %s" %
               (title, ", ".join(lines)))
    plot(picture, script)


def threads_table(run):
    times = speedups(run)
    cells = by_codec(run)
    rows = []
    for n in sorted(times["raw"]):
        row = [n]
        for codec in times:
            cell = next(c for c in cells[codec] if c["threads"] == n)
            row.append("%s (%.2f)" % (mb(cell["capture"]["median"]), times[codec][n]))
        rows.append(row)
    return table(["n", *("%s, MB/s (times one)" % c for c in times)], rows)


def threads(found, pictures):
    run = found["emulated"]
    lines = ["## 1. n threads to n outputs, random data", "",
             "The benchmark of 2012, on disks that are emulated: each output takes 50 MiB a second.",
             "Random data does not compress, so every codec has all of it to write.", "",
             circumstances(run), *commands(found), *threads_table(run), "",
             "![throughput over threads](%s)" % pictures("threads-emulated.svg")]
    threads_plot(run, pictures.path("threads-emulated.svg"), "Outputs emulated at 50 MiB/s")
    if "loop" in found:
        threads_plot(found["loop"], pictures.path("threads-loop.svg"),
                     "Loop devices limited to 50 MiB/s by a cgroup")
        lines += ["", "The same over loop devices in memory, each limited to 50 MiB/s by the "
                  "blkio cgroup:", "", *threads_table(found["loop"]), "",
                  "![throughput over threads](%s)" % pictures("threads-loop.svg")]
    else:
        lines += ["", "Over loop devices: not measured, " + found["loop_missing"] + "."]
    times = speedups(run)
    most = max(times["raw"])
    old = {c: YEAR_2012[1][i] / YEAR_2012[8][i] for i, c in enumerate(("raw", "lzo", "snappy"))}
    lines += ["", "Beside 2012 (PRIMEQUEST 1800E2, eight disks, 10 GB, Linux 3.4):", "",
              *table(["", "raw", "lzo", "snappy"], [
                  ["2012: seconds with 1", *YEAR_2012[1]], ["2012: seconds with 8", *YEAR_2012[8]],
                  ["2012: 8 against 1, times", *("%.1f" % old[c] for c in old)],
                  ["here: %d against 1, times" % most, *("%.1f" % times[c][most] for c in old)],
                  ["2012: of raw, with 8", *("%.2f" % (YEAR_2012[8][0] / s) for s in YEAR_2012[8])],
                  ["here: of raw, with %d" % most,
                   *("%.2f" % (by_codec(run)[c][-1]["capture"]["median"] /
                               by_codec(run)["raw"][-1]["capture"]["median"]) for c in old)]])]
    return lines


# --- 2 -----------------------------------------------------------------------

def lzo_lz4(found, _):
    run = found["nsplit"]
    cells = by_codec(run)
    rows = []
    for lzo, lz4 in zip(cells["lzo"], cells["lz4"]):
        for what in ("capture", "join"):
            a, b = lzo[what]["median"], lz4[what]["median"]
            rows.append(["nsplit" if what == "capture" else "njoin",
                         "%s, %d threads" % ("write" if what == "capture" else "read",
                                             lzo["threads"]),
                         mb(a), mb(b), "%+.0f %%" % (100 * (b / a - 1))])
    rows.append(["nsplit", "ratio", "%.2f" % cells["lzo"][0]["ratio"],
                 "%.2f" % cells["lz4"][0]["ratio"], ""])
    if "zram" in found:
        zram = found["zram"]
        for what in [k for k in zram["lzo"] if isinstance(zram["lzo"][k], dict)]:
            a, b = zram["lzo"][what]["median"], zram["lz4"][what]["median"]
            rows.append(["zram", what + " threads", mb(a), mb(b), "%+.0f %%" % (100 * (b / a - 1))])
        rows.append(["zram", "ratio", "%.2f" % zram["lzo"]["ratio"], "%.2f" % zram["lz4"]["ratio"],
                     ""])
    for what, (a, b) in YEAR_2017.items():
        rows.append(["zram, 2017", what + ("" if what == "ratio" else " threads"), a, b,
                     "" if what == "ratio" else "%+.0f %%" % (100 * (b / a - 1))])
    lines = ["## 2. LZO against LZ4", "",
             "Mixed data of mkfakevmcore, in memory, to files in memory and to zram by direct dd; MB/s.",
             "", circumstances(run), *commands(found),
             *table(["", "", "LZO", "LZ4", "difference"], rows)]
    if "zram_missing" in found:
        lines += ["", "zram: not measured, " + found["zram_missing"] + "."]
    return lines


# --- 3 -----------------------------------------------------------------------

def corpus_rows(one, original):
    rows = []
    for cell in one["nsplit"]["cells"]:
        rows.append(["nsplit " + cell["codec"], mb(cell["join"]["median"]),
                     mb(cell["capture"]["median"]), "%.2f" % cell["ratio"],
                     *original.get(cell["codec"], ("", "", ""))])
    for name, figures in one["zram"].items():
        if "missing" in figures:
            rows.append(["zram " + name, "-", "-", figures["missing"], "", "", ""])
            continue
        ratio = figures.get("ratio")
        rows.append([name if name == "tmpfs" else "zram " + name, mb(figures["read"]["median"]),
                     mb(figures["write"]["median"]), "%.2f" % ratio if ratio else "",
                     *(x if x is not None else "" for x in original.get(name, ("", "", "")))])
    for name, figures in one.get("emulated", {}).items():
        name = ZRAM_NAMES.get(name, name)
        rows.append(["zram %s, emulated" % name, "", "",
                     "%.2f" % figures["ratio"] if figures["ratio"] else "",
                     *original.get(name, ("", "", ""))])
    return rows


def corpora(found, _):
    lines = ["## 3. Zeros, and the source of Linux", "",
             "One thread; read is njoin's, or dd's from zram; MB/s. On the right, the measurement on "
             "Linux 6.12 (i3-8100T, zram and tmpfs by dd, linux-6.12.tar).", "",
             circumstances(found["zeros"]["nsplit"]), *commands(found)]
    for name, title in (("zeros", "Zeros"), ("linux", "The first 512 MiB of Debian's linux-source")):
        if name not in found:
            lines += ["", title + ": not measured, " + found["linux_missing"] + "."]
            continue
        original = LINUX_6_12 if name == "linux" else {}
        lines += ["", title + ":", "",
                  *table(["", "read", "write", "ratio", "6.12: read", "write", "ratio"],
                         corpus_rows(found[name], original))]
    if "emulated_missing" in found:
        lines += ["", "In an emulated machine: not measured, %s." % found["emulated_missing"]]
    else:
        lines += ["", "Emulated: zram of Debian's kernel on the first 64 MiB, for the ratio alone, since "
                  "times there say nothing; an algorithm that is not named, that kernel does not have."]
    return lines


# --- 4 -----------------------------------------------------------------------

def density(found, _):
    rows = []
    for percent in ("30", "50", "70"):
        one = found[percent]
        for cell in one["nsplit"]["cells"]:
            rows.append([percent + " %", "nsplit " + cell["codec"], cell["threads"],
                         mb(cell["capture"]["median"]), mb(cell["join"]["median"]),
                         "%.0f" % (1e6 * cell["random_read"]["median"]), "%.2f" % cell["ratio"]])
        if "zram" in one:
            rows.append([percent + " %", "zram lz4, packed pages", "", "", "", "",
                         "%.2f" % one["zram"]["ratio"]])
            rows.append([percent + " %", "zram lz4, memory of zsmalloc", "", "", "", "",
                         "%.2f" % one["zram"]["memory_ratio"]])
        for pool, ratio in one.get("pools", {}).items():
            rows.append([percent + " %", "zswap lz4, memory of %s, emulated" % pool, "", "", "", "",
                         "%.2f" % ratio])
    run = found["50"]["nsplit"]
    return ["## 4. Compressibility, and how densely pages lie", "",
            "Random pages of which so many percent are zero, in memory; MB/s, and microseconds for a "
            "page read at random.", "", circumstances(run), *commands(found),
            *table(["zero part", "", "threads", "write", "read", "random read", "ratio"], rows), "",
            "Ratios of 2021 (linux-mm, zram with lz4):", "",
            *table(["machine", "z3fold", "zsmalloc", "ztree"], YEAR_2021),
            *(["", "In an emulated machine: not measured, %s." % found["pools_missing"]]
              if "pools_missing" in found else [])]


# --- 5 -----------------------------------------------------------------------

def tools(found, pictures):
    measured = {k: v for k, v in found["tools"].items() if "median" in v}
    base = measured.get("makedumpfile, lzo", {}).get("median")
    rows = [[name, mb(v["median"]), spread(v), "%.1f" % (found["source_size"] / v["bytes"]),
             "%.1f" % (v["median"] / base) if base else "", "`%s`" % v["command"]]
            for name, v in measured.items()]
    order = sorted(measured.items(), key=lambda item: item[1]["median"])
    plot(pictures.path("tools.svg"), data("d", [(i, v["median"] / 1e6, '"%s"' % name)
                                               for i, (name, v) in enumerate(order)]) +
         "set title 'One core, from memory to memory'\nset xlabel 'MB/s of the source'\n"
         "set style fill solid 0.7\nset yrange [-0.6:%d]\nset xrange [0:*]\nunset key\n"
         "plot $d using ($2/2):1:($2/2):(0.35):ytic(3) with boxxyerror" % len(order))
    lines = ["## 5. Beside what people use today", "",
             "One core, %.0f MiB, from memory to memory." % (found["source_size"] / MIB), "",
             *table(["", "MB/s", "spread", "ratio", "times makedumpfile -l", "command"], rows), "",
             "![one core, from memory to memory](%s)" % pictures("tools.svg")]
    for name in sorted(set(found["failed"])):
        lines += ["", "%s failed %d times." % (name, found["failed"].count(name))]
    return lines


class Pictures:
    """Beside the document, in a directory that is called as it is."""

    def __init__(self, document):
        self.directory = os.path.splitext(document)[0]
        os.makedirs(self.directory, exist_ok=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def __call__(self, name):
        return os.path.basename(self.directory) + "/" + name


HEAD = """# Measurements

Made by `make bench` (HACKING.md, "Measuring"), and nothing in it is written by hand. All figures of a
section were taken in one run on one machine, in interleaved rounds; compare them with each other, and
not with another machine's. MB/s are 10^6 bytes of the source a second; a capture's time has its fsync
in it. What a spread above 20 % says is not much."""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", required=True)
    parser.add_argument("--document", required=True)
    args = parser.parse_args()
    pictures = Pictures(args.document)
    lines = [HEAD]
    for part in (threads, lzo_lz4, corpora, density, tools):
        try:
            with open(os.path.join(args.results, part.__name__ + ".json"), encoding="utf-8") as f:
                found = json.load(f)
        except FileNotFoundError:
            lines += ["", "Not measured here: " + part.__name__ + "."]
            continue
        lines += ["", *part(found, pictures)]
    with open(args.document, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main()
