# SPDX-License-Identifier: GPL-2.0-or-later
"""measure.py [--quick] [--rounds=N] --programs=DIR --results=DIR [PART]...: measures, and writes one JSON file for each part.

report.py generates doc/benchmarks.md from these files.  --quick is for tests: it shows that everything
works; its figures mean nothing.
"""
import argparse
import importlib
import json
import os
import signal
import subprocess
import sys

from lib import Missing, Workspace, held_up

PARTS = ["threads", "lzo_lz4", "corpora", "density", "emulated", "tools", "twice", "limits", "readers",
         "layers", "space", "many", "columns", "estimate"]


def ask_to_end(signal_number, _):
    """Exits, so that the clean-up steps run."""
    sys.exit(128 + signal_number)


def measure(name, args):
    """The figures of one part, or {"missing": the reason why there are none}."""
    part = importlib.import_module(name)
    print(part.__doc__.splitlines()[0], flush=True)
    try:
        with Workspace(args.programs, args.quick, args.rounds) as workspace:
            before = held_up(0.1 if args.quick else 3)
            return dict(part.measure(workspace), commands=workspace.commands, held_up=before)
    except Missing as e:
        why = str(e)
    except subprocess.CalledProcessError as e:
        why = "%s failed with exit status %d" % (os.path.basename(e.cmd[0]), e.returncode)
    except OSError as e:
        why = str(e)
    print("not measured:", why, file=sys.stderr)
    return {"missing": why}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("part", nargs="*", default=PARTS)
    args = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, ask_to_end)
    os.makedirs(args.results, exist_ok=True)
    for name in args.part:
        found = measure(name, args)
        with open(os.path.join(args.results, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
            file.write("\n")


main()
