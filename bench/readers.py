# SPDX-License-Identifier: GPL-2.0-or-later
"""8. Analysis: an export, reading a page through a mount, and starting crash on it."""
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


def members(workspace, core, codec):
    """A capture to two files."""
    names = [workspace.path("%s.%d" % (codec, i)) for i in range(2)]
    workspace.run(workspace.program("nsplit"), "-q", "-C", codec, core, *names)
    return names


def clear(directory):
    for name in os.listdir(directory):
        os.unlink(os.path.join(directory, name))


def exports(workspace, core):
    """Bytes of members per second: copied, and exported to a kdump-compressed file."""
    found, copies = {}, workspace.path("out")
    os.mkdir(copies)
    for codec in FEW if workspace.quick else CODECS:
        names = members(workspace, core, codec)
        size = sum(os.path.getsize(n) for n in names)
        copy = ["cp", *names, copies]
        export = [workspace.program("njoin"), "-q", "--format=kdump", "-o", os.path.join(copies, "kdump"), *names]
        seconds = interleaved({
            "cp": (lambda: clear(copies), lambda: workspace.run(*copy)),
            "njoin": (lambda: clear(copies), lambda: workspace.run(*export)),
        }, workspace.rounds)
        clear(copies)
        found[codec] = {name: summary([size / s for s in all_]) for name, all_ in seconds.items()}
        for name in names:
            os.unlink(name)
    return found


@contextlib.contextmanager
def mounted(workspace, names, programs=None):
    """The directory where the members are mounted, by the nsplit-mount of a build directory."""
    directory = workspace.path("mnt")
    os.makedirs(directory, exist_ok=True)
    words = [os.path.join(programs or workspace.programs, "nsplit-mount"), "-q", *names, directory]
    workspace.note(words)
    subprocess.run(words, check=True)
    try:
        yield directory
    finally:
        subprocess.run(["fusermount3", "-u", directory], check=True)


def latencies(path, count):
    """Seconds of reads of one random page each, none of them in the page cache of the kernel."""
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
    """Bytes per second of reading the whole file in order."""
    start = time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.read(1 << 20):
            pass
    return os.path.getsize(path) / (time.perf_counter() - start)


def crash_starts(workspace, core, directory):
    """Seconds until crash has printed its summary, for the core and for the mount."""
    if not os.environ.get("VMLINUX") or not shutil.which("crash"):
        return {}
    vmlinux = workspace.path("vmlinux")
    os.symlink(os.path.abspath(os.environ["VMLINUX"]), vmlinux)
    commands = workspace.path("commands")
    with open(commands, "w", encoding="ascii") as file:
        file.write("sys\nquit\n")
    start = {name: (lambda: None, lambda path=path: workspace.run("crash", "-s", "-i", commands, vmlinux, path))
             for name, path in (("the core", core), ("vmcore", directory + "/vmcore"),
                                ("vmcore.kdump", directory + "/vmcore.kdump"))}
    return {name: summary(all_) for name, all_ in interleaved(start, workspace.rounds).items()}


def mounts(workspace, core):
    need(os.path.exists(workspace.program("nsplit-mount")), "this build does not include nsplit-mount")
    need(os.path.exists("/dev/fuse") and shutil.which("fusermount3"),
         "it needs /dev/fuse and fusermount3")
    found = {}
    for codec in FEW if workspace.quick else CODECS:
        names = members(workspace, core, codec)
        with mounted(workspace, names) as directory:
            path = directory + "/vmcore"
            seconds = latencies(path, 50 if workspace.quick else READS)
            found[codec] = {
                "median": statistics.median(seconds),
                "most": statistics.quantiles(seconds, n=100)[98],
                "rate": summary([sequential(path) for _ in range(workspace.rounds)]),
                "crash": crash_starts(workspace, core, directory) if codec == "lzo" else {},
            }
        for name in names:
            os.unlink(name)
    return found


def measure(workspace):
    core = workspace.real_core(3)
    return {"exports": exports(workspace, core), "mounts": mounts(workspace, core),
            "bench": workspace.bench("--codecs=" + ",".join(FEW if workspace.quick else CODECS), "--threads=1",
                                     "--cache=keep", core, workspace.path("a"), workspace.path("b")),
            "source_size": os.path.getsize(core)}
