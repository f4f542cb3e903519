# SPDX-License-Identifier: GPL-2.0-or-later
"""nsplit while it runs, to be killed."""
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
