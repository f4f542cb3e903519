# SPDX-License-Identifier: GPL-2.0-or-later
"""What the measurements share: programs run, disks made, all taken away at the end."""
import contextlib
import functools
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

MIB = 1 << 20
ROOM = 3 << 30          # the most that a part takes: sources, zram devices or disks, and members
NEAR = 0.1              # of the fastest round
PATIENCE = 30           # seconds for all rounds of one command that does not settle,
MORE = 10               # and times as many rounds as were asked for


class Missing(Exception):
    """This machine lacks what a measurement needs; the report says so."""


def need(condition, why, *words):
    if not condition:
        raise Missing(why % words if words else why)


def free(path):
    disk = os.statvfs(path)
    return disk.f_bavail * disk.f_frsize


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read().strip()


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


class Place(contextlib.ExitStack):
    """Where measuring is done: programs, a directory in memory, and what is to be undone.

    commands: what was run, once each, as a reader would type it.
    """

    def __init__(self, programs, quick, rounds):
        super().__init__()
        self.quick = quick
        self.rounds = 1 if quick else rounds
        self.programs = os.path.abspath(programs)
        self.memory = self.enter_context(
            tempfile.TemporaryDirectory(prefix="nsplit-measure.", dir="/dev/shm"))
        self.commands = []
        need(quick or free(self.memory) >= ROOM,
             "it needs %d MiB of room in /dev/shm", ROOM // MIB)

    def path(self, name):
        return os.path.join(self.memory, name)

    def program(self, name):
        return os.path.join(self.programs, name)

    def shown(self, words):
        """A command as a reader would type it."""
        text = " ".join(words).replace(self.programs + "/", "")
        return re.sub("/var/tmp/nsplit-measure[^/]*/", "", text.replace(self.memory + "/", ""))

    def note(self, words):
        if self.shown(words) not in self.commands:
            self.commands.append(self.shown(words))

    def run(self, *words):
        self.note(words)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def bench(self, *words, before=None, rounds=None):
        """nsplit-bench, and what it reports."""
        how = ["--rounds=%d" % (rounds or self.rounds)]
        if self.quick:
            how += ["--warmup=0", "--sample=1M", "--random-reads=20"]
        words = [self.program("nsplit-bench"), *how, *words]
        self.note(words)
        said = subprocess.run(words + ["-q", "--json"], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, preexec_fn=before)
        return json.loads(said.stdout)

    def real_core(self, times=1):
        """A copy of that of a real kernel, $CORE, with room for so many more; when quick, one that is made."""
        core = os.environ.get("CORE")
        if not core:
            need(self.quick, "it needs the core of a real kernel: make bench CORE=FILE")
            return self.core("core", 8 * MIB)
        need(free(self.memory) > (times + 1) * os.path.getsize(core),
             "it needs %d times the core's size in /dev/shm", times + 1)
        return shutil.copy(core, self.path("core"))

    def core(self, name, size, *options):
        path = self.path(name)
        self.run(self.program("mkfakevmcore"), "--size=%d" % size, *options, path)
        return path


def held_up(seconds):
    """The part of the time in which a thread that only counts was kept from it, by others."""
    start = last = time.perf_counter()
    lost = 0
    while last < start + seconds:
        now = time.perf_counter()
        if now - last > 0.001:
            lost += now - last
        last = now
    return lost / (last - start)


def in_rounds(measures, rounds, warmups=1, enough=None):
    """What each of {name: measure} gives, every other round backwards; None is left out.

    enough(values) says if more rounds than these would tell more; without it, they would not.
    """
    values = {name: [] for name in measures}
    left, i = dict(measures), 0
    while left and i < warmups + MORE * rounds:
        order = list(left.items())
        for name, measure in order[::-1] if i % 2 else order:
            value = measure()
            if i >= warmups and value is not None:
                values[name].append(value)
        i += 1
        if i >= warmups + rounds:
            left = {name: left[name] for name in left if enough and not enough(values[name])}
    return values


def settled(seconds):
    """The fastest three are near each other, or all took so long that waiting for that is no use.

    Others who share a machine only make it slower: three undisturbed rounds say what it can.
    """
    fastest = sorted(seconds)[:3]
    return not seconds or sum(seconds) >= PATIENCE or (
        len(fastest) == 3 and fastest[2] <= (1 + NEAR) * fastest[0])


def timed(name, before, command, failed):
    """Seconds; None, and name noted in failed, if that is a list and it fails."""
    before()
    start = time.monotonic()
    try:
        command()
    except subprocess.CalledProcessError:
        if failed is None:
            raise
        failed.append(name)
        return None
    return time.monotonic() - start


def interleaved(commands, rounds, failed=None):
    """Seconds of each of {name: (before, command)}; what is not settled then is measured on."""
    return in_rounds({name: functools.partial(timed, name, before, command, failed)
                      for name, (before, command) in commands.items()}, rounds,
                     enough=settled if rounds > 1 else None)


def summary(values):
    middle = statistics.median(values)
    found = {"median": middle, "least": min(values), "most": max(values), "rounds": values}
    if len(values) > 1:
        found["spread"] = (max(values) - min(values)) / middle
    return found


class Zram:
    """A zram device with one of the kernel's algorithms."""

    def __init__(self, place, algorithm, size):
        need(os.geteuid() == 0, "a zram device needs root")
        if not os.path.exists("/sys/class/zram-control"):
            subprocess.run(["modprobe", "-q", "zram"], check=False)
        need(os.path.exists("/sys/class/zram-control/hot_add"), "this kernel has no zram")
        self.place = place
        self.number = read("/sys/class/zram-control/hot_add")
        place.callback(write, "/sys/class/zram-control/hot_remove", self.number)
        self.sys = "/sys/block/zram%s/" % self.number
        self.device = "/dev/zram%s" % self.number
        offered = read(self.sys + "comp_algorithm").replace("[", "").replace("]", "").split()
        need(algorithm in offered, "the kernel here has no %s for zram", algorithm)
        self.algorithm, self.size = algorithm, size
        self.set_up()
        place.commands.append("echo %s > %scomp_algorithm; echo %d > %sdisksize" %
                              (algorithm, self.sys, size, self.sys))
        if not os.path.exists(self.device):
            major, minor = map(int, read(self.sys + "dev").split(":"))
            os.mknod(self.device, 0o60600, os.makedev(major, minor))
            place.callback(os.unlink, self.device)

    def set_up(self):
        write(self.sys + "comp_algorithm", self.algorithm)
        write(self.sys + "disksize", str(self.size))

    def empty(self):
        """As it was, without what was written."""
        write(self.sys + "reset", "1")
        self.set_up()

    def fill(self, core):
        self.place.run("dd", "if=" + core, "of=" + self.device, "bs=1M", "oflag=direct",
                       "conv=notrunc")

    def read_all(self):
        self.place.run("dd", "if=" + self.device, "of=/dev/null", "bs=1M", "iflag=direct")

    def ratios(self):
        """Of the compressed pages, and of the memory that they take."""
        before, packed, memory = (int(n) for n in read(self.sys + "mm_stat").split()[:3])
        need(memory, "zram has stored nothing")
        return {"ratio": before / packed if packed else None, "memory_ratio": before / memory}


class Disks:
    """Loop devices in memory, each of which takes so many bytes a second."""

    def __init__(self, place, count, size, rate):
        need(os.geteuid() == 0, "loop devices need root")
        self.devices = []
        self.cgroup = self.limited_by = None
        for i in range(count):
            image = place.path("disk%d" % i)
            with open(image, "wb") as file:
                file.truncate(size)
            said = subprocess.run(["losetup", "-f", "--show", image], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, encoding="ascii", check=False)
            need(said.returncode == 0, "no loop device is left")
            device = said.stdout.strip()
            place.callback(subprocess.run, ["losetup", "-d", device], check=False)
            self.devices.append(device)
        self.limit(place, rate)
        place.commands.append("# each of %d loop devices in memory is limited to %d bytes a second by "
                              "%s" % (count, rate, self.limited_by))

    def limit(self, place, rate):
        numbers = [read("/sys/block/%s/dev" % os.path.basename(d)) for d in self.devices]
        base = "/sys/fs/cgroup"
        if os.path.exists(base + "/blkio/blkio.throttle.write_bps_device"):
            self.limited_by = "blkio.throttle.write_bps_device"
            self.make_cgroup(place, base + "/blkio")
            for number in numbers:
                write(self.cgroup + "/blkio.throttle.write_bps_device", "%s %d" % (number, rate))
            return
        need(os.path.exists(base + "/cgroup.controllers") and
             "io" in read(base + "/cgroup.subtree_control").split(),
             "no cgroup here limits disks (v1 with blkio, or v2 with io in subtree_control)")
        self.limited_by = "io.max"
        self.make_cgroup(place, base)
        for number in numbers:
            write(self.cgroup + "/io.max", "%s wbps=%d" % (number, rate))

    def make_cgroup(self, place, parent):
        self.cgroup = "%s/nsplit-measure.%d" % (parent, os.getpid())
        os.mkdir(self.cgroup)
        place.callback(os.rmdir, self.cgroup)

    def enter(self):
        """To be called in a child before it becomes the command."""
        write(self.cgroup + "/cgroup.procs", str(os.getpid()))
