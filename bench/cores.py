# SPDX-License-Identifier: GPL-2.0-or-later
"""What captures that leave pages out are measured with: cores of crashed kernels, makedumpfile, outputs.

$KERNELS_CACHE: the directory of "make check-kernels", with cores and the newest makedumpfile.
"""
import glob
import os
import shutil
import subprocess

from lib import Missing, need


def cache():
    """The directory of tests/kernels/check-kernels.sh."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("KERNELS_CACHE") or base + "/nsplit-kernels"


def cached_cores():
    """{machine: its core} of all machines whose cores makedumpfile can read here."""
    found = {}
    for core in sorted(glob.glob(cache() + "/cores/*/core.zst")):
        with open(os.path.dirname(core) + "/release", encoding="ascii") as file:
            if "amd64" in file.read():
                found[os.path.basename(os.path.dirname(core))] = core
    return found


def made_core(workspace):
    """A core that was made up for the tests, with pages of every class."""
    program = workspace.program("tests/unit/make_kinds_core")
    need(os.path.exists(program), "it needs the core of a real kernel: KERNELS_CACHE=DIRECTORY or CORE=FILE")
    subprocess.run([program], cwd=workspace.memory, check=True, stdout=subprocess.DEVNULL)
    return workspace.path("kinds")


class Cores:
    """The cores, of which one at a time is in memory: those of the cache, or $CORE, or one that is made up."""

    def __init__(self, workspace):
        self.workspace = workspace
        self.cached = {} if workspace.quick else cached_cores()
        self.are_real = bool(self.cached or os.environ.get("CORE"))
        self.names = list(self.cached) or ["CORE" if self.are_real else "made up"]

    def each(self):
        """Yields the name and the path of each."""
        path = self.workspace.path("core")
        for name in self.names:
            if name in self.cached:
                subprocess.run(["zstd", "-q", "-d", self.cached[name], "-o", path], check=True)
            elif self.are_real:
                shutil.copy(os.environ["CORE"], path)
            else:
                os.rename(made_core(self.workspace), path)
            yield name, path
            os.unlink(path)


class Makedumpfile:
    """The one in the cache, started by its own loader, or the one that is installed."""

    def __init__(self, cores):
        need(cores.are_real, "it cannot read a made-up core")
        root = cache() + "/tools/amd64-sid"
        libraries = root + "/usr/lib/x86_64-linux-gnu"
        loader = libraries + "/ld-linux-x86-64.so.2"
        self.words = [loader, "--library-path", libraries, root + "/usr/bin/makedumpfile"]
        if not os.path.exists(loader):
            need(shutil.which("makedumpfile"), "makedumpfile is not installed")
            self.words = ["makedumpfile"]

    def version(self):
        said = subprocess.run([*self.words, "-v"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              encoding="ascii")
        return said.stdout.splitlines()[0].replace(": version", "")

    def run(self, workspace, *words):
        workspace.note(["makedumpfile", *words])
        subprocess.run([*self.words, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def note_makedumpfile(cores, found):
    """Finds it and notes its version, or why there is none; then it returns None."""
    try:
        theirs = Makedumpfile(cores)
        found["makedumpfile"] = theirs.version()
        return theirs
    except Missing as e:
        found["makedumpfile_missing"] = str(e)
        return None


def note_machine(workspace, found):
    """Notes the machine and the date, which a report of nsplit-bench has."""
    found["bench"] = workspace.bench("--codecs=raw", "--threads=1", "--write-only", "fake:1M", "null:", rounds=1)


class Outputs:
    """The files that a command writes: nsplit two, makedumpfile the first."""

    def __init__(self, workspace):
        self.names = [workspace.path("out0"), workspace.path("out1")]

    def clear(self):
        for name in self.names:
            if os.path.exists(name):
                os.unlink(name)

    def size(self):
        return sum(os.path.getsize(name) for name in self.names if os.path.exists(name))
