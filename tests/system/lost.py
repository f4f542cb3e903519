# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of which one or two outputs are on a file system that fails in the middle.

A seed determines the file system, how it fails and when, the source, and the capture.  nsplit makes up
for the lost outputs, or says that something is missing.  Then njoin is given all members, first while
the file system is still broken, and again after it was mounted once more.  If nsplit has ended with
status 0, so does njoin in all its modes, and restores the source; otherwise --verify fails.
"""
import argparse
import fcntl
import os
import random
import shutil
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))

from checks import need                             # noqa: E402
from layers import Source                           # noqa: E402
from running import SECONDS, Capture                # noqa: E402
from trial import run                               # noqa: E402

GOING_DOWN = 0x8004587d         # _IOR('X', 125, u32), EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN
NO_LOG_FLUSH = 2
LOOP_SET_CAPACITY = 0x4c07
SIZES = {"ext4": "96M", "xfs": "320M", "btrfs": "160M"}
LOST = "lost"


def shut_down(_):
    directory = os.open(LOST, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.ioctl(directory, GOING_DOWN, struct.pack("I", NO_LOG_FLUSH))
    finally:
        os.close(directory)


def find_error(device):
    """With errors=remount-ro, the file system becomes read-only."""
    with open("/sys/fs/ext4/%s/trigger_fs_error" % os.path.basename(device), "w") as f:
        f.write("x")


def cut_disk(device):
    """The loop device has no more blocks, so each access fails."""
    os.truncate("image", 0)
    # Until then, writes would make the file longer again, so that only earlier ones were lost.
    loop = os.open(device, os.O_RDONLY)
    try:
        fcntl.ioctl(loop, LOOP_SET_CAPACITY)
    finally:
        os.close(loop)


WAYS = {"ext4": (shut_down, find_error), "xfs": (shut_down,), "btrfs": (cut_disk,)}


def kinds_of_systems():
    with open("/proc/filesystems") as f:
        known = [line.split()[-1] for line in f]
    return [kind for kind in SIZES if kind in known and shutil.which("mkfs." + kind)]


def is_mounted():
    """Without a look at the file system, which may be broken."""
    place = os.path.realpath(LOST).encode()
    with open("/proc/self/mountinfo", "rb") as f:
        return any(line.split()[4] == place for line in f)


class Disk:
    """A file system in a file."""

    def __init__(self, kind):
        self.kind = kind
        # A new file, since a loop device may still use the last one.
        if os.path.exists("image"):
            os.remove("image")
        with open("image", "wb") as f:
            f.truncate(int(SIZES[kind][:-1]) << 20)
        run(["mkfs." + kind, "-q"] + (["-F", "-m0"] if kind == "ext4" else ["-f"]) + ["image"], SECONDS)
        need(self.mount(), "no %s can be mounted", kind)

    def mount(self):
        options = "loop,errors=remount-ro" if self.kind == "ext4" else "loop"
        mounted = subprocess.run(["mount", "-t", self.kind, "-o", options, "image", LOST],
                                 stderr=subprocess.PIPE)
        if mounted.returncode:
            return False
        self.device = subprocess.run(["findmnt", "-no", "SOURCE", LOST], stdout=subprocess.PIPE,
                                     check=True).stdout.decode().strip()
        return True

    def unmount(self):
        end = time.monotonic() + SECONDS
        while is_mounted():
            need(time.monotonic() < end, "%s stays in use", LOST)
            if subprocess.run(["umount", LOST], stderr=subprocess.DEVNULL).returncode:
                time.sleep(0.05)


class LostCapture(Capture):
    def __init__(self, rng, options, source):
        outputs = rng.randrange(2, 5)
        super().__init__(options.programs, outputs, False)
        lost = 1 if outputs == 2 else rng.randrange(1, 3)
        for i in range(lost):
            self.names[i] = os.path.join(LOST, self.names[i])
        rng.shuffle(self.names)
        self.inject = options.inject
        codec = rng.choice(("raw", "lzo", "lz4", "zstd", "snappy"))
        self.options = ["-q", "--no-config", "--compress=" + codec,
                        "--chunksize=%dK" % rng.choice((64, 128, 256)),
                        rng.choice(("--serial", "-j1", "-j2")),
                        "--direct=" + rng.choice(("auto", "never"))]
        self.source = source.paths[rng.choice(("kinds", "doubted"))]
        if rng.random() < 0.6:
            self.options.append("-d%d" % rng.choice((31, 24, 16)))
        # Slowly, so that the loss finds it between any two steps.
        self.rules = ["pwrite:%s:1-:slow=%d" % (os.path.basename(n), rng.choice((1, 2)))
                      for n in self.names]

    def run(self, at, lose):
        """Loses the file system when the members have so many bytes, or at the end.  Returns the status."""
        environment = dict(os.environ, LD_PRELOAD=self.inject, INJECT=" ".join(self.rules),
                           ASAN_OPTIONS="verify_asan_link_order=0")
        with open("said", "wb") as said:
            nsplit = self.start(stderr=said, env=environment)
        while not nsplit.ended() and self.written() < at:
            pass
        if not nsplit.ended():
            lose()
        return nsplit.wait()


def njoin(capture, words):
    words = [capture.program("njoin"), "-q"] + words + capture.names
    with open("joined.said", "wb") as said:
        return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=said,
                              timeout=SECONDS).returncode


def judge(capture, status, expected):
    said = open("said", "rb").read().decode()
    verified = njoin(capture, ["--verify"])
    if status != 0:
        need(verified != 0, "nsplit ended with status %s, njoin --verify with 0: %s", status, said)
        return
    words = [["--verify"], ["--zero-left-out", "--overwrite-dumps", "-o", "joined"], ["--info"], ["--list"],
             ["--format=kdump", "--overwrite-dumps", "-o", "joined.kdump"]]
    for mode in words:
        got = njoin(capture, mode)
        need(got == 0, "nsplit ended with status 0, njoin %s with %s: %s%s", " ".join(mode), got, said,
             open("joined.said", "rb").read().decode())
    with open("joined", "rb") as f:
        need(f.read() == expected, "njoin restores something else: %s", said)


def undisturbed(capture):
    """What njoin restores if nothing is lost, and the bytes that it takes."""
    need(capture.run(1 << 62, None) == 0, "status is not 0, although nothing was lost")
    need(njoin(capture, ["--zero-left-out", "--overwrite-dumps", "-o", "joined"]) == 0, "not joined, although nothing was lost")
    with open("joined", "rb") as f:
        return f.read(), capture.written()


def noticed(capture):
    """Did nsplit give up all outputs there?  What was safe before may be unreadable until it is mounted again."""
    with open("said") as f:
        said = f.read()
    return all("%s: " % name in said for name in capture.names if name.startswith(LOST))


def one_case(rng, options, source, kinds):
    kind = rng.choice(kinds)
    way = rng.choice(WAYS[kind])
    capture = LostCapture(rng, options, source)
    what = "%s, %s, %s" % (kind, way.__name__, capture)
    disk = Disk(kind)
    try:
        expected, size = undisturbed(capture)
        # The members of that capture must not come back with the journal.
        for name in capture.there():
            os.remove(name)
        os.sync()
        status = capture.run(rng.random() * size, lambda: way(disk.device))
        need(status in (0, 1, 3), "%s: status %s", what, status)
        if noticed(capture):
            judge(capture, status, expected)
        disk.unmount()
        if disk.mount():
            judge(capture, status, expected)
    except Exception:
        print("wrong: " + what, file=sys.stderr)
        raise
    finally:
        disk.unmount()
    return status


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--inject", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("cases", type=int)
    options = parser.parse_args()
    kinds = kinds_of_systems()
    source = Source(options.programs, "sources")
    statuses = {}
    for i in range(options.cases):
        rng = random.Random("%d %d" % (options.seed, i))
        try:
            status = one_case(rng, options, source, kinds)
        except Exception as e:
            sys.exit("case %d of seed %d: %s" % (i, options.seed, e))
        statuses[status] = statuses.get(status, 0) + 1
    print("%d captures with a lost file system (%s), nsplit's status: %s; 0 wrong" %
          (options.cases, ", ".join(kinds),
           ", ".join("%d of %d" % (statuses[s], s) for s in sorted(statuses))))


main()
