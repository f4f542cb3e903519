# SPDX-License-Identifier: GPL-2.0-or-later
"""4. Compressibility of 30, 50 and 70 %, and how densely compressed pages are stored: 2021."""
import functools
import json
import shutil
import subprocess

from lib import MIB, Missing, Zram, in_rounds, need, summary

PERCENTS = (30, 50, 70)
FIO_WAYS = ("write", "read", "rw", "randrw")


def zram_density(workspace, core, size):
    """The ratio of lz4, and the ratio of the memory that zsmalloc uses."""
    zram = Zram(workspace, "lz4", size)
    zram.fill(core)
    return zram.ratios()


def fio(zram, way, percent, size):
    """Bytes per second of four jobs as in 2021; for mixed jobs, in each direction."""
    words = ["fio", "--name=zram", "--filename=" + zram.device, "--rw=" + way, "--bs=4k",
             "--direct=1", "--numjobs=4", "--size=%d" % size, "--randrepeat=1", "--randseed=100",
             "--refill_buffers", "--buffer_compress_percentage=%d" % percent, "--scramble_buffers=1",
             "--group_reporting", "--output-format=json"]
    zram.workspace.note(words)
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    job = json.loads(said.stdout)["jobs"][0]
    rates = [r for r in (job["read"]["bw_bytes"], job["write"]["bw_bytes"]) if r]
    return sum(rates) / len(rates)


def through_fio(workspace):
    """{percent: {way: rates, and the ratio}}: each device is filled before the first round that counts."""
    need(shutil.which("fio"), "fio is not installed")
    size = (8 if workspace.quick else 32) * MIB
    drives = {percent: Zram(workspace, "lz4", size) for percent in PERCENTS}
    rates = in_rounds({(percent, way): functools.partial(fio, drives[percent], way, percent, size)
                       for percent in PERCENTS for way in FIO_WAYS}, workspace.rounds)
    found = {percent: {way: summary(rates[percent, way]) for way in FIO_WAYS}
             for percent in PERCENTS}
    for percent, zram in drives.items():
        found[percent].update(zram.ratios())
    return found


def measure(workspace):
    size = (8 if workspace.quick else 64) * MIB
    found = {"parts": {}}
    for percent in PERCENTS:
        core = workspace.core("core%d" % percent, size, "--pattern=random",
                              "--compressible=%d" % percent)
        one = {"nsplit": workspace.bench("--codecs=" + ("lz4" if workspace.quick else "lz4,lzo,zstd"),
                                         "--threads=1,2", "--cache=keep", core, workspace.path("a"))}
        try:
            one["zram"] = zram_density(workspace, core, size)
        except Missing as e:
            found["zram_missing"] = str(e)
        found["parts"][str(percent)] = one
    try:
        for percent, figures in through_fio(workspace).items():
            found["parts"][str(percent)]["fio"] = figures
    except Missing as e:
        found["fio_missing"] = str(e)
    return found
