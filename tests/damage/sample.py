# SPDX-License-Identifier: GPL-2.0-or-later
"""Flips single bits and runs the program njoin: python3 sample.py COUNT SEED SET...

Runs in a directory of its own.  Each SET is a directory with members m0, m1... and their source.
Exit status 1 if a result is wrong."""

import os
import random
import re
import shutil
import struct
import subprocess
import sys

UNIT = 4096
LOCATION = re.compile(r"njoin: (m\d+|standard input): .*byte \d+")


def njoin(arguments, stdin=None):
    """Exit status and the lines of standard error."""
    if os.path.exists("new"):
        os.remove("new")
    with open(stdin or os.devnull, "rb") as given:
        done = subprocess.run(["njoin", "-q", *arguments], stdin=given, timeout=300, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stderr.decode("ascii", "replace").splitlines()


def contents(name):
    with open(name, "rb") as file:
        return file.read()


def missing_ranges(lines):
    """The ranges that are reported as missing."""
    for line in lines:
        match = re.match(r"njoin: missing: bytes (\d+) to (\d+) \(.*\)$", line)
        if match:
            yield int(match[1]), int(match[2]) + 1


def size_is_known(directory, members, length, stdin):
    """True if an undamaged superblock or footer has the size of the source."""
    for name in [stdin] if stdin else members:
        now, made = contents(name), contents(os.path.join(directory, name))
        for at in (0, len(now) - UNIT):
            unit = now[at:at + UNIT]
            if (unit == made[at:at + UNIT] and unit[:8] in (b"nsplitSB", b"nsplitFT") and
                    struct.unpack_from("<Q", unit, 56)[0] == length):
                return True
    return False


def judge_salvage(lines, source, known):
    """True if the copy is the source with zeros in the reported ranges, and has its length if
    that can be known."""
    want = bytearray(source)
    got = contents("new")
    for start, end in missing_ranges(lines):
        want[start:end] = bytes(end - start)
    return got == want if known else got == want[:len(got)]


def judge(directory, members, source, stdin):
    """A sentence that says what is wrong, or None; and whether the flip was harmless."""
    status, lines = njoin(["--zero-left-out", "-o", "new", *members], stdin)
    kept = os.path.exists("new")
    quiet = all("unreadable when captured" in line for line in lines)
    good = status in (0, 3) and quiet
    if good and contents("new") != source:
        return "success with wrong bytes", good
    if not good and (status != 1 or kept):
        return f"status {status}, or a file is left: {lines}", good
    if not good and not any(LOCATION.match(line) for line in lines):
        return f"no file and offset: {lines}", good
    verified, lines = njoin(["--verify", *members], stdin)
    # --verify reports damage to data of which a join has a duplicate.
    duplicate = good and any(LOCATION.match(line) for line in lines)
    if verified != (1 if duplicate else status):
        return f"verify ends with {verified} and not {status}: {lines}", good
    salvaged, lines = njoin(["--salvage", "-o", "new", *members], stdin)
    # --salvage reports damage that it has read, but does not read duplicates that it does not need.
    reported = any(LOCATION.match(line) for line in lines)
    if salvaged not in ((1, 3) if not good else (3,) if reported else (status,)):
        return f"salvage ends with {salvaged} after {status}: {lines}", good
    if os.path.exists("new") and not judge_salvage(
            lines, source, size_is_known(directory, members, len(source), stdin)):
        return "salvage gives wrong bytes", good
    return None, good


def flip(name, bit):
    with open(name, "r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0]
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))


def main():
    count, seed, sets = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    chance = random.Random(seed)
    harmless = wrong = 0
    for number in range(count):
        directory = sets[number % len(sets)]
        source = contents(os.path.join(directory, "source"))
        members = sorted(name for name in os.listdir(directory) if re.match(r"m\d+$", name))
        for name in members:
            shutil.copy(os.path.join(directory, name), name)
        name = chance.choice(members)
        bit = chance.randrange(os.path.getsize(name) * 8)
        flip(name, bit)
        piped = len(members) == 1 and chance.random() < 0.5
        why, good = judge(directory, ["-"] if piped else members, source, name if piped else None)
        harmless += good
        if why:
            wrong += 1
            print(f"WRONG: {directory} {name} bit {bit}{' as a pipe' if piped else ''}: {why}")
        for name in members:
            os.remove(name)
    print(f"njoin: {count} flips tried, {harmless} harmless, {count - harmless - wrong} found, "
          f"{wrong} wrong")
    return wrong != 0


sys.exit(main())
