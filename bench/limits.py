# SPDX-License-Identifier: GPL-2.0-or-later
"""7. How near to what the machine can do: captures, readings, disks, start, memory, and auto."""
import glob
import os
import shutil
import subprocess
import tempfile

from lib import MIB, free, interleaved, need, summary

CODECS, FEW = "lzo,snappy,lz4,zstd", "lzo,lz4"
DISK = 50 * MIB
AUTO = "raw,lzo,snappy,lz4,zstd:1,zstd:3,zstd:4,zstd:6,zstd:12,auto"
AUTO_FEW = "raw,lzo,auto"
# What the disk takes, what it becomes and when, and how many times over the core is captured.
DISKS = (("20M", None, 1), ("200M", None, 2), ("2G", None, 8), (None, None, 8),
         ("200M", "1:20M", 3), ("20M", "2:400M", 3))
TIMES_MOST = max(disk[2] for disk in DISKS)


def four_times(place, core):
    """The core four times over, in a file of a disk, and in the page cache."""
    need(free("/var/tmp") > 5 * os.path.getsize(core), "it needs five times the core's size in /var/tmp")
    directory = place.enter_context(tempfile.TemporaryDirectory(prefix="nsplit-measure.", dir="/var/tmp"))
    large = os.path.join(directory, "core4")
    with open(large, "wb") as file:
        for _ in range(4):
            with open(core, "rb") as part:
                shutil.copyfileobj(part, file)
    place.commands.append("cat core core core core > core4")
    return large


def captures(place, core):
    """Of the ceiling: from memory, from the page cache, to files and back."""
    core = four_times(place, core)
    codecs = "--codecs=" + (FEW if place.quick else CODECS)
    fake = "fake:%s" % ("8M" if place.quick else "1G")
    common = ["--threads=2", "--cache=keep", "--sample=2G"]
    files = [place.path("a"), place.path("b")]
    return {
        "fake": place.bench(codecs, *common, "--write-only", fake, "null:"),
        "core": place.bench(codecs, *common, "--write-only", core, "null:"),
        "mapped": place.bench(codecs, *common, "--write-only", "--mmap=always", core, "null:"),
        "files": place.bench(codecs, *common, "--mmap=always", core, *files),
        "joined": place.bench(codecs, *common, "--join-to=" + place.path("joined"), core, *files),
    }


def disks(place):
    """Uneven ones, and random data, compressed and raw."""
    size = "16M" if place.quick else "1G"
    rates = ",".join([str(DISK)] * 7 + [str(DISK // 10)])
    few = 2 if place.quick else 3
    random = "fake:%s,pattern=random" % size
    both = "--codecs=raw," + (FEW if place.quick else CODECS)
    return {
        "rates": [DISK] * 7 + [DISK // 10],
        "uneven": place.bench("--codecs=raw,lzo", "--threads=2", "--outputs=8", "--write-only",
                              "--disk-rate=" + rates, random.replace("1G", "3G"), "null:", rounds=few),
        "random": place.bench(both, "--threads=2", "--outputs=8", "--write-only",
                              "--disk-rate=%d" % DISK, random, "null:", rounds=few),
        "random_files": place.bench(both, "--threads=2", "--write-only", "--cache=keep",
                                    random.replace("1G", "256M"), place.path("a"), place.path("b")),
    }


def clear(place):
    for name in glob.glob(place.path("out*")):
        os.unlink(name)


def copies(place, core):
    """Raw to two files, beside two dd at once, of half each."""
    out, half = place.path("out"), os.path.getsize(core) // MIB // 2
    both = ("dd if=%s of=%s1 bs=1M count=%d status=none & dd if=%s of=%s2 bs=1M skip=%d status=none; wait"
            % (core, out, half, core, out, half))
    nsplit = [place.program("nsplit"), "-q", "-r", core, out + "1", out + "2"]
    seconds = interleaved({
        "dd": (lambda: clear(place), lambda: place.run("sh", "-c", both)),
        "nsplit": (lambda: clear(place), lambda: place.run(*nsplit)),
        "mapped": (lambda: clear(place), lambda: place.run(nsplit[0], "--mmap=always", *nsplit[1:])),
    }, place.rounds)
    clear(place)
    return {name: summary([os.path.getsize(core) / s for s in all_])
            for name, all_ in seconds.items()}


def on_one_cpu():
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


def one_thread(place, core):
    """One worker and a writer against the serial twin, on all CPUs and on one (nr_cpus=1)."""
    words = ["--codecs=raw,lzo", "--threads=serial,1", "--write-only", "--cache=keep", core,
             place.path("a")]
    return {"all": place.bench(*words), "one": place.bench(*words, before=on_one_cpu)}


def start(place):
    """Seconds of whole commands that capture 4 MiB."""
    core, out = place.core("small", 4 * MIB), place.path("out")
    seconds = interleaved({
        "nsplit": (lambda: clear(place), lambda: place.run(place.program("nsplit"), "-q", "-c",
                                                           core, out)),
        "true": (lambda: None, lambda: place.run("true")),
    }, 3 * place.rounds)
    clear(place)
    return {name: summary(all_) for name, all_ in seconds.items()}


def peak(place, core, outputs):
    """Bytes of memory at the peak, as the kernel counts them."""
    words = [place.program("nsplit"), "-q", "-c", "-j8", core, *outputs]
    place.note(words)
    with open(os.devnull, "wb") as null, subprocess.Popen(words, stderr=null) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    need(child.returncode == 0, "nsplit failed, with %d", child.returncode)
    return usage.ru_maxrss * 1024


def memory(place):
    """Of 1 GiB and of 100 GiB that are a hole, and of as much as is there, to eight files."""
    found, outputs = {}, [place.path("out%d" % i) for i in range(8)]
    for size in (1, 2) if place.quick else (1, 100):
        hole = place.path("hole")
        with open(hole, "wb") as file:
            file.truncate(size << (20 if place.quick else 30))
        found["%d GiB, a hole" % size] = peak(place, hole, outputs)
        os.unlink(hole)
        clear(place)
    core = place.core("mixed", (16 if place.quick else 1024) * MIB)
    found["1 GiB, mixed"] = peak(place, core, outputs)
    os.unlink(core)
    clear(place)
    return found


def auto(place, core):
    """Every codec that somebody might choose, and auto, by what the disk takes."""
    found = []
    for rate, later, times in DISKS[:2] if place.quick else DISKS:
        source = place.path("times%d" % times)
        with open(source, "wb") as file:
            for _ in range(times):
                with open(core, "rb") as part:
                    shutil.copyfileobj(part, file)
        how = (["--disk-rate=" + rate] if rate else []) + (["--disk-rate-after=" + later] if later else [])
        slow = rate and rate != "2G"
        codecs = AUTO_FEW if place.quick else AUTO if slow else AUTO.replace(",zstd:6,zstd:12", "")
        found.append({"rate": rate, "later": later, "run": place.bench(
            "--codecs=" + codecs, "--threads=2", "--write-only", "--cache=keep", "--warmup=0", *how,
            source, "null:", rounds=2 if slow else place.rounds)})
        os.unlink(source)
    return found


def measure(place):
    core = place.real_core(TIMES_MOST + 1)
    found = {"captures": captures(place, core), "disks": disks(place), "copies": copies(place, core),
             "one_thread": one_thread(place, core), "start": start(place), "memory": memory(place)}
    found["auto"] = auto(place, core)
    return found
