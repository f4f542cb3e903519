# SPDX-License-Identifier: GPL-2.0-or-later
"""3. Zeros and the source of Linux, with the algorithms of nsplit and of zram: Linux 6.12."""
import glob
import os
import subprocess

import emulated
from lib import MIB, Missing, Zram, interleaved, need, summary

CODECS, FEW = "raw,lzo,snappy,lz4,lz4hc:9,zstd:1,zstd:3,zlib:6", "lz4,zlib:6"
EMULATED = 64 * MIB     # what an emulated machine is given of each
ZRAM = ("lzo-rle", "lzo", "lz4")


def linux_source(place):
    """linux-source's tar, as much of it as is wanted; the package is fetched, not installed."""
    tar, most = place.path("linux.tar"), (8 if place.quick else 512) * MIB
    need(not place.quick or glob.glob("linux-source-*.deb"), "a quick run fetches no package")
    packages = sorted(glob.glob("linux-source-*.deb"))
    if not packages:
        fetched = subprocess.run(["apt-get", "-qq", "download", "linux-source-6.1"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        packages = sorted(glob.glob("linux-source-*.deb"))
        need(fetched.returncode == 0 and packages, "Debian's package linux-source cannot be had")
    script = ("dpkg-deb --fsys-tarfile %s | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |"
              " xz -dc | head -c %d > %s" % (packages[0], most, tar))
    subprocess.run(["sh", "-c", script], check=True)
    return tar


def through_zram(place, core):
    size = os.path.getsize(core)
    commands, drives, found = {}, {}, {}
    for name in ZRAM:
        try:
            drives[name] = Zram(place, name, size)
        except Missing as e:
            found[name] = {"missing": str(e)}
    for name, zram in drives.items():
        commands[name, "write"] = zram.empty, lambda zram=zram: place.run(
            "dd", "if=" + core, "of=" + zram.device, "bs=1M", "oflag=direct", "conv=notrunc")
        commands[name, "read"] = lambda: None, lambda zram=zram: place.run(
            "dd", "if=" + zram.device, "of=/dev/null", "bs=1M", "iflag=direct")
    copy = place.path("copy")
    commands["tmpfs", "write"] = lambda: None, lambda: place.run(
        "dd", "if=" + core, "of=" + copy, "bs=1M", "conv=notrunc")
    commands["tmpfs", "read"] = lambda: None, lambda: place.run(
        "dd", "if=" + copy, "of=/dev/null", "bs=1M")
    for (name, what), seconds in interleaved(commands, place.rounds).items():
        found.setdefault(name, {})[what] = summary([size / s for s in seconds])
    for name, zram in drives.items():
        before, packed, memory = zram.stored()
        found[name]["memory_ratio"] = before / memory
        # Of zeros nothing is packed at all.
        found[name]["ratio"] = before / packed if packed else None
    os.unlink(copy)
    return found


def measure(place):
    zeros = place.core("zeros", (8 if place.quick else 512) * MIB, "--pattern=zero")
    sources = {"zeros": zeros}
    found = {}
    try:
        sources["linux"] = linux_source(place)
    except Missing as e:
        found["linux_missing"] = str(e)
    for name, core in sources.items():
        found[name] = {
            "nsplit": place.bench("--codecs=" + (FEW if place.quick else CODECS),
                                  "--cache=keep", "--threads=1", core, place.path("a")),
            "zram": through_zram(place, core),
        }
    try:
        machine = emulated.measure(place, {n: place.part(c, EMULATED) for n, c in sources.items()})
        for name, figures in machine.items():
            found[name]["emulated"] = figures["zram"]
    except Missing as e:
        found["emulated_missing"] = str(e)
    return found
