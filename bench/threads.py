# SPDX-License-Identifier: GPL-2.0-or-later
"""1. n threads to n outputs, raw and compressed, random data: the benchmark of 2012."""
from lib import MIB, Disks, Missing

RATE = 50 * MIB
CODECS, FEW = "raw,lzo,snappy,lz4,zstd", "raw,lzo,snappy"


def matrix(place, outputs, before=None, *more):
    size = "4M" if place.quick else "32M"
    most = 2 if place.quick else 8
    return place.bench("--threads=1-%d" % most, "--outputs=threads", "--write-only",
                       "--codecs=" + (FEW if place.quick else CODECS), *more,
                       "fake:%s,pattern=random" % size, *outputs, before=before)


def measure(place):
    found = {"emulated": matrix(place, ["null:"], None, "--disk-rate=%d" % RATE)}
    try:
        disks = Disks(place, 2 if place.quick else 8, 320 * MIB, RATE)
        found["loop"] = matrix(place, disks.devices, disks.enter, "--force", "--direct=always")
    except Missing as e:
        found["loop_missing"] = str(e)
    return found
