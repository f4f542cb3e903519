# SPDX-License-Identifier: GPL-2.0-or-later
"""1. n threads to n outputs, raw and compressed, random data: the benchmark of 2012.

Each output has the same to write on the average, however many there are: so one takes no longer than
eight, and what it costs to begin and to end is the same part of all.  The rounds are shared out to the
passes, and rounded up.
"""
from lib import MIB, Disks, Missing, in_rounds, summary

RATE = 50 * MIB
CODECS, FEW = "raw,lzo,snappy,lz4,zstd", "raw,lzo,snappy"
PASSES = 3              # over all n, so that drift hits all alike
EMULATED = 32 * MIB      # for each output
LOOP = 48 * MIB         # more: the cgroup lets what is due for 0.1 s pass at once


def one_n(place, n, size, outputs, before, more):
    return place.bench("--threads=%d" % n, "--outputs=threads", "--write-only",
                       "--codecs=" + (FEW if place.quick else CODECS), *more,
                       "fake:%dM,pattern=random" % (n * size // MIB), *outputs,
                       before=before, rounds=-(-place.rounds // PASSES))


def merged(reports):
    """One report of several of the same command: its cells with the rounds of all."""
    whole = reports[0]
    whole["rounds"] *= len(reports)
    for cell, *others in zip(*(r["cells"] for r in reports)):
        for key in ("capture", "ceiling", "memcpy"):
            cell[key] = summary(sum((c[key]["rounds"] for c in [cell, *others]), []))
        cell["source_size"] = whole["source_size"]
        cell["share"] = {"best": cell["capture"]["most"] / cell["ceiling"]["most"]}
    return whole


def matrix(place, size, outputs, before, *more):
    """A report whose cells are those of each n, by codec and n."""
    most = 2 if place.quick else 8
    runs = in_rounds({n: lambda n=n: one_n(place, n, size, outputs, before, more)
                      for n in range(1, most + 1)}, 2 if place.quick else PASSES, warmups=0)
    found = [merged(reports) for reports in runs.values()]
    whole = {key: found[0][key] for key in ("machine", "date", "rounds")}
    whole["cells"] = [cell for cells in zip(*(r["cells"] for r in found)) for cell in cells]
    return whole


def measure(place):
    part = 4 if place.quick else 1
    found = {"emulated": matrix(place, EMULATED // part, ["null:"], None, "--disk-rate=%d" % RATE)}
    try:
        disks = Disks(place, 2 if place.quick else 8, 320 * MIB, RATE)
        found["loop"] = matrix(place, LOOP // part, disks.devices, disks.enter, "--force",
                               "--direct=always")
    except Missing as e:
        found["loop_missing"] = str(e)
    return found
