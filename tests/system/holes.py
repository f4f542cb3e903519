# SPDX-License-Identifier: GPL-2.0-or-later
"""holes.py CORE COPY SAID [FIRST]: COPY is CORE, except for zeros in the ranges that the messages in
SAID report as missing or unreadable.  With FIRST, these are exactly the bytes from FIRST on."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))

from judge import Wrong, compare, pages    # noqa: E402
from trial import Result                    # noqa: E402


def main(core, copy, said, first=None):
    with open(said) as f:
        said = Result(3, f.read())
    if "more range" in said.err or "further ranges" in said.err:
        return "not all missing ranges are listed; use fewer chunks"
    holes = pages(said.ranges("missing")) | pages(said.ranges("unreadable"))
    if not holes:
        return "no range is reported as missing"
    with open(core, "rb") as f, open(copy, "rb") as g:
        core, copy = f.read(), g.read()
    if len(core) != len(copy):
        return "%d bytes, but the source has %d" % (len(copy), len(core))
    if first and holes != pages([(int(first), len(core))]):
        return "pages %d to %d are reported, and not those from byte %s on" % (
            min(holes), max(holes), first)
    try:
        compare(core, copy, holes, "the copy")
    except Wrong as e:
        return str(e)
    return None


sys.exit(main(*sys.argv[1:]))
