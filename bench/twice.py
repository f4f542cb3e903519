# SPDX-License-Identifier: GPL-2.0-or-later
"""6. The same matrix twice: do two runs agree within the spreads that they print?"""


def measure(place):
    return {"runs": [place.bench("--codecs=" + ("lzo" if place.quick else "raw,lzo,snappy,lz4,zstd"),
                                 "--threads=1,2", "fake:%s" % ("4M" if place.quick else "128M"), "null:",
                                 rounds=2 if place.quick else 2 * place.rounds)
                     for _ in range(2)]}
