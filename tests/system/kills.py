# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills nsplit at moments that a seed determines, and salvages the members.

Some captures that differ in outputs, codec, order, engine and chunk size are each run to their
end once.  Then they are run again and killed, after a share of that time or of the written bytes.
This program finds each complete record in the files without njoin, which must salvage them all.
"""
import argparse
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))

from judge import Wrong, compare, need, pages       # noqa: E402
from running import SECONDS, Capture                # noqa: E402
from trial import run                               # noqa: E402

UNIT = 4096
KILLS_A_CAPTURE = 10


class TimedCapture(Capture):
    """The options of a capture, and the time it takes and the bytes it writes."""

    def __init__(self, rng, programs, codecs):
        self.size = rng.randrange(1 << 20, 6 << 20)
        self.pattern = rng.choice(("random", "mixed", "text"))
        super().__init__(programs, rng.randrange(1, 6), rng.random() < 0.2)
        self.options = ["-q", "--compress=" + rng.choice(codecs),
                        "--chunksize=%dK" % rng.choice((16, 64, 256)),
                        rng.choice(("--serial", "-j1", "-j2", "-j4")),
                        "--direct=" + rng.choice(("auto", "never"))]
        if rng.random() < 0.5:
            self.options.append("--stripe")
        if os.path.exists("core"):
            os.remove("core")
        run([self.program("mkfakevmcore"), "--size=%d" % self.size, "--pattern=" + self.pattern,
             "core"], SECONDS)
        with open("core", "rb") as f:
            self.core = f.read()
        start = time.monotonic()
        status = self.start().wait()
        need(status == 0, "%s: status %s, although it was not killed", self, status)
        self.seconds = time.monotonic() - start
        self.bytes = self.written()

    def __str__(self):
        return "%s, %s of %d bytes" % (super().__str__(), self.pattern, self.size)


def kill_one(capture, rng):
    """Runs a capture and kills it.  If it ends before, tries again with a shorter time."""
    by_bytes = rng.random() < 0.4
    share = rng.random()
    while True:
        nsplit = capture.start()
        end = time.monotonic() + SECONDS
        if by_bytes:
            while (not nsplit.ended() and time.monotonic() < end and
                   capture.written() < share * capture.bytes):
                pass
        else:
            time.sleep(share * capture.seconds)
        nsplit.kill()
        status = nsplit.wait()
        need(time.monotonic() < end, "it hangs")
        if status == -signal.SIGKILL:
            return
        need(status == 0, "status %s", status)
        share *= 0.8


def records(name):
    """(offset, length) in the source of each complete record: doc/format.md, section 12."""
    found, uuid = [], None
    with open(name, "rb") as f:
        data = f.read()
    at = 0
    while at + UNIT <= len(data):
        magic, step = data[at:at + 8], UNIT
        if at == 0:
            need(magic == b"nsplitSB", "%s: begins with %r", name, magic)
            uuid = data[24:40]
        elif magic == b"nsplitRC" and data[at + 8:at + 24] == uuid:
            offset, length = struct.unpack_from("<QI", data, at + 24)
            payload = sum(struct.unpack_from("<II", data, at + 44))
            step = (payload + UNIT - 1) // UNIT * UNIT
            if at + step <= len(data):
                found.append((offset, length))
            else:
                step = UNIT
        elif magic == b"nsplitIX" and data[at + 8:at + 24] == uuid:
            step = struct.unpack_from("<I", data, at + 36)[0]
        at += step
    return found


def holes(found, size):
    """The ranges that no record covers: (first byte, byte after the last)."""
    missing, end = [], 0
    for offset, length in sorted(found):
        if offset > end:
            missing.append((end, offset))
        end = max(end, offset + length)
    return missing + ([(end, size)] if end < size else [])


def salvage(capture):
    """Salvages the members and compares the copy.  Returns the number of complete records."""
    there = capture.there()
    found = [r for name in there for r in records(name)]
    if os.path.exists("copy"):
        os.remove("copy")
    said, _ = run([capture.program("njoin"), "-q", "--salvage", "-o", "copy"] + there, SECONDS)
    if not any(os.stat(name).st_size >= UNIT for name in there):
        need(said.status in (1, 2) and said.err.startswith("njoin: "),
             "there are no members, but njoin: status %s: %s", said.status, said.err)
        need(not os.path.exists("copy"), "there are no members, but njoin wrote a file")
        return 0
    need(said.status in (0, 3), "njoin --salvage: status %s: %s", said.status, said.err)
    _, out = run([capture.program("njoin"), "--info", "--json", "--salvage"] + there, SECONDS)
    missing = [(m["offset"], m["offset"] + m["length"]) for m in json.loads(out)["missing"]]
    need(missing == holes(found, len(capture.core)),
         "njoin reports %s, but of %d complete records these are missing: %s", missing, len(found),
         holes(found, len(capture.core)))
    need(said.status == 3 or not missing, "status 0, although a range is missing")
    need(said.ranges("missing") == missing[:5], "the missing ranges are not reported: %s",
         said.err)
    with open("copy", "rb") as f:
        copy = f.read()
    need(len(copy) == len(capture.core), "%d bytes", len(copy))
    compare(capture.core, copy, pages(missing), "njoin --salvage")
    return len(found)


def main(argv):
    p = argparse.ArgumentParser(prog="kills.py")
    p.add_argument("--programs", required=True)
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("count", type=int)
    options = p.parse_args(argv)
    listed = subprocess.run([os.path.join(options.programs, "nsplit"), "--list-codecs"],
                            stdout=subprocess.PIPE, check=True).stdout.decode()
    codecs = [line.split()[0] for line in listed.splitlines()]
    print("seed %d" % options.seed)
    rng = random.Random(options.seed)
    right = total = left = 0
    capture = None
    with tempfile.TemporaryDirectory(prefix="nsplit-kills.") as work:
        os.chdir(work)
        for i in range(options.count):
            try:
                if i % KILLS_A_CAPTURE == 0:
                    capture = None
                    capture = TimedCapture(rng, options.programs, codecs)
                need(capture, "there is no capture to kill")
                kill_one(capture, rng)
                found = salvage(capture)
                right += 1
                total += found
                left += found > 0
            except Wrong as e:
                print("kill %d: %s: %s" % (i + 1, capture or "before any", e))
        os.chdir("/")
    print("%d of %d salvaged without a wrong byte; %d records, in %d of them" %
          (right, options.count, total, left) if right == options.count else
          "%d of %d salvaged" % (right, options.count))
    return 0 if right == options.count and (left or options.count < 10) else 1


sys.exit(main(sys.argv[1:]))
