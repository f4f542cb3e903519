# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by the measurements: running programs, creating disks, and removing everything at the end."""
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
SPACE_NEEDED = 3 << 30  # bytes that a part uses at most: sources, zram devices or disks, and members
NEAR = 0.1              # of the fastest round
PATIENCE = 30           # seconds for all rounds of a command whose rounds do not settle,
MORE = 10               # and the limit on its rounds, in multiples of the requested number


class Missing(Exception):
    """This machine lacks something that a measurement needs; the report says so."""


def need(condition, why, *words):
    if not condition:
        raise Missing(why % words if words else why)


def free(path):
    """Bytes of free space."""
    disk = os.statvfs(path)
    return disk.f_bavail * disk.f_frsize


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read().strip()


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


class Workspace(contextlib.ExitStack):
    """What a measurement works with: programs, a directory in memory, and a list of clean-up steps.

    commands: each command that was run, once, as a user would type it.
    """

    def __init__(self, programs, quick, rounds):
        super().__init__()
        self.quick = quick
        self.rounds = 1 if quick else rounds
        self.programs = os.path.abspath(programs)
        self.memory = self.enter_context(
            tempfile.TemporaryDirectory(prefix="nsplit-measure.", dir="/dev/shm"))
        self.commands = []
        need(quick or free(self.memory) >= SPACE_NEEDED,
             "it needs %d MiB of free space in /dev/shm", SPACE_NEEDED // MIB)

    def path(self, name):
        return os.path.join(self.memory, name)

    def program(self, name):
        return os.path.join(self.programs, name)

    def shown(self, words):
        """A command as a user would type it."""
        text = " ".join(words).replace(self.programs + "/", "")
        if os.environ.get("BEFORE"):
            text = text.replace(os.path.abspath(os.environ["BEFORE"]) + "/", "")
        return re.sub("/var/tmp/nsplit-measure[^/]*/", "", text.replace(self.memory + "/", ""))

    def note(self, words):
        if self.shown(words) not in self.commands:
            self.commands.append(self.shown(words))

    def run(self, *words):
        self.note(words)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def bench(self, *words, before=None, rounds=None):
        """Runs nsplit-bench and returns its report."""
        how = ["--rounds=%d" % (rounds or self.rounds)]
        if self.quick:
            how += ["--warmup=0", "--sample=1M"]
        words = [self.program("nsplit-bench"), *how, *words]
        self.note(words)
        said = subprocess.run(words + ["-q", "--json"], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, preexec_fn=before)
        return json.loads(said.stdout)

    def real_core(self, times=1):
        """A copy of $CORE, the core of a real kernel, with free space for more copies; if quick, a generated core."""
        core = os.environ.get("CORE")
        if not core:
            need(self.quick, "it needs the core of a real kernel: make bench CORE=FILE")
            return self.core("core", 8 * MIB)
        need(free(self.memory) > (times + 1) * os.path.getsize(core),
             "it needs %d times the size of the core in /dev/shm", times + 1)
        return shutil.copy(core, self.path("core"))

    def core(self, name, size, *options):
        path = self.path(name)
        self.run(self.program("mkfakevmcore"), "--size=%d" % size, *options, path)
        return path


def held_up(seconds):
    """The share of the time in which a thread that only reads the clock was not running."""
    start = last = time.perf_counter()
    lost = 0
    while last < start + seconds:
        now = time.perf_counter()
        if now - last > 0.001:
            lost += now - last
        last = now
    return lost / (last - start)


def in_rounds(measures, rounds, warmups=1, enough=None):
    """The results of {name: measure} by name, every other round in reverse order; None is left out.

    enough(values) returns False if more rounds are useful; without it, there are none.
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
    """True if the fastest three rounds are near each other, or if all rounds took PATIENCE seconds.

    Other users of a shared machine only make it slower: three undisturbed rounds show its speed.
    """
    fastest = sorted(seconds)[:3]
    return not seconds or sum(seconds) >= PATIENCE or (
        len(fastest) == 3 and fastest[2] <= (1 + NEAR) * fastest[0])


def timed(name, before, command, failed):
    """Seconds; if the command fails and failed is a list: None, and name is appended to the list."""
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
    """Seconds of each of {name: (before, command)}; a command that has not settled gets more rounds."""
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

    def __init__(self, workspace, algorithm, size):
        need(os.geteuid() == 0, "a zram device needs root")
        if not os.path.exists("/sys/class/zram-control"):
            subprocess.run(["modprobe", "-q", "zram"], check=False)
        need(os.path.exists("/sys/class/zram-control/hot_add"), "this kernel has no zram")
        self.workspace = workspace
        self.number = read("/sys/class/zram-control/hot_add")
        workspace.callback(write, "/sys/class/zram-control/hot_remove", self.number)
        self.sys = "/sys/block/zram%s/" % self.number
        self.device = "/dev/zram%s" % self.number
        offered = read(self.sys + "comp_algorithm").replace("[", "").replace("]", "").split()
        need(algorithm in offered, "this kernel has no %s for zram", algorithm)
        self.algorithm, self.size = algorithm, size
        self.set_up()
        workspace.commands.append("echo %s > %scomp_algorithm; echo %d > %sdisksize" %
                                  (algorithm, self.sys, size, self.sys))
        if not os.path.exists(self.device):
            major, minor = map(int, read(self.sys + "dev").split(":"))
            os.mknod(self.device, 0o60600, os.makedev(major, minor))
            workspace.callback(os.unlink, self.device)

    def set_up(self):
        write(self.sys + "comp_algorithm", self.algorithm)
        write(self.sys + "disksize", str(self.size))

    def empty(self):
        """Discards what was written."""
        write(self.sys + "reset", "1")
        self.set_up()

    def fill(self, core):
        self.workspace.run("dd", "if=" + core, "of=" + self.device, "bs=1M", "oflag=direct",
                           "conv=notrunc")

    def read_all(self):
        self.workspace.run("dd", "if=" + self.device, "of=/dev/null", "bs=1M", "iflag=direct")

    def ratios(self):
        """The ratios of the compressed pages, and of the memory that they use."""
        before, packed, memory = (int(n) for n in read(self.sys + "mm_stat").split()[:3])
        need(memory, "zram has stored nothing")
        return {"ratio": before / packed if packed else None, "memory_ratio": before / memory}


class Disks:
    """Loop devices in memory, each limited to a rate in bytes per second."""

    def __init__(self, workspace, count, size, rate):
        need(os.geteuid() == 0, "loop devices need root")
        self.devices = []
        self.cgroup = self.limited_by = None
        for i in range(count):
            image = workspace.path("disk%d" % i)
            with open(image, "wb") as file:
                file.truncate(size)
            said = subprocess.run(["losetup", "-f", "--show", image], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, encoding="ascii", check=False)
            need(said.returncode == 0, "no loop device is available")
            device = said.stdout.strip()
            workspace.callback(subprocess.run, ["losetup", "-d", device], check=False)
            self.devices.append(device)
        self.limit(workspace, rate)
        workspace.commands.append("# each of %d loop devices in memory is limited to %d bytes a second by "
                                  "%s" % (count, rate, self.limited_by))

    def limit(self, workspace, rate):
        numbers = [read("/sys/block/%s/dev" % os.path.basename(d)) for d in self.devices]
        base = "/sys/fs/cgroup"
        if os.path.exists(base + "/blkio/blkio.throttle.write_bps_device"):
            self.limited_by = "blkio.throttle.write_bps_device"
            self.make_cgroup(workspace, base + "/blkio")
            for number in numbers:
                write(self.cgroup + "/blkio.throttle.write_bps_device", "%s %d" % (number, rate))
            return
        need(os.path.exists(base + "/cgroup.controllers") and
             "io" in read(base + "/cgroup.subtree_control").split(),
             "no cgroup can limit disks (v1 with blkio, or v2 with io in subtree_control)")
        self.limited_by = "io.max"
        self.make_cgroup(workspace, base)
        for number in numbers:
            write(self.cgroup + "/io.max", "%s wbps=%d" % (number, rate))

    def make_cgroup(self, workspace, parent):
        self.cgroup = "%s/nsplit-measure.%d" % (parent, os.getpid())
        os.mkdir(self.cgroup)
        workspace.callback(os.rmdir, self.cgroup)

    def enter(self):
        """Called in a child process before it executes the command."""
        write(self.cgroup + "/cgroup.procs", str(os.getpid()))
