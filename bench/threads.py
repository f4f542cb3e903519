# SPDX-License-Identifier: GPL-2.0-or-later
"""1. n threads to n outputs, raw and compressed, random data: the benchmark of 2012.

The amount of data for each output does not depend on the number of outputs.  So one output takes as
long as eight, and the costs of starting and ending have the same share of the time.  The rounds are
divided among the passes and rounded up.
"""
from lib import MIB, Disks, Missing, in_rounds, summary

RATE = 50 * MIB
CODECS, FEW = "raw,lzo,snappy,lz4,zstd", "raw,lzo,snappy"
PASSES = 3              # over all n, so that drift affects all of them equally
EMULATED = 32 * MIB     # for each output
LOOP = 48 * MIB         # more, since the cgroup lets the bytes of 0.1 s pass at once


def one_n(workspace, n, size, outputs, before, more):
    return workspace.bench("--threads=%d" % n, "--outputs=threads", "--write-only",
                           "--codecs=" + (FEW if workspace.quick else CODECS), *more,
                           "fake:%dM,pattern=random" % (n * size // MIB), *outputs,
                           before=before, rounds=-(-workspace.rounds // PASSES))


def merged(reports):
    """Merges reports of the same command into one: each cell has the rounds of all."""
    whole = reports[0]
    whole["rounds"] *= len(reports)
    for cell, *others in zip(*(r["cells"] for r in reports)):
        for key in ("capture", "ceiling", "memcpy"):
            cell[key] = summary(sum((c[key]["rounds"] for c in [cell, *others]), []))
        cell["source_size"] = whole["source_size"]
        cell["share"] = {"best": cell["capture"]["most"] / cell["ceiling"]["most"]}
    return whole


def matrix(workspace, size, outputs, before, *more):
    """A report with the cells of all n, sorted by codec and n."""
    most = 2 if workspace.quick else 8
    runs = in_rounds({n: lambda n=n: one_n(workspace, n, size, outputs, before, more)
                      for n in range(1, most + 1)}, 2 if workspace.quick else PASSES, warmups=0)
    found = [merged(reports) for reports in runs.values()]
    whole = {key: found[0][key] for key in ("machine", "date", "rounds")}
    whole["cells"] = [cell for cells in zip(*(r["cells"] for r in found)) for cell in cells]
    return whole


def measure(workspace):
    part = 4 if workspace.quick else 1
    found = {"emulated": matrix(workspace, EMULATED // part, ["null:"], None, "--disk-rate=%d" % RATE)}
    try:
        disks = Disks(workspace, 2 if workspace.quick else 8, 320 * MIB, RATE)
        found["loop"] = matrix(workspace, LOOP // part, disks.devices, disks.enter, "--overwrite-dumps",
                               "--direct=always")
    except Missing as e:
        found["loop_missing"] = str(e)
    return found
