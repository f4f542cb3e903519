# SPDX-License-Identifier: GPL-2.0-or-later
"""holes.py CORE COPY SAID [FIRST]: the copy is the core, but for zeros in what was said to be
missing or unreadable; which is all from FIRST on, and nothing else, if that is given."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))

from judge import Wrong, compare, pages    # noqa: E402
from trial import Said                      # noqa: E402


def main(core, copy, said, first=None):
    with open(said) as f:
        said = Said(3, f.read())
    if "more range" in said.err:
        return "more ranges are missing than it lists; take fewer chunks"
    holes = pages(said.ranges("missing")) | pages(said.ranges("unreadable"))
    if not holes:
        return "nothing is said to be missing"
    with open(core, "rb") as f, open(copy, "rb") as g:
        core, copy = f.read(), g.read()
    if len(core) != len(copy):
        return "%d bytes, and the source has %d" % (len(copy), len(core))
    if first and holes != pages([(int(first), len(core))]):
        return "pages %d to %d are named, and not those from byte %s on" % (min(holes),
                                                                            max(holes), first)
    try:
        compare(core, copy, holes, "the copy")
    except Wrong as e:
        return str(e)
    return None


sys.exit(main(*sys.argv[1:]))
