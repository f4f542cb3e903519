# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills captures that leave pages out at moments that a seed determines, half of them during the
first layer, and reads what they left.

Some captures are each run to their end once, so that it is known which layer has which page, and
then again and killed.  In half of the cases, this is a power failure: of each member, any of what
was written after its last confirmed sync is lost as well.  Then njoin is run with and without
--salvage, and once more without one of the members:

- It reads exactly what complete records hold, and nothing that was ever stored looks left out.
- What it says of complete layers is true, and so is what any mark says of all members.
- Without --salvage, members that were not closed are not joined, and a message says which.
"""
import argparse
import collections
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))

from judge import Wrong, need                       # noqa: E402
from layered import (KEPT, LEFT_OUT, MISSING, UNIT, Member, covered_by_layer1,    # noqa: E402
                     layers_of, letters, ranges)
from layers import Source                           # noqa: E402
from running import SECONDS, Capture                # noqa: E402
from trial import run                               # noqa: E402

KILLS_A_CAPTURE = 10
SYNC_MOST = 50          # milliseconds that a sync takes longer
# The captures of these cores at these levels have records of later layers: of doubted, a class that
# is not believed is in layer 4.
SOURCES = (("kinds", 24), ("kinds", 16), ("kinds", 8), ("kinds", 2),
           ("doubted", 31), ("doubted", 24))
# What was done: a kill; the same, and the power fails; after either, one of the members is missing.
KILLED, POWER, LOST = "SIGKILL", "power", "one lost"
COMPLETE = re.compile(r"^njoin: complete: layers up to (\d+)$", re.M)
ABOUT_MEMBER = re.compile(r"^njoin: m\d+: (?!member )(.*)$")
# What differs from kill to kill in what is said.
PLACE = re.compile(r"(?<=bytes )\d+ to \d+| at byte \d+|(?<=in it )\(\d+\)|[0-9a-f-]{36}")


class LayeredCapture(Capture):
    """The options of a capture, and what it writes when it is not killed."""

    def __init__(self, rng, options, codecs, source):
        name, level = rng.choice(SOURCES)
        outputs = rng.randrange(1, 5)
        super().__init__(options.programs, outputs, outputs > 1 and rng.random() < 0.1)
        self.inject = options.inject
        self.core = source.cores[name]
        self.source = source.paths[name]
        self.options = ["-q", "-d%d" % level, "--compress=" + rng.choice(codecs),
                        "--chunksize=%dK" % rng.choice((64, 128, 256)),
                        rng.choice(("--serial", "-j1", "-j2", "-j4")),
                        "--direct=" + rng.choice(("auto", "never"))]
        # Slowly, so that a kill finds it between any two steps.
        self.rules = []
        for n in self.names:
            sync = rng.choice((0, 10, SYNC_MOST))
            self.rules += ["pwrite:%s:1-:slow=%d" % (n, rng.choice((0, 1, 3))),
                           "fsync:%s:1-:note=%d" % (n, sync), "fdatasync:%s:1-:note=%d" % (n, sync)]
        self.look()

    def look(self):
        status = self.start().wait()
        need(status == 0, "status %s, although it was not killed", status)
        members = [Member(name) for name in self.names]
        self.layer_map = self.program("tests/vectors/layer_map")
        self.whole = letters(self.layer_map, self.names, self.source)
        need(set(self.whole) <= {KEPT, LEFT_OUT}, "a page is missing, although it was not killed")
        self.layers = layers_of(members, len(self.whole))
        need(all(bool(layer) == (letter == KEPT) for layer, letter in zip(self.layers, self.whole)),
             "layer_map and the headers of records differ")
        self.layer1_bytes = sum(member.layer1_bytes for member in members)
        self.bytes = self.written()
        need(max(self.layers) > 1, "there are no later layers")

    def start(self):
        if os.path.exists("log"):
            os.remove("log")
        environment = dict(os.environ, LD_PRELOAD=self.inject, INJECT=" ".join(self.rules),
                           INJECT_LOG="log", ASAN_OPTIONS="verify_asan_link_order=0")
        with open("said", "wb") as said:
            return super().start(stderr=said, env=environment)

    def complete(self, wrong):
        """Up to which layer all granules are there, given those that are not."""
        broken = [self.layers[granule] for granule in wrong if self.layers[granule]]
        return min(broken) - 1 if broken else max(self.layers)


def kill_one(capture, rng, later):
    """Runs a capture and kills it during layer 1, or afterwards.  Returns the layer."""
    for _ in range(30):
        # Often just after layer 1, when marks are written.
        marking = later and rng.random() < 0.4
        share = 0 if marking else rng.random()
        first = capture.layer1_bytes
        target = first + share * (capture.bytes - first) if later else share * first
        nsplit = capture.start()
        end = time.monotonic() + SECONDS
        while not nsplit.ended() and time.monotonic() < end and capture.written() < target:
            time.sleep(0.0002)
        if marking:
            time.sleep(rng.random() * 3 * SYNC_MOST / 1000)
        nsplit.kill()
        status = nsplit.wait()
        need(time.monotonic() < end, "it hangs")
        need(status in (0, -signal.SIGKILL), "status %s", status)
        members = [Member(name) for name in capture.there()]
        highest = max([member.highest for member in members] + [1])
        # A kill after all of layer 1 belongs to the time of the marks.  Layer 2 and its mark come before it.
        after = highest > 2 or any(max(member.marks) for member in members if member.marks)
        after |= capture.written() >= first
        if status and after == later and not all(member.closed for member in members):
            return highest
    raise Wrong("no kill came %s layer 1" % ("after" if later else "during"))


def safe_lengths():
    """Of each file, its length at the last sync that was confirmed."""
    safe = collections.Counter()
    if os.path.exists("log"):
        with open("log") as f:
            for line in f:
                words = line.split()
                if words[0] == "synced":
                    safe[words[1]] = int(words[2])
    return safe


def fail_power(capture, rng):
    """Of each file, any of what was written after its last confirmed sync is lost: its end, or units
    of 4096 bytes that become zeros.  A pipe has delivered what it took."""
    safe = safe_lengths()
    for name in capture.there():
        if capture.piped and name == capture.names[-1]:
            continue
        size = os.stat(name).st_size
        if rng.random() < 0.7:
            size = rng.randint(safe[name], size)
            os.truncate(name, size)
        share = rng.choice((0, 0, 0.02, 0.5))
        with open(name, "r+b") as f:
            for at in range((safe[name] + UNIT - 1) // UNIT * UNIT, size - UNIT + 1, UNIT):
                if rng.random() < share:
                    f.seek(at)
                    f.write(bytes(UNIT))


class Found:
    """What njoin finds after a kill."""

    def __init__(self, capture, how, there):
        self.capture, self.how = capture, how
        self.names = [name for name in there if os.stat(name).st_size >= UNIT]
        self.members = [Member(name) for name in self.names]
        self.marks = [max(member.marks) for member in self.members if member.marks]
        self.told, self.told_without = [], []
        self.complete, self.share = 0, 0.0
        self.letters = letters(capture.layer_map, self.names, capture.source) if self.names else ""
        if not self.letters:
            self.nothing(there)
            return
        self.without_salvage(there)
        self.with_salvage(there)

    def join(self, there, *options):
        if os.path.exists("copy"):
            os.remove("copy")
        return self.njoin(there, "-q", "--zero-left-out", "-o", "copy", *options)[0]

    def njoin(self, there, *options):
        return run([self.capture.program("njoin"), *options] + there, SECONDS)

    def sentences(self, err):
        """What is said of members, and of complete layers; without names and places."""
        for line in err.splitlines():
            about = ABOUT_MEMBER.match(line)
            if about or COMPLETE.match(line):
                text = about[1] if about else line[len("njoin: "):]
                yield PLACE.sub(lambda m: "" if m[0][0] == " " else "N", text)

    def nothing(self, there):
        result = self.join(there, "--salvage")
        need(result.status in (1, 2) and result.err.startswith("njoin: "),
             "there is no record, but njoin: status %s: %s", result.status, result.err)
        need(not os.path.exists("copy"), "there is no record, but njoin wrote a file")
        need(not self.marks, "there is a mark, but nothing else")

    def without_salvage(self, there):
        result = self.join(there)
        # If the lost member had nothing, the others may be all there is.
        if self.how == LOST and not result.status and set(self.letters) <= {KEPT, LEFT_OUT}:
            return
        need(result.status == 1 and not os.path.exists("copy"),
             "njoin without --salvage: status %s: %s", result.status, result.err)
        self.told_without = list(self.sentences(result.err))
        need(self.told_without, "njoin without --salvage names no member: %s", result.err)

    def with_salvage(self, there):
        capture, size = self.capture, len(self.capture.core)
        result = self.join(there, "--salvage", "-v")
        need(result.status == (3 if self.told_without else 0), "njoin --salvage: status %s: %s",
             result.status, result.err)
        self.told = list(self.sentences(result.err))
        missing = ranges(self.letters, MISSING, size)
        need(result.ranges("missing") == missing, "njoin --salvage names other missing ranges")
        for granule, letter in enumerate(self.letters):
            need(letter != LEFT_OUT or capture.whole[granule] == LEFT_OUT,
                 "granule %d was stored and looks left out", granule)
        with open("copy", "rb") as f:
            copy = f.read()
        wrong = self.compare(copy)
        self.check_layers(result, wrong, there)
        lost = sum(capture.layers[g] == 1 for g in wrong)
        self.share = 1 - lost / capture.layers.count(1)

    def compare(self, copy):
        """Returns the granules that are not as in the source."""
        core = self.capture.core
        # Without superblock, the last record ends the source.
        need(len(copy) == min(len(core), len(self.letters) * UNIT), "%d bytes", len(copy))
        wrong = list(range(len(self.letters), len(self.capture.whole)))
        for granule, letter in enumerate(self.letters):
            place = slice(granule * UNIT, (granule + 1) * UNIT)
            if letter == KEPT:
                need(copy[place] == core[place], "granule %d is wrong", granule)
            else:
                need(not any(copy[place]), "granule %d is not zeros", granule)
                wrong.append(granule)
        return wrong

    def check_layers(self, result, wrong, there):
        # Where no record says anything, it is not known that nothing was to be stored.
        unknown = set(wrong) - covered_by_layer1(self.members)
        complete = 0 if unknown else self.capture.complete(wrong)
        claim = COMPLETE.search(result.err)
        claimed = int(claim[1]) if claim else 0
        # It is only said if anything is missing.
        need(claimed == (complete if result.ranges("missing") else 0),
             "njoin says that layers up to %d are complete, and %d are", claimed, complete)
        marked = max(self.marks, default=0)
        need(self.how == LOST or marked <= complete,
             "a mark says that layers up to %d are complete, and %d are", marked, complete)
        _, out = self.njoin(there, "--info", "--json", "--salvage")
        # --info does not read payloads.
        told = json.loads(out)["captured"]["layers_complete"]
        need(told == complete or (self.how != KILLED and told > complete),
             "njoin --info: %d layers are complete, and %d are", told, complete)
        self.complete = complete


class Table:
    """What became of the kills, by what happened."""

    COLUMNS = ("killed", "in layer", "members with a mark", "whole by it", "complete", "kills",
               "kernel pages: least", "median")

    def __init__(self):
        self.rows = collections.defaultdict(list)
        self.told, self.told_without = collections.Counter(), collections.Counter()

    def add(self, layer, found):
        marks = "none" if not found.marks else (
            "all" if len(found.marks) == found.capture.outputs else "some")
        key = (found.how, layer, marks, max(found.marks, default=0), found.complete)
        self.rows[key].append(found.share)
        self.told.update(set(found.told))
        self.told_without.update(set(found.told_without))

    def print(self):
        row = "%-8s %8s %20s %12s %9s %6s %20s %8s"
        print(row % self.COLUMNS)
        for key, shares in sorted(self.rows.items()):
            print(row % (key + (len(shares), "%.1f %%" % (100 * min(shares)),
                                "%.1f %%" % (100 * statistics.median(shares)))))
        for title, told in (("njoin", self.told_without), ("njoin --salvage", self.told)):
            print("%s says, after how many kills:" % title)
            for text, count in sorted(told.items()):
                print("%6d  %s" % (count, text))


def parse(argv):
    p = argparse.ArgumentParser(prog="kills_layers.py")
    p.add_argument("--programs", required=True)
    p.add_argument("--inject", required=True)
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("count", type=int)
    return p.parse_args(argv)


def run_all(options, codecs, table):
    """Returns how many kills were right."""
    rng, capture, right = random.Random(options.seed), None, 0
    source = Source(options.programs, "source")
    os.mkdir("set")
    for i in range(options.count):
        try:
            if i % KILLS_A_CAPTURE == 0:
                capture = None
                capture = LayeredCapture(rng, options, codecs, source)
            need(capture, "there is no capture to kill")
            layer = kill_one(capture, rng, later=i % 2 == 1)
            power = i // 2 % 2 == 1
            if power:
                fail_power(capture, rng)
            table.add(layer, Found(capture, POWER if power else KILLED, capture.there()))
            if len(capture.there()) > 1:
                rest = rng.sample(capture.there(), len(capture.there()) - 1)
                table.add(layer, Found(capture, LOST, rest))
            right += 1
        except Wrong as e:
            print("kill %d: %s: %s" % (i + 1, capture or "before any", e))
            sys.stdout.flush()
    return right


def main(argv):
    options = parse(argv)
    listed = subprocess.run([os.path.join(options.programs, "nsplit"), "--list-codecs"],
                            stdout=subprocess.PIPE, check=True).stdout.decode()
    codecs = [line.split()[0] for line in listed.splitlines()]
    print("seed %d" % options.seed)
    table = Table()
    with tempfile.TemporaryDirectory(prefix="nsplit-kills.") as work:
        os.chdir(work)
        right = run_all(options, codecs, table)
        os.chdir("/")
    table.print()
    print("%d of %d right" % (right, options.count))
    return 0 if right == options.count else 1


sys.exit(main(sys.argv[1:]))
