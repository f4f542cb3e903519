# SPDX-License-Identifier: GPL-2.0-or-later
"""Section 12 of the report: the memory map in columns, larger blocks, and what that is for large machines, on paper."""
import textwrap

from drawing import conditions, table
from report_layers import span

MIB, TIB = 1 << 20, 1 << 40
LINE = 120      # characters
BEFORE, NOW = ("kernel 4096 plain", "map 4096 plain"), ("kernel 16384 plain", "map 65536 columns")
SHOWN = ("map 4096 plain", "map 4096 columns", "map 16384 columns", "map 65536 plain", "map 65536 columns",
         "kernel 4096 plain", "kernel 16384 plain", "kernel 65536 plain")


def each(found, what):
    """what(core), of the cores that have it."""
    return [value for value in map(what, found["cores"].values()) if value is not None]


def codecs_of(found):
    return list(next(iter(found["cores"].values()))["codecs"])


# --- classes -------------------------------------------------------------------------

def class_ratio(core, codec, name):
    one = core["codecs"][codec]["classes"][name]
    # All pages of the made-up core repeat 8 bytes.
    return one["bytes"] / max(1, one["packed"])


def class_rate(core, codec, name, what):
    """Bytes a second."""
    one = core["codecs"][codec]["classes"][name]
    return one["bytes"] / max(1e-6, one[what])


def class_title(name):
    what, size, how = name.split()
    return "%s, %d KiB%s" % (what, int(size) >> 10, ", columns" if how == "columns" else "")


def classes_table(found):
    rows = []
    for codec in codecs_of(found):
        for name in SHOWN:
            rows.append([codec, class_title(name), span(each(found, lambda core: class_ratio(core, codec, name)), "%.1f"),
                         *(span(each(found, lambda core: class_rate(core, codec, name, what) / 1e9))
                           for what in ("pack", "unpack"))])
    return table(["codec", "blocks", "ratio", "to pack, GB/s", "to unpack, GB/s"], rows)


def map_table(found):
    codecs = codecs_of(found)
    return table(["core", "map, MiB", *("%s, %s" % (codec, how) for codec in codecs for how in ("pages", "columns"))],
                 [[name, "%.1f" % (core["codecs"][codecs[0]]["classes"][NOW[1]]["bytes"] / MIB),
                   *("%.1f" % class_ratio(core, codec, which) for codec in codecs for which in (BEFORE[1], NOW[1]))]
                  for name, core in found["cores"].items()])


# --- whole sets ------------------------------------------------------------------------

def figure(core, codec, version, cpus, what):
    return core["codecs"][codec]["sets"][version][cpus][what]["median"]


def size_of(core, codec, version):
    return figure(core, codec, version, "1", "bytes")


def versions_of(found):
    return ("before", "now") if "version" in found else ("now",)


def sizes_table(found):
    codecs, versions = codecs_of(found), versions_of(found)
    heading = ["core", "MiB", "makedumpfile -l", *("%s, %s" % (c, v) for c in codecs for v in versions),
               "lzo, relative to makedumpfile"]
    rows = []
    for name, core in found["cores"].items():
        theirs = core.get("makedumpfile")
        rows.append([name, "%.0f" % (core["size"] / MIB), "%.1f" % (theirs / MIB) if theirs else "",
                     *("%.1f" % (size_of(core, c, v) / MIB) for c in codecs for v in versions),
                     "%.3f" % (size_of(core, "lzo", "now") / theirs) if theirs else ""])
    return table(heading, rows)


def relative(core, codec, cpus, what):
    return figure(core, codec, "now", cpus, what) / figure(core, codec, "before", cpus, what)


def page_ratio(core, codec):
    sets = core["codecs"][codec]["sets"]
    return sets["now"]["page"]["median"] / sets["before"]["page"]["median"] if "page" in sets["now"] else None


def page_seconds(core, codec):
    one = core["codecs"][codec]["sets"]["now"]
    return one["page"]["median"] * 1e6 if "page" in one else None


def times_table(found):
    codecs = codecs_of(found)
    counts = [count for count in next(iter(found["cores"].values()))["codecs"]["lzo"]["sets"]["now"] if count.isdigit()]
    rows = []
    for what, title in (("bytes", "size"), ("capture", "nsplit -d 31"), ("verify", "njoin --verify"),
                        ("export", "njoin --format=kdump"), ("exported", "size of that file")):
        for count in counts if what not in ("bytes", "exported") else counts[:1]:
            unit = "" if what in ("bytes", "exported") else ", 1 CPU" if count == "1" else ", %s CPUs" % count
            rows.append([title + unit, *(span(each(found, lambda core: relative(core, codec, count, what)))
                                         for codec in codecs)])
    rows.append(["a page through a mount", *(span(each(found, lambda core: page_ratio(core, codec))) for codec in codecs)])
    rows.append(["the same, us", *(span(each(found, lambda core: page_seconds(core, codec)), "%.0f")
                                   for codec in codecs)])
    missing = [one["page_missing"] for core in found["cores"].values() for one in core["codecs"].values()
               if "page_missing" in one]
    return table(["", *codecs], rows) + (["", "Pages through a mount: not measured, %s." % missing[0]] if missing else [])


# --- large machines, on paper ---------------------------------------------------------

