# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that are started to be killed."""
import os
import select
import subprocess

from checks import need

SECONDS = 120           # no program takes so long unless it hangs


class Nsplit:
    """A running nsplit, which is two processes: the second one dies when the first one dies."""

    def __init__(self, argv, stdout, **options):
        self.open_in_both, theirs = os.pipe()
        try:
            self.first = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=stdout,
                                          pass_fds=[theirs], **options)
        finally:
            os.close(theirs)

    def ended(self):
        return self.first.poll() is not None

    def kill(self):
        self.first.kill()

    def wait(self):
        """Its exit status, after both processes have ended."""
        try:
            status = self.first.wait(SECONDS)
            gone = select.select([self.open_in_both], [], [], SECONDS)[0]
        except subprocess.TimeoutExpired:
            self.kill()
            gone = []
        os.close(self.open_in_both)
        need(gone, "nsplit hangs")
        return status


class Capture:
    """A capture that can be started again and again: its words, and its members, m0 and so on, of which the last
    one may be written through a pipe."""

    def __init__(self, programs, outputs, piped):
        self.programs, self.outputs, self.piped = programs, outputs, piped
        self.names = ["m%d" % i for i in range(outputs)]
        self.source, self.options = "core", []

    def __str__(self):
        return "nsplit %s %s, %d outputs%s" % (" ".join(self.options), os.path.basename(self.source), self.outputs,
                                               ", one piped" if self.piped else "")

    def program(self, name):
        return os.path.join(self.programs, name)

    def start(self, **options):
        for name in self.there():
            os.remove(name)
        outputs, stdout = list(self.names), subprocess.DEVNULL
        if self.piped:
            outputs[-1] = "-"
            stdout = open(self.names[-1], "wb")
        nsplit = Nsplit([self.program("nsplit")] + self.options + [self.source] + outputs, stdout, **options)
        if self.piped:
            stdout.close()
        return nsplit

    def there(self):
        return [name for name in self.names if os.path.exists(name)]

    def written(self):
        return sum(os.stat(name).st_size for name in self.there())
