# SPDX-License-Identifier: GPL-2.0-or-later
"""3. Zeros and the source code of Linux, with the algorithms of nsplit and of zram: Linux 6.12."""
import glob
import os
import shutil
import subprocess

from lib import MIB, Missing, Zram, interleaved, need, summary

CODECS, FEW = "raw,lzo,snappy,lz4,lz4hc:9,zstd:1,zstd:3,zlib:6", "lz4,zlib:6"
SIZE = 64 * MIB         # of each
ZRAM = ("lzo-rle", "lzo", "lz4", "lz4hc", "zstd", "deflate", "842")


def linux_source(workspace, most):
    """The first bytes of the tar archive in linux-source; the package is downloaded, not installed."""
    tar = workspace.path("linux.tar")
    need(not workspace.quick or glob.glob("linux-source-*.deb"), "a quick run does not download packages")
    packages = sorted(glob.glob("linux-source-*.deb"))
    if not packages:
        need(shutil.which("apt-get"), "Debian's package linux-source is not available")
        workspace.commands.append("apt-get download linux-source-6.1")
        fetched = subprocess.run(["apt-get", "-qq", "download", "linux-source-6.1"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        packages = sorted(glob.glob("linux-source-*.deb"))
        need(fetched.returncode == 0 and packages, "Debian's package linux-source is not available")
    # head ends before dpkg-deb, which reports an error then.
    script = ("dpkg-deb --fsys-tarfile %s 2> /dev/null | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |"
              " xz -dc | head -c %d > %s" % (packages[0], most, tar))
    subprocess.run(["sh", "-c", script], check=True)
    workspace.note([script])
    need(os.path.getsize(tar) == most, "%s cannot be unpacked", packages[0])
    return tar


def through_zram(workspace, core):
    size = os.path.getsize(core)
    commands, drives, found = {}, {}, {}
    for name in ZRAM:
        try:
            drives[name] = Zram(workspace, name, size)
        except Missing as e:
            found[name] = {"missing": str(e)}
    for name, zram in drives.items():
        commands[name, "write"] = zram.empty, lambda zram=zram: zram.fill(core)
        commands[name, "read"] = lambda: None, zram.read_all
    copy = workspace.path("copy")
    commands["tmpfs", "write"] = lambda: os.path.exists(copy) and os.unlink(copy), lambda: workspace.run(
        "dd", "if=" + core, "of=" + copy, "bs=1M")
    commands["tmpfs", "read"] = lambda: None, lambda: workspace.run(
        "dd", "if=" + copy, "of=/dev/null", "bs=1M")
    for (name, what), seconds in interleaved(commands, workspace.rounds).items():
        found.setdefault(name, {})[what] = summary([size / s for s in seconds])
    for name, zram in drives.items():
        found[name].update(zram.ratios())
    os.unlink(copy)
    return found


def measure(workspace):
    size = 8 * MIB if workspace.quick else SIZE
    sources = {"zeros": workspace.core("zeros", size, "--pattern=zero")}
    found = {}
    try:
        sources["linux"] = linux_source(workspace, size)
    except Missing as e:
        found["linux_missing"] = str(e)
    for name, core in sources.items():
        found[name] = {
            "nsplit": workspace.bench("--codecs=" + (FEW if workspace.quick else CODECS),
                                      "--cache=keep", "--threads=1", core,
                                      workspace.path("a")),
            "zram": through_zram(workspace, core),
        }
    return found
