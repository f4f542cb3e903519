# SPDX-License-Identifier: GPL-2.0-or-later
"""8. What analysts wait for: an export, a page out of a mount, and crash on it."""
import contextlib
import os
import random
import shutil
import statistics
import subprocess
import time

from lib import interleaved, need, summary

CODECS, FEW = ("lzo", "snappy", "zstd", "zlib", "lz4"), ("lzo",)
PAGE = 4096
READS = 2000


def members(place, core, codec):
    """A capture to two files."""
    names = [place.path("%s.%d" % (codec, i)) for i in range(2)]
    place.run(place.program("nsplit"), "-q", "-C", codec, core, *names)
    return names


def clear(directory):
    for name in os.listdir(directory):
        os.unlink(os.path.join(directory, name))


def exports(place, core):
    """Bytes of members a second: copied, and made a kdump-compressed file."""
    found, copies = {}, place.path("out")
    os.mkdir(copies)
    for codec in FEW if place.quick else CODECS:
        names = members(place, core, codec)
        size = sum(os.path.getsize(n) for n in names)
        copy = ["cp", *names, copies]
        export = [place.program("njoin"), "-q", "--format=kdump", "-o", os.path.join(copies, "kdump"), *names]
        seconds = interleaved({
            "cp": (lambda: clear(copies), lambda: place.run(*copy)),
            "njoin": (lambda: clear(copies), lambda: place.run(*export)),
        }, place.rounds)
        clear(copies)
        found[codec] = {name: summary([size / s for s in all_]) for name, all_ in seconds.items()}
        for name in names:
            os.unlink(name)
    return found


@contextlib.contextmanager
def mounted(place, names):
    """Where the members are mounted."""
    directory = place.path("mnt")
    os.makedirs(directory, exist_ok=True)
    words = [place.program("nsplit-mount"), "-q", *names, directory]
    place.note(words)
    subprocess.run(words, check=True)
    try:
        yield directory
    finally:
        subprocess.run(["fusermount3", "-u", directory], check=True)


def latencies(path, count):
    """Seconds of reads of a page each, anywhere, none of which the kernel has in its cache."""
    seconds, size = [], os.path.getsize(path)
    with open(path, "rb", buffering=0) as file:
        for _ in range(count):
            at = random.randrange(size // PAGE) * PAGE
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            start = time.perf_counter()
            os.pread(file.fileno(), PAGE, at)
            seconds.append(time.perf_counter() - start)
    return seconds


def sequential(path):
    """Bytes a second of the whole file, read in order."""
    start = time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.read(1 << 20):
            pass
    return os.path.getsize(path) / (time.perf_counter() - start)


def crash_starts(place, core, directory):
    """Seconds in which crash has told what it is about, of the core and of the mount."""
    if not os.environ.get("VMLINUX") or not shutil.which("crash"):
        return {}
    vmlinux = place.path("vmlinux")
    os.symlink(os.path.abspath(os.environ["VMLINUX"]), vmlinux)
    commands = place.path("commands")
    with open(commands, "w", encoding="ascii") as file:
        file.write("sys\nquit\n")
    start = {name: (lambda: None, lambda path=path: place.run("crash", "-s", "-i", commands, vmlinux, path))
             for name, path in (("the core", core), ("vmcore", directory + "/vmcore"),
                                ("vmcore.kdump", directory + "/vmcore.kdump"))}
    return {name: summary(all_) for name, all_ in interleaved(start, place.rounds).items()}


def mounts(place, core):
    need(os.path.exists(place.program("nsplit-mount")), "this build has no nsplit-mount")
    need(os.path.exists("/dev/fuse") and shutil.which("fusermount3"),
         "it needs /dev/fuse and fusermount3")
    found = {}
    for codec in FEW if place.quick else CODECS:
        names = members(place, core, codec)
        with mounted(place, names) as directory:
            path = directory + "/vmcore"
            seconds = latencies(path, 50 if place.quick else READS)
            found[codec] = {
                "median": statistics.median(seconds),
                "most": statistics.quantiles(seconds, n=100)[98],
                "rate": summary([sequential(path) for _ in range(place.rounds)]),
                "crash": crash_starts(place, core, directory) if codec == "lzo" else {},
            }
        for name in names:
            os.unlink(name)
    return found


def measure(place):
    core = place.real_core(3)
    return {"exports": exports(place, core), "mounts": mounts(place, core),
            "bench": place.bench("--codecs=" + ",".join(FEW if place.quick else CODECS), "--threads=1",
                                 "--cache=keep", core, place.path("a"), place.path("b")),
            "source_size": os.path.getsize(core)}
