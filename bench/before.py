# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures without -d beside those of an earlier version, whose build directory is $BEFORE."""
import filecmp
import functools
import os
import subprocess

from lib import in_rounds, need, summary

CPUS = len(os.sched_getaffinity(0))
UUID = "01234567-89ab-4cde-8f01-23456789abcd"


def members_are_equal(workspace, before, core):
    """Does an earlier version write the same bytes?  With LZO, it had another encoder."""
    names = [workspace.path("out0"), workspace.path("out1")]
    for name, directory in zip(names, (workspace.programs, before)):
        words = [directory + "/nsplit", "-q", "-C", "lz4", "--serial", "--stripe", "--uuid=" + UUID, core, name]
        subprocess.run(words, check=True, stderr=subprocess.DEVNULL, env=dict(os.environ, SOURCE_DATE_EPOCH="0"))
    equal = filecmp.cmp(*names, shallow=False)
    for name in names:
        os.unlink(name)
    return equal


def bench_of(workspace, directory, words):
    """The report of one round of nsplit-bench of a build directory."""
    own, workspace.programs = workspace.programs, directory
    try:
        return workspace.bench(*words, rounds=1)
    finally:
        workspace.programs = own


def compared(workspace, before, words):
    """{codec: {"before", "now": rates, "bytes": of both}}: the rounds of both versions alternate."""
    reports = in_rounds({name: functools.partial(bench_of, workspace, directory, words)
                         for name, directory in (("before", before), ("now", workspace.programs))},
                        workspace.rounds, warmups=0)
    found = {}
    for i, cell in enumerate(reports["now"][0]["cells"]):
        found[cell["codec"]] = {name: summary([r["cells"][i]["capture"]["median"] for r in all_])
                                for name, all_ in reports.items()}
        found[cell["codec"]]["bytes"] = {name: all_[0]["cells"][i]["bytes"] for name, all_ in reports.items()}
    return found


def version_of(directory):
    """'0.1.0 (a1b2c3d)': of a build directory, with the commit if it is in a work tree."""
    said = subprocess.run([directory + "/nsplit", "--version"], check=True, stdout=subprocess.PIPE, encoding="ascii")
    commit = subprocess.run(["git", "-C", directory, "rev-parse", "--short", "HEAD"], check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="ascii").stdout.strip()
    return said.stdout.split()[1] + (" (%s)" % commit if commit else "")


def unchanged(workspace, core):
    before = os.environ.get("BEFORE")
    need(before, "no earlier version was given: make bench BEFORE=BUILD-DIRECTORY")
    before = os.path.abspath(before)
    codecs = "--codecs=" + ("lzo" if workspace.quick else "raw,lzo,lz4,zstd")
    common = [codecs, "--threads=%d" % CPUS, "--cache=keep", "--write-only"]
    files = [workspace.path("out0"), workspace.path("out1")]
    return {
        "version": version_of(before),
        "equal": members_are_equal(workspace, before, core),
        "fake": compared(workspace, before, [*common, "fake:%s" % ("8M" if workspace.quick else "1G"), "null:"]),
        "core": compared(workspace, before, [*common, "--mmap=always", core, *files]),
    }
