#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""walks.py BUILD: the functions and files of src/ that a page passes on its way.

BUILD is a build directory that was configured with CFLAGS='-g -O0', so that no function is inlined, and in
which the tests were built.  Each command runs once under valgrind, which lists the functions that were
called; those of libraries do not count.  The figures are those of one core and of the serial engine: they
compare two versions of the source, not two machines.
"""
import os
import re
import subprocess
import sys
import tempfile

CAPTURE, JOIN, WORK = "serial_run", "njoin_join", "work"

# What is walked, the command, and the functions in which calls are counted; none: all but CAPTURE.
WALKS = (
    ("a plain page to a member", "nsplit -q --serial -c kinds plain", [CAPTURE]),
    ("the same with -d 31", "nsplit -q --serial -c -d31 kinds layers", [CAPTURE]),
    ("a plain page to a kdump file", "njoin -q -j1 --format=kdump -o a plain", [JOIN, WORK]),
    ("the same of a set with layers", "njoin -q -j1 --format=kdump -o b layers", [JOIN, WORK]),
    ("-d 31 from main() to the engine", "nsplit -q --serial -c -d31 kinds again", []),
)


def called(build, command, within):
    """The (file, function) pairs of src/ that were called."""
    program, *arguments = command.split()
    toggles = ["--toggle-collect=" + name for name in within]
    subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=calls", *toggles,
                    os.path.join(build, program), *arguments], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    names, found, file = {}, set(), None
    with open("calls") as f:
        for line in f:
            # A number stands for a name that was given before.
            match = re.match(r"(fl|fi|fe|fn|cfi|cfl|cfn)=\((\d+)\)(?: (.*))?$", line)
            if not match:
                continue
            kind, number, name = match.groups()
            key = (kind.endswith("fn"), number)
            if name:
                names[key] = name
            if kind == "fl":
                file = names[key]
            elif kind == "fn" and "/src/" in file:
                found.add((file.split("/src/", 1)[1], re.sub(r"'\d+$", "", names[key])))
    return found


def print_row(what, found):
    print("| %s | %d | %d |" % (what, len(found), len({file for file, _ in found})))


def main():
    build = os.path.abspath(sys.argv[1])
    print("| walk | functions | files |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        subprocess.run([os.path.join(build, "tests/unit/make_kinds_core")], check=True,
                       stdout=subprocess.DEVNULL)
        together = {}
        for what, command, within in WALKS:
            found = called(build, command, within)
            if not within:
                found -= together[CAPTURE]
            print_row(what, found)
            if within:
                together.setdefault(within[0], set()).update(found)
        print_row("both captures together", together[CAPTURE])
        print_row("both dumps together", together[JOIN])


main()
