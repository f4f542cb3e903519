# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one case in a directory of its own, and records what nsplit and njoin did and printed."""
import json
import os
import re
import shutil
import subprocess

from peers import Feeder, Reader
from schedule import PIPES, STREAM

NSPLIT_SECONDS = 20
NJOIN_SECONDS = 60
FOOTER_UNIT = 4096
FOOTER_MAGIC = b"nsplitFT"
FLAGS, MARK = 496, 2            # doc/format.md, section 9
TIMED_OUT = "timeout"
CHANGE = "change"               # of the source
LOCK_HELD = "lock held:"

# A sanitizer's library refuses to run if another one is preloaded before it, which does no harm
# here: the hooks call it in any case.  Its findings get an exit status of their own.
SANITIZERS = {
    "ASAN_OPTIONS": "verify_asan_link_order=0:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "exitcode=99",
}

RANGE = re.compile(r"(?:nsplit|njoin): (missing|unreadable|unreadable when captured): "
                   r"bytes (\d+) to (\d+)")

# As size_format() writes sizes.
UNITS = ("B", "KiB", "MiB", "GiB")
TOTAL = re.compile(r"^nsplit: missing: ([\d.]+) (B|KiB|MiB|GiB) in total; complete layers", re.M)

LEAST = re.compile(r"at least (\d+) bytes$", re.M)


class Result:
    """The exit status and standard error of a program."""

    def __init__(self, status, err):
        self.status = status
        self.err = err

    def ranges(self, kind):
        """The ranges that it reported as missing or unreadable: (first byte, byte after)."""
        return [(int(m[2]), int(m[3]) + 1) for m in RANGE.finditer(self.err)
                if m[1].split()[0] == kind]

    def missing_total(self):
        """The bytes that it reported as missing, rounded; None: it did not."""
        m = TOTAL.search(self.err)
        return float(m[1]) * 1024 ** UNITS.index(m[2]) if m else None


class Fault:
    """A line of the injector's log."""

    def __init__(self, line):
        words = line.split()
        self.call, self.name, self.what = words[:3]
        self.nth, self.offset, self.length = int(words[4]), int(words[6]), int(words[8])

    def kind(self):
        return self.call + " " + self.what.split("=")[0]


def run(argv, seconds, stdin=None, stdout=None, environment=None):
    """Runs a program until standard output and standard error are closed: nsplit is two
    processes, of which the second may end a little later than the first."""
    with subprocess.Popen(argv, stdin=stdin or subprocess.DEVNULL,
                          stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment) as program:
        try:
            out, err = program.communicate(timeout=seconds)
            status = program.returncode
        except subprocess.TimeoutExpired:
            program.kill()
            out, err = program.communicate()
            status = TIMED_OUT
    return Result(status, err.decode(errors="replace")), out or b""