MACHINES = (("1 CPU, 1 disk", 1, 1), ("4 CPUs, 4 disks", 4, 4), ("16 CPUs, 8 disks", 16, 8))
DISK = 200e6                    # bytes a second
MAP = 64 / 4096                 # of the memory
# The share of the kernel's other pages; the figure of SGI for idle machines, and one for those with large caches.
IDLE, BUSY = 0.004, 0.05
PASSES = 3                      # in each, the classes are found again if the source is this large
SIZES = (1, 4, 12)              # TiB


def model_core(found, busy):
    """The newest core of this kind, or the last one."""
    names = [name for name in found["cores"] if name.endswith(("-busy", "-reclaim")) == busy]
    return names[-1] if names else list(found["cores"])[-1]


def packing(core, codec, arrangement, kernel, map_):
    """Seconds of one CPU."""
    return kernel / class_rate(core, codec, arrangement[0], "pack") + map_ / class_rate(core, codec, arrangement[1], "pack")


def largest(found):
    return max(found["cores"], key=lambda name: found["cores"][name]["size"])


def classifying(found, memory):
    """Seconds of one CPU; of the largest core, since part of it does not grow with the memory."""
    core = found["cores"][largest(found)]
    return core["classify"] / core["size"] * memory


def more(core, codec, version, arrangement):
    """The time of a capture of the core itself but for its classes, relative to that of its packing."""
    of = core["codecs"][codec]["classes"]
    known = packing(core, codec, arrangement, of[arrangement[0]]["bytes"], of[arrangement[1]]["bytes"])
    return (figure(core, codec, version, "1", "capture") - core["classify"]) / known


def on_paper(found, busy, codec, version, memory):
    """Bytes, and seconds of each of MACHINES."""
    core, share = found["cores"][model_core(found, busy)], BUSY if busy else IDLE
    arrangement = NOW if version == "now" else BEFORE
    kernel, map_ = share * memory, MAP * memory
    size = kernel / class_ratio(core, codec, arrangement[0]) + map_ / class_ratio(core, codec, arrangement[1])
    cpu = packing(core, codec, arrangement, kernel, map_) * more(core, codec, version, arrangement) + \
        PASSES * classifying(found, memory)
    return size, [max(cpu / cpus, size / disks / DISK) for _, cpus, disks in MACHINES]


def pair(values, form):
    return ", ".join(form % value for value in values)


def paper_table(found):
    versions, rows = versions_of(found), []
    for tib in SIZES:
        for busy in (False, True):
            for codec in [c for c in codecs_of(found) if c != "lz4"]:
                of = [on_paper(found, busy, codec, version, tib * TIB) for version in versions]
                rows.append(["%d TiB, %s" % (tib, "busy" if busy else "idle"), codec,
                             pair([size / 1e9 for size, _ in of], "%.1f"),
                             *(pair([seconds[i] for _, seconds in of], "%.0f") for i in range(len(MACHINES)))])
    return table(["memory", "codec", "GB", *("s, " + name for name, _, _ in MACHINES)], rows)


PUBLISHED = """Others have published these figures. SGI measured makedumpfile with `-d 31` and LZO on idle machines (kexec list, 2013 and 2014): 1 TB in
257 s to a file of 1.7 GB, and 32 TB in about 7,300 s; without the entries of unused pages (`-e`, with which `kmem` no longer works) in
52 s to 244 MB, and in about 1,600 s. The benchmark with which nsplit began wrote 1 TB with nothing left out to eight disks in 25
minutes (kexec list, 2012)."""


def paper(found):
    if not found["real"]:
        return ["A made-up core says nothing about large machines."]
    text = ("The next table was computed, not measured. The map has 64 bytes for each 4 KiB. The kernel's other pages are %.1f %% of the memory of an "
            "idle machine (SGI counted a million pages for each TB) and %.0f %% of that of a busy one. Ratios and rates of one "
            "CPU are those measured above: of the core %s for an idle machine, and of %s for a busy one. The rest of a capture "
            "takes a share of the time that is as large as for that core. A part of it does not grow with the memory, so this is "
            "an upper limit. The classes are found in each of %d passes, at the rate of the core %s. CPUs add up (section 11), and so do "
            "disks of %.0f MB/s; the slower of both counts. The limits of memory are not known here.%s" %
            (100 * IDLE, 100 * BUSY, model_core(found, False), model_core(found, True), PASSES, largest(found), DISK / 1e6,
             " Two figures: before, and now." if "version" in found else ""))
    return [*textwrap.wrap(text, LINE), "", *paper_table(found), "", *PUBLISHED.split("\n")]


# --------------------------------------------------------------------------------------

def columns(found, _):
    run = dict(found["bench"], rounds=len(next(iter(found["cores"].values()))["codecs"]["lzo"]["sets"]["now"]["1"]["capture"]
                                          ["rounds"]))
    lines = ["`nsplit -d 31` keeps pages of the kernel, in blocks of 16 KiB, and its memory map, in blocks of 64 KiB that are put into "
             "columns (doc/format.md, section 5). The cores are those of section 9, and of machines with the word `busy` or "
             "`reclaim` (doc/tests.md). Ratios and rates of one thread, of all cores:", "",
             *conditions(run, found), *classes_table(found), "",
             "The ratio of the map of each core, in pages as they were packed before and in columns of 64 KiB:", "",
             *map_table(found), "", "Whole sets, MiB:", "", *sizes_table(found), ""]
    if "version" in found:
        lines += ["Now, relative to version %s; medians of the rounds of each core. A page through a mount is one that was not left out, "
                  "and they are read in no order:" % found["version"], "", *times_table(found), ""]
    return lines + paper(found)
