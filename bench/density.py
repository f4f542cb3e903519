# SPDX-License-Identifier: GPL-2.0-or-later
"""4. Compressibility of 30, 50 and 70 %, and how densely packed pages lie: 2021."""
import emulated
from lib import MIB, Missing, Zram, need

PERCENTS = (30, 50, 70)


def zram_density(place, core, size):
    """Of what lz4 leaves, and of what zsmalloc takes for it."""
    zram = Zram(place, "lz4", size)
    place.run("dd", "if=" + core, "of=" + zram.device, "bs=1M", "oflag=direct", "conv=notrunc")
    before, packed, memory = zram.stored()
    need(before, "zram has stored nothing")
    return {"ratio": before / packed, "memory_ratio": before / memory}


def measure(place):
    size = (8 if place.quick else 512) * MIB
    found, parts = {}, {}
    for percent in PERCENTS:
        core = place.core("core%d" % percent, size, "--pattern=random",
                          "--compressible=%d" % percent)
        one = {"nsplit": place.bench("--codecs=" + ("lz4" if place.quick else "lz4,lzo,zstd"),
                                     "--cache=keep", core, place.path("a"))}
        try:
            one["zram"] = zram_density(place, core, size)
        except Missing as e:
            found["zram_missing"] = str(e)
        found[str(percent)] = one
        parts[str(percent)] = place.part(core, 32 * MIB)
    try:
        for percent, figures in emulated.measure(place, parts).items():
            found[percent]["pools"] = figures["zswap"]
    except Missing as e:
        found["pools_missing"] = str(e)
    return found
