# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the sets and dumps of a catalogue to the table in its README, or prints what the table should say.

    python3 vectors.py README RECIPES DIRECTORY [--print]

DIRECTORY holds what cook made of RECIPES: DIRECTORY/NAME/m0..., source, kind, and the map of a dump.
"""

import os
import re
import struct
import subprocess
import sys

UNIT = 4096
WAYS = (["-o", "new"], ["--verify"], ["--salvage", "-o", "new"])
DUMP_WAYS = (["--format=elf", "-o", "new"], ["--verify"])


def contents(name):
    with open(name, "rb") as file:
        return file.read()


def njoin(way, members, stdin):
    """Exit status and standard error, without the program's name; lines joined as in the table."""
    if os.path.exists("new"):
        os.remove("new")
    with open(stdin or os.devnull, "rb") as given:
        done = subprocess.run(["njoin", "-q", "-j1", *way, *members], stdin=given, timeout=300,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.stdout:
        raise SystemExit(f"FAIL: {members}: standard output: {done.stdout}")
    lines = done.stderr.decode("ascii").splitlines()
    if any(not line.startswith("njoin: ") for line in lines):
        raise SystemExit(f"FAIL: {members}: {lines}")
    return done.returncode, "<br>".join(line[len("njoin: "):] for line in lines)


def pages_of(core):
    """The pages of an ELF core, by their numbers."""
    at, = struct.unpack_from("<Q", core, 32)
    count, = struct.unpack_from("<H", core, 56)
    for i in range(count):
        kind, _, offset, _, physical, size = struct.unpack_from("<IIQQQQ", core, at + 56 * i)
        if kind == 1:
            yield from ((physical // UNIT + k, core[offset + k * UNIT:offset + (k + 1) * UNIT])
                        for k in range(size // UNIT))


def is_core_of(core, source, frames, messages):
    """Each page of the map is there, or is said to be missing; no other one is."""
    if "pages may be in the places of others" in messages:
        return True
    missing = set()
    for start, end in re.findall(r"missing: physical 0x([0-9a-f]+) to 0x([0-9a-f]+)", messages):
        missing.update(range(int(start, 16) // UNIT, int(end, 16) // UNIT + 1))
    pages = dict(pages_of(core))
    kept = {number for number, letter in enumerate(frames) if letter not in ".-"}
    return (kept - missing <= set(pages) <= kept | missing and
            all(pages[n] == source[n * UNIT:(n + 1) * UNIT] for n in kept - missing))


def has_registers(dump):
    """Its notes are known to be there: not before version 4, and not if it is flattened."""
    return dump[:8] == b"KDUMP   " and dump[8] >= 4


def read_dump(directory):
    """What the table says of a dump, and what is wrong with the core that is made of it."""
    os.chdir(directory)
    files = sorted(name for name in os.listdir(".") if re.fullmatch(r"m\d", name))
    results = [njoin(way, files, None) for way in DUMP_WAYS[::-1]][::-1]
    status, said = results[0]
    wrong = None
    if os.path.exists("new") != (status in (0, 3)):
        wrong = "a file is left, or none is"
    elif status == 0 and has_registers(contents("m0")) and b"\0CORE\0" not in contents("new")[:UNIT * 4]:
        wrong = "no registers"
    elif status in (0, 3) and not is_core_of(contents("new"), contents("source"), contents("map").decode("ascii"), said):
        wrong = "wrong pages"
    os.chdir("..")
    return ["/".join(str(status) for status, _ in results), said or "-"], wrong


def read_set(directory):
    """What the table says of a set, and what is wrong with the bytes that were put back."""
    if contents(os.path.join(directory, "kind")) == b"dump":
        return read_dump(directory)
    os.chdir(directory)
    piped = contents("kind") == b"pipe"
    members = sorted(name for name in os.listdir(".") if re.fullmatch(r"m\d", name))
    source, results, wrong = contents("source"), [], None
    known = size_is_known(members, len(source), piped)
    for way in WAYS:
        results.append(njoin(way, ["-"] if piped else members, members[0] if piped else None))
        status = results[-1][0]
        written = "-o" in way and status in (0, 3)
        if os.path.exists("new") != written:
            wrong = f"{way}: a file is left, or none is"
        elif written and not is_right(contents("new"), source, known or status == 0,
                                          results[-1][1]):
            wrong = f"{way}: wrong bytes"
    statuses = "/".join(str(status) for status, _ in results)
    os.chdir("..")
    return [statuses, results[0][1] or "-", results[2][1] or "-"], wrong


def size_is_known(members, length, piped):
    """Does a superblock or footer say how long the source is?  A stream's footer may lie behind
    damage that it cannot be read past."""
    for name in members:
        data = contents(name)
        for at in (0,) if piped else (0, max(0, len(data) - UNIT)):
            unit = data[at:at + UNIT]
            if (len(unit) == UNIT and unit[:8] in (b"nsplitSB", b"nsplitFT") and
                    struct.unpack_from("<Q", unit, 56)[0] == length):
                return True
    return False


def is_right(got, source, known, messages):
    """The source, but for zeros in the ranges that are said to be missing; and as long as it,
    if that can be known."""
    want = bytearray(source)
    for start, end in re.findall(r"missing: bytes (\d+) to (\d+)", messages):
        want[int(start):int(end) + 1] = bytes(int(end) + 1 - int(start))
    return got == want if known else got == want[:len(got)].ljust(len(got), b"\0")


def read_table(name):
    rows = {}
    for line in contents(name).decode("ascii").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.match(r"\| (good|bad|unsupported)-", line):
            rows[cells[0]] = cells[1:]
    return rows


def not_in_this_build(recipes):
    """The sets with a codec that was left out."""
    said = subprocess.run(["nsplit", "--list-codecs"], check=True, stdout=subprocess.PIPE, encoding="ascii").stdout
    codecs = {line.split()[0] for line in said.splitlines()}
    return {name for name, codec in re.findall(r"^\w+ (\S+) .*?codec=(\w+)", recipes, re.MULTILINE) if codec not in codecs}


def verdict_of(name, statuses):
    """What the first word of a name promises."""
    if name.startswith("good-dump-"):
        return statuses == "0/0"
    if statuses in ("1/1", "2/2", "3/3"):
        return True
    join, verify, salvage = statuses.split("/")
    if name.startswith("good-but-"):
        return statuses == "3/3/3"
    if name.startswith("good-damaged-"):
        return statuses == "0/1/3"
    if name.startswith("good-"):
        return statuses in ("0/0/0", "0/0/3")
    return join == verify == "1" and salvage in "13"


def main():
    rows, recipes, directory = read_table(os.path.abspath(sys.argv[1])), contents(sys.argv[2]).decode("ascii"), sys.argv[3]
    printing = sys.argv[4:] == ["--print"]
    os.chdir(directory)
    names = sorted(os.listdir("."))
    bad = 0
    for name in names:
        got, wrong = read_set(name)
        what, *want = rows.get(name, ["?", "", "", ""])
        if printing:
            print(f"| {name} | {what} | {' | '.join(got)} |")
            continue
        if got != want or wrong or not verdict_of(name, got[0]):
            bad += 1
            print(f"FAIL: {name}: {wrong or ''}\n got  {got}\n want {want}")
    left_out = set(rows) - set(names)
    if not printing:
        print(f"{len(names)} sets as the table says, {bad} not; {len(left_out)} not in this build")
        for name in left_out - not_in_this_build(recipes):
            print(f"FAIL: {name}: is in the table and was not made")
            bad += 1
    return bad != 0


sys.exit(main())