class Trial:
    """Runs a case, then reads the files that it left."""

    def __init__(self, case, programs, inject, codecs):
        self.case = case
        self.programs = programs
        self.inject = inject
        self.locks = []         # messages about locks held during calls that can block
        self.join_faults = []   # see join.py
        self.njoin = None       # its messages then
        self.environment = dict(os.environ, LC_ALL="C", **SANITIZERS)
        self.make()
        self.capture(codecs)
        self.look()

    def program(self, name):
        return os.path.join(self.programs, name)

    def make(self):
        case = self.case
        if case.layers:
            self.make_layers(case.layers)
            self.core = case.layers.expected()
        else:
            run([self.program("mkfakevmcore"), "--size=%d" % max(case.size, 8192),
                 "--seed=%d" % case.seed, "--pattern=" + case.pattern, "core"], NJOIN_SECONDS)
            with open("core", "rb") as f:
                self.core = f.read()
        for i in range(case.outputs):
            os.mkdir("d%d" % i)
        if case.existing is not None:
            with open(case.name(case.existing), "wb") as f:
                f.write(b"\xa5" * 300000)

    def make_layers(self, layers):
        if not layers.change:
            os.link(layers.path, "core")
            return
        shutil.copyfile(layers.path, "core")
        with open("change", "w") as f:
            f.write("\n".join(layers.change.lines) + "\n")

    def inject_into(self, program, arguments, rules, seconds, **streams):
        """Runs a program whose calls fail as the rules say; returns its messages, its output, and
        the faults that occurred.  Records locks that were held during calls that can block."""
        if os.path.exists("log"):
            os.remove("log")
        environment = dict(self.environment, LD_PRELOAD=self.inject, INJECT=" ".join(rules),
                           INJECT_LOG="log", INJECT_ALONE="yes", INJECT_CHANGE="change")
        result, out = run([self.program(program)] + arguments, seconds,
                        environment=environment, **streams)
        with open("log") as f:
            lines = f.read().splitlines()
        if lines[:1] != ["ready"]:
            raise RuntimeError("%s ignores the preloaded library" % program)
        locks = [line for line in lines[1:] if line.startswith(LOCK_HELD)]
        self.locks += [program + ": " + line for line in locks]
        return result, out, [Fault(line) for line in lines[1:] if line not in locks]

    def capture(self, codecs):
        case = self.case
        stdin = stdout = feeder = None
        self.readers = {i: Reader(case.operand(i), case.name(i),
                                  case.leaves_after if kind == "pipe that breaks" else None,
                                  kind == "slow pipe")
                        for i, kind in enumerate(case.kinds) if kind in PIPES}
        if case.feed is not None:
            self.core = self.core[:case.feed]
            feeder = Feeder(self.core)
            stdin = feeder.source
        elif case.source == STREAM:
            stdin = open("core", "rb")
        if case.standard is not None:
            stdout = open(case.name(case.standard), "wb")
        try:
            self.nsplit, _, self.faults = self.inject_into(
                "nsplit", self.memory_limit(codecs) + case.arguments(codecs), case.rules,
                NSPLIT_SECONDS, stdin=stdin, stdout=stdout)
        finally:
            for end in [feeder] + list(self.readers.values()):
                if end:
                    end.finish()
            for f in (stdin, stdout):
                if f:
                    f.close()

    def memory_limit(self, codecs):
        """The smallest limit that nsplit accepts, or a little more."""
        if not self.case.tight or self.case.source == STREAM:
            return []
        result, _ = run([self.program("nsplit"), "--mem-limit=1", "-n"] +
                      self.case.arguments(codecs), NJOIN_SECONDS,
                      environment=self.environment)
        return ["--mem-limit=%d" % (int(LEAST.search(result.err)[1]) + self.case.memory_more)]

    def look(self):
        case = self.case
        # Only a capture that was not killed writes statistics.
        self.stats = None
        if os.path.exists("stats"):
            with open("stats") as f:
                self.stats = json.load(f)
        self.states = [s["state"] for s in self.stats["sinks"]] if self.stats else []
        self.existing = [i for i in range(case.outputs) if os.path.exists(case.name(i))]
        self.usable = [i for i in self.existing if self.states and
                       self.states[i] not in ("failed", "unused")]

    def removable(self, i):
        """nsplit created the file itself, and therefore may remove it."""
        return self.case.kinds[i] == "file" and i != self.case.existing

    def cut(self, i):
        """The reader of this output closed it before its end; nsplit may not have noticed."""
        return i in self.readers and self.readers[i].left

    def closed(self, i):
        with open(self.case.name(i), "rb") as f:
            size = f.seek(0, os.SEEK_END)
            f.seek(max(0, size - FOOTER_UNIT))
            footer = f.read(FOOTER_UNIT)
        is_mark = footer[FLAGS:FLAGS + 1] == bytes([MARK])
        return footer[:len(FOOTER_MAGIC)] == FOOTER_MAGIC and not is_mark

    def join(self, members, *options):
        """Runs njoin without faults; returns its messages and the copy (None if it made none)."""
        result, copy, _ = self.join_with([], members, list(options))
        return result, copy

    def join_with(self, rules, members, options, to_stream=False):
        """Runs njoin with faults; also returns the faults that occurred."""
        target = "stream" if to_stream else "copy"
        if os.path.exists(target):
            os.remove(target)
        stdout = open(target, "wb") if to_stream else None
        result, _, faults = self.inject_into(
            "njoin", ["-q", "--zero-left-out", "-o", "-" if to_stream else target] + options +
            [self.case.name(i) for i in members], rules, NJOIN_SECONDS, stdout=stdout)
        if stdout:
            stdout.close()
        if not os.path.exists(target):
            return result, None, faults
        with open(target, "rb") as f:
            self.copied = f.read()
        return result, self.comparable(self.copied), faults

    def comparable(self, copy):
        """What cannot be read of the memory map, or if there is too little memory, is kept."""
        layers, changed = self.case.layers, any(f.what == CHANGE for f in self.faults)
        if not layers:
            return copy
        if changed:
            copy = layers.without_change(copy)
        if not (changed or self.case.tight or any(f.name == "core" for f in self.faults)):
            return copy
        return layers.without_kept(copy)

    def info(self, members):
        result, out, _ = self.inject_into("njoin", ["--info", "--json"] +
                                        [self.case.name(i) for i in members], [],
                                        NJOIN_SECONDS)
        return result, json.loads(out) if out else None


def in_directory(path, work):
    """Runs work() in a new directory, which is removed afterwards."""
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    back = os.getcwd()
    os.chdir(path)
    try:
        return work()
    finally:
        os.chdir(back)
        shutil.rmtree(path, ignore_errors=True)
