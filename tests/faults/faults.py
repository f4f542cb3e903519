# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the cases of a range of seeds, judges them, and prints a table of the outcomes."""
import argparse
import collections
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import dumps
from dumps import DumpCase, DumpJudge
from judge import Judge
from layers import SmallSource, Source
from schedule import Case
from trial import Trial, in_directory

COLUMNS = ("perfect", "incomplete", "failed", "stopped", "killed", "wrong")
OUTCOMES = {0: "perfect", 3: "incomplete", 1: "failed", -signal.SIGKILL: "killed"}


def parse(argv):
    p = argparse.ArgumentParser(prog="run.sh")
    p.add_argument("--programs", required=True)
    p.add_argument("--inject", required=True)
    p.add_argument("--again", required=True, help="the command that runs one seed")
    p.add_argument("--layers", action="store_true", help="captures that leave pages out")
    p.add_argument("--dumps", action="store_true", help="the same, as dumps in the kdump-compressed form")
    p.add_argument("--forms", action="store_true", help="likewise, also as ELF cores, and most of a small core")
    p.add_argument("count", type=int)
    p.add_argument("first", type=int, nargs="?", default=1)
    return p.parse_args(argv)


def list_codecs(programs):
    result = subprocess.run([os.path.join(programs, "nsplit"), "--list-codecs"],
                          stdout=subprocess.PIPE, check=True)
    return {line.split()[0] for line in result.stdout.decode().splitlines()}


def describe(trial, codecs, problem):
    """Prints a case: the commands, the faults, the messages, and what is wrong."""
    case = trial.case
    print("seed %d: %s" % (case.seed, problem or "right"))
    print("  core: %s" % ("%s of make_kinds_core, filled" % case.layers.name if case.layers else
          "mkfakevmcore --size=%d --seed=%d --pattern=%s" % (len(trial.core), case.seed, case.pattern)))
    print("  INJECT=%s" % shlex.quote(" ".join(case.rules)))
    if case.layers and case.layers.change:
        print("  source: changes as in the file change, %d lines" % len(case.layers.change.lines))
    print("  nsplit %s: exit status %s, outputs %s" %
          (shlex.join(case.arguments(codecs)), trial.nsplit.status,
           ", ".join(trial.states) or "never opened"))
    for fault in trial.faults[:10]:
        print("  fault: %s %s %s, call %d" % (fault.call, fault.name, fault.what, fault.nth))
    if len(trial.faults) > 10:
        print("  and %d more" % (len(trial.faults) - 10))
    print("".join("  | %s\n" % line for line in trial.nsplit.err.splitlines()[:12]), end="")
    if trial.njoin:
        print("  INJECT=%s" % shlex.quote(" ".join(case.join.rules)))
        print("  njoin %s: exit status %s" %
              (shlex.join(case.join.options()), trial.njoin.status))
        print("".join("  | %s\n" % line for line in trial.njoin.err.splitlines()[:12]), end="")


def print_table(table, totals, seconds):
    width = max(map(len, list(table) + ["all schedules"]))
    row = "%-*s" + " %10s" * (len(COLUMNS) + 1)
    print(row % ((width, "fault", "schedules") + COLUMNS))
    for kind, counts in sorted(table.items()) + [("all schedules", totals)]:
        print(row % ((width, kind, sum(counts.values())) +
                     tuple(counts[column] for column in COLUMNS)))
    print("%d schedules in %.1f s" % (sum(totals.values()), seconds))


def take_signals():
    """Resets the signals that a shell (for a job in the background) or nohup ignores: nsplit
    would ignore them, too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def main(argv):
    options = parse(argv)
    take_signals()
    codecs = list_codecs(options.programs)
    table = collections.defaultdict(collections.Counter)
    totals = collections.Counter()
    wrong = []
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="nsplit-faults.") as work:
        options.dumps |= options.forms
        layers = options.layers or options.dumps
        source = Source(options.programs, os.path.join(work, "source")) if layers else None
        small = SmallSource(os.path.join(work, "small")) if options.forms else None
        pages = dumps.reference(options.programs, (source, small)) if options.dumps else None
        for seed in range(options.first, options.first + options.count):
            def one():
                case = DumpCase(seed, source, small) if options.dumps else Case(seed, source)
                trial = Trial(case, options.programs, options.inject, codecs)
                judge = DumpJudge(trial, pages) if options.dumps else Judge(trial)
                return trial, judge.verdict()
            trial, problem = in_directory(os.path.join(work, "case"), one)
            outcome = "wrong" if problem else OUTCOMES.get(trial.nsplit.status, "stopped")
            totals[outcome] += 1
            faults = ["nsplit " + f.kind() for f in trial.faults]
            faults += ["njoin " + f.kind() for f in trial.join_faults]
            for kind in set(faults) or {"none"}:
                table[kind][outcome] += 1
            if problem or options.count == 1:
                describe(trial, codecs, problem)
            if problem:
                wrong.append(seed)
                print("  again: %s 1 %d" % (options.again, seed))
                sys.stdout.flush()
    if options.count > 1:
        print_table(table, totals, time.monotonic() - start)
    if wrong:
        print("wrong: seeds %s" % " ".join(map(str, wrong)))
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
