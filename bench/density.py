# SPDX-License-Identifier: GPL-2.0-or-later
"""4. Compressibility of 30, 50 and 70 %, and how densely packed pages lie: 2021."""
import functools
import json
import shutil
import subprocess

from lib import MIB, Missing, Zram, in_rounds, need, summary

PERCENTS = (30, 50, 70)
FIO_WAYS = ("write", "read", "rw", "randrw")


def zram_density(place, core, size):
    """Of what lz4 leaves, and of what zsmalloc takes for it."""
    zram = Zram(place, "lz4", size)
    zram.fill(core)
    return zram.ratios()


def fio(zram, way, percent, size):
    """Bytes a second of four jobs as in 2021; of mixed ones, in each direction."""
    words = ["fio", "--name=zram", "--filename=" + zram.device, "--rw=" + way, "--bs=4k",
             "--direct=1", "--numjobs=4", "--size=%d" % size, "--randrepeat=1", "--randseed=100",
             "--refill_buffers", "--buffer_compress_percentage=%d" % percent, "--scramble_buffers=1",
             "--group_reporting", "--output-format=json"]
    zram.place.note(words)
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    job = json.loads(said.stdout)["jobs"][0]
    rates = [r for r in (job["read"]["bw_bytes"], job["write"]["bw_bytes"]) if r]
    return sum(rates) / len(rates)


def through_fio(place):
    """{percent: {way: rates, and the ratio}}: each device is full before any round counts."""
    need(shutil.which("fio"), "fio is not installed")
    size = (8 if place.quick else 32) * MIB
    drives = {percent: Zram(place, "lz4", size) for percent in PERCENTS}
    rates = in_rounds({(percent, way): functools.partial(fio, drives[percent], way, percent, size)
                       for percent in PERCENTS for way in FIO_WAYS}, place.rounds)
    found = {percent: {way: summary(rates[percent, way]) for way in FIO_WAYS}
             for percent in PERCENTS}
    for percent, zram in drives.items():
        found[percent].update(zram.ratios())
    return found


def measure(place):
    size = (8 if place.quick else 64) * MIB
    found = {"parts": {}}
    for percent in PERCENTS:
        core = place.core("core%d" % percent, size, "--pattern=random",
                          "--compressible=%d" % percent)
        one = {"nsplit": place.bench("--codecs=" + ("lz4" if place.quick else "lz4,lzo,zstd"),
                                     "--threads=1,2", "--cache=keep", core, place.path("a"))}
        try:
            one["zram"] = zram_density(place, core, size)
        except Missing as e:
            found["zram_missing"] = str(e)
        found["parts"][str(percent)] = one
    try:
        for percent, figures in through_fio(place).items():
            found["parts"][str(percent)]["fio"] = figures
    except Missing as e:
        found["fio_missing"] = str(e)
    return found
