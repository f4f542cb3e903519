# SPDX-License-Identifier: GPL-2.0-or-later
"""7. Compared with the limits of the machine: captures, reads, disks, start, memory, and auto."""
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
# Speed of the disk, its later speed and when it changes, and how many copies of the core are captured.
DISKS = (("20M", None, 1), ("200M", None, 2), ("2G", None, 8), (None, None, 8),
         ("200M", "1:20M", 3), ("20M", "2:400M", 3))
TIMES_MOST = max(disk[2] for disk in DISKS)


def four_times(workspace, core):
    """Four copies of the core, in one file on a disk, in the page cache."""
    need(free("/var/tmp") > 5 * os.path.getsize(core), "it needs five times the size of the core in /var/tmp")
    directory = workspace.enter_context(tempfile.TemporaryDirectory(prefix="nsplit-measure.", dir="/var/tmp"))
    large = os.path.join(directory, "core4")
    with open(large, "wb") as file:
        for _ in range(4):
            with open(core, "rb") as part:
                shutil.copyfileobj(part, file)
    workspace.commands.append("cat core core core core > core4")
    return large


def captures(workspace, core):
    """Shares of the ceiling: from memory, from the page cache, to files and back."""
    core = four_times(workspace, core)
    codecs = "--codecs=" + (FEW if workspace.quick else CODECS)
    fake = "fake:%s" % ("8M" if workspace.quick else "1G")
    common = ["--threads=2", "--cache=keep", "--sample=2G"]
    files = [workspace.path("a"), workspace.path("b")]
    return {
        "fake": workspace.bench(codecs, *common, "--write-only", fake, "null:"),
        "core": workspace.bench(codecs, *common, "--write-only", core, "null:"),
        "mapped": workspace.bench(codecs, *common, "--write-only", "--mmap=always", core, "null:"),
        "files": workspace.bench(codecs, *common, "--mmap=always", core, *files),
        "joined": workspace.bench(codecs, *common, "--join-to=" + workspace.path("joined"), core, *files),
    }


def disks(workspace):
    """Disks of different speed, and random data, compressed and raw."""
    size = "16M" if workspace.quick else "1G"
    rates = ",".join([str(DISK)] * 7 + [str(DISK // 10)])
    few = 2 if workspace.quick else 3
    random = "fake:%s,pattern=random" % size
    both = "--codecs=raw," + (FEW if workspace.quick else CODECS)
    return {
        "rates": [DISK] * 7 + [DISK // 10],
        "uneven": workspace.bench("--codecs=raw,lzo", "--threads=2", "--outputs=8", "--write-only",
                                  "--disk-rate=" + rates, random.replace("1G", "3G"), "null:", rounds=few),
        "random": workspace.bench(both, "--threads=2", "--outputs=8", "--write-only",
                                  "--disk-rate=%d" % DISK, random, "null:", rounds=few),
        "random_files": workspace.bench(both, "--threads=2", "--write-only", "--cache=keep",
                                        random.replace("1G", "256M"), workspace.path("a"), workspace.path("b")),
    }


def clear(workspace):
    for name in glob.glob(workspace.path("out*")):
        os.unlink(name)


def copies(workspace, core):
    """Raw to two files, and two concurrent dd, each of half of the core."""
    out, half = workspace.path("out"), os.path.getsize(core) // MIB // 2
    both = ("dd if=%s of=%s1 bs=1M count=%d status=none & dd if=%s of=%s2 bs=1M skip=%d status=none; wait"
            % (core, out, half, core, out, half))
    nsplit = [workspace.program("nsplit"), "-q", "-r", core, out + "1", out + "2"]
    seconds = interleaved({
        "dd": (lambda: clear(workspace), lambda: workspace.run("sh", "-c", both)),
        "nsplit": (lambda: clear(workspace), lambda: workspace.run(*nsplit)),
        "mapped": (lambda: clear(workspace), lambda: workspace.run(nsplit[0], "--mmap=always", *nsplit[1:])),
    }, workspace.rounds)
    clear(workspace)
    return {name: summary([os.path.getsize(core) / s for s in all_])
            for name, all_ in seconds.items()}


def on_one_cpu():
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


def one_thread(workspace, core):
    """One worker and a writer compared with serial mode, on all CPUs and on one (nr_cpus=1)."""
    words = ["--codecs=raw,lzo", "--threads=serial,1", "--write-only", "--cache=keep", core,
             workspace.path("a")]
    return {"all": workspace.bench(*words), "one": workspace.bench(*words, before=on_one_cpu)}


def start(workspace):
    """Seconds of complete commands that capture 4 MiB."""
    core, out = workspace.core("small", 4 * MIB), workspace.path("out")
    seconds = interleaved({
        "nsplit": (lambda: clear(workspace), lambda: workspace.run(workspace.program("nsplit"), "-q", "-c",
                                                                   core, out)),
        "true": (lambda: None, lambda: workspace.run("true")),
    }, 3 * workspace.rounds)
    clear(workspace)
    return {name: summary(all_) for name, all_ in seconds.items()}


def peak(workspace, core, outputs):
    """Peak memory in bytes, as the kernel counts it."""
    words = [workspace.program("nsplit"), "-q", "-c", "-j8", core, *outputs]
    workspace.note(words)
    with open(os.devnull, "wb") as null, subprocess.Popen(words, stderr=null) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    need(child.returncode == 0, "nsplit failed with exit status %d", child.returncode)
    return usage.ru_maxrss * 1024


def memory(workspace):
    """Peak memory for 1 GiB and 100 GiB of holes, and for 1 GiB of data, to eight files."""
    found, outputs = {}, [workspace.path("out%d" % i) for i in range(8)]
    for size in (1, 2) if workspace.quick else (1, 100):
        hole = workspace.path("hole")
        with open(hole, "wb") as file:
            file.truncate(size << (20 if workspace.quick else 30))
        found["%d GiB of holes" % size] = peak(workspace, hole, outputs)
        os.unlink(hole)
        clear(workspace)
    core = workspace.core("mixed", (16 if workspace.quick else 1024) * MIB)
    found["1 GiB of data"] = peak(workspace, core, outputs)
    os.unlink(core)
    clear(workspace)
    return found


def auto(workspace, core):
    """All codecs that a user might choose, and auto, for several disk speeds."""
    found = []
    for rate, later, times in DISKS[:2] if workspace.quick else DISKS:
        source = workspace.path("times%d" % times)
        with open(source, "wb") as file:
            for _ in range(times):
                with open(core, "rb") as part:
                    shutil.copyfileobj(part, file)
        how = (["--disk-rate=" + rate] if rate else []) + (["--disk-rate-after=" + later] if later else [])
        slow = rate and rate != "2G"
        codecs = AUTO_FEW if workspace.quick else AUTO if slow else AUTO.replace(",zstd:6,zstd:12", "")
        found.append({"rate": rate, "later": later, "run": workspace.bench(
            "--codecs=" + codecs, "--threads=2", "--write-only", "--cache=keep", "--warmup=0", *how,
            source, "null:", rounds=2 if slow else workspace.rounds)})
        os.unlink(source)
    return found


def measure(workspace):
    core = workspace.real_core(TIMES_MOST + 1)
    found = {"captures": captures(workspace, core), "disks": disks(workspace), "copies": copies(workspace, core),
             "one_thread": one_thread(workspace, core), "start": start(workspace), "memory": memory(workspace)}
    found["auto"] = auto(workspace, core)
    return found
