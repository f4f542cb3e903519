# SPDX-License-Identifier: GPL-2.0-or-later
"""measure.py [--quick] --programs=DIR --results=DIR [PART]...: measures, one JSON file a part.

report.py makes doc/benchmarks.md of them.  --quick is for tests: it shows that everything works, and
its figures mean nothing.
"""
import argparse
import importlib
import json
import os
import sys

from lib import Missing, Place

PARTS = ["threads", "lzo_lz4", "corpora", "density", "tools"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("part", nargs="*", default=PARTS)
    args = parser.parse_args()
    os.makedirs(args.results, exist_ok=True)
    for name in args.part:
        part = importlib.import_module(name)
        print(part.__doc__.splitlines()[0], flush=True)
        with Place(args.programs, args.quick) as place:
            try:
                found = part.measure(place)
            except Missing as e:
                print("not measured:", e, file=sys.stderr)
                continue
            found["commands"] = place.commands
        with open(os.path.join(args.results, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
            file.write("\n")


main()
