# SPDX-License-Identifier: GPL-2.0-or-later
"""Earlier figures of other people, shown beside the current ones."""

# 'Benchmark of I/O multiplexing with LZO/snappy compression', kexec list, 18 June 2012: seconds for 10 GB
# of random data, n threads to n disks.
CODECS_2012 = ("raw", "lzo", "snappy")
LINUX_3_4 = {1: (89.6, 162.0, 69.6), 2: (68.5, 86.6, 86.9), 3: (48.7, 60.5, 35.2),
             4: (28.0, 47.2, 28.4), 5: (23.5, 37.2, 23.4), 6: (18.2, 28.4, 18.6),
             7: (15.9, 29.9, 16.7), 8: (13.7, 23.2, 13.9)}
RHEL_6_2 = {1: (53.1, 156.6, 93.1), 2: (91.6, 88.8, 49.5), 3: (31.7, 57.5, 33.8),
            4: (37.7, 45.0, 32.9), 5: (20.4, 35.0, 21.9), 6: (22.6, 31.2, 19.2),
            7: (18.8, 25.2, 15.9), 8: (13.7, 22.2, 13.9)}
RHEL_5_8 = {1: (55.1, 80.8, 64.1), 2: (52.2, 68.3, 61.1), 3: (50.2, 41.3, 47.9),
            4: (35.4, 28.8, 43.3), 5: (23.0, 20.5, 20.2), 6: (17.4, 18.1, 19.5),
            7: (14.2, 14.9, 15.6), 8: (13.1, 14.8, 13.3)}
YEAR_2012 = {"Linux 3.4": LINUX_3_4, "RHEL 6.2": RHEL_6_2, "RHEL 5.8": RHEL_5_8}

# zram on a Snapdragon 660 by fio, December 2017, MB/s by number of threads: lzo, lz4.
YEAR_2017 = {"write 1": (640, 828), "read 1": (663, 743), "write 8": (3077, 3065),
             "read 8": (3980, 3984), "ratio": (12.85, 12.97)}

# zram and tmpfs by dd, i3-8100T, Linux 6.12: read and write in MB/s, ratio.  Of linux-6.12.tar:
LINUX_6_12 = {"tmpfs": (9800, 2200, None), "lzo-rle": (900, 460, 3.17), "lzo": (890, 459, 3.17),
              "lz4": (1200, 490, 3.06), "lz4hc:9": (1300, 63.5, 3.45), "zstd:3": (433, 160, 4.42),
              "zlib:6": (231, 33.4, 4.63), "842": (100, 52.0, 2.14)}
# Of zeros, which no algorithm gets to see:
ZEROS_6_12 = {"": (2700, 4300, None)}

# linux-mm, September 2021, zram with lz4 by fio, MB/s and ratio.
YEAR_2021 = [
    ["30 and 50 %, emulated cortex-a53, 2021", "z3fold", 42, 189, 31, 29, 1.5],
    ["", "zsmalloc", 88, 187, 54, 50, 2.4],
    ["", "ztree", 94.5, 206, 59.5, 56, 2.0],
    ["50 %, Raspberry Pi 3 B, 2021", "z3fold", 120, 240, 85, 80, 2.0],
    ["", "zsmalloc", 127, 296, 91, 84, 2.5],
    ["", "ztree", 132, 275, 94, 90, 2.05],
    ["50 and 70 %, Raspberry Pi 4 B, 2021", "z3fold", 367, 1378, 265, 254, 1.4],
    ["", "zsmalloc", 595, 1397, 407, 372, 2.2],
    ["", "ztree", 650, 1282, 400, 381, 1.8],
]
