# SPDX-License-Identifier: GPL-2.0-or-later
"""6. The same matrix twice: do two runs agree within their spreads?"""


def measure(workspace):
    return {"runs": [workspace.bench("--codecs=" + ("lzo" if workspace.quick else "raw,lzo,snappy,lz4,zstd"),
                                     "--threads=1,2", "fake:%s" % ("4M" if workspace.quick else "128M"), "null:",
                                     rounds=2 if workspace.quick else 2 * workspace.rounds)
                     for _ in range(2)]}
