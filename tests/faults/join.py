# SPDX-License-Identifier: GPL-2.0-or-later
"""njoin of the usable members while its own calls fail: the choice of faults, and the judgement."""
import glob

from checks import compare, harmless, need, pages


class Join:
    """The faults, and the destination of the copy.  Chosen after everything else in the case."""

    def __init__(self, case):
        r = case.random
        self.case = case
        self.to_stream = r.random() < 0.25      # standard output, in order
        self.salvage = r.random() < 0.3
        self.serial = r.random() < 0.3
        self.rules = []
        for _ in range(r.choices(range(4), (2, 5, 3, 1))[0]):
            self.rules.append(self.read_fault(r) if r.random() < 0.4 else self.write_fault(r))

    def read_fault(self, r):
        where = "m%d" % r.randrange(self.case.outputs)
        if r.random() < 0.1:
            return "open:%s:1:%s" % (where, r.choice(("EIO", "EACCES", "EMFILE")))
        n = r.randint(1, r.choice((6, 60)))
        return "pread:%s:%s" % (where, r.choice(("%d:EIO" % n, "%d:EIO" % n, "%d-:EIO" % n,
                                                 "%d:EFAULT" % n, self.case.transient(n))))

    def write_fault(self, r):
        call = r.choices(("write", "fsync", "close", "ftruncate", "rename", "directory"),
                         (50, 15, 10, 10, 10, 5))[0]
        n = r.randint(1, r.choice((6, 60)))
        if self.to_stream:
            if call == "fsync":
                return "fsync:stream:1:%s" % r.choice(("EIO", "ENOSPC", "EINVAL"))
            return "write:stream:%s" % self.failing_write(r, n)
        if call == "write":
            return "pwrite:copy.*:%s" % self.failing_write(r, n)
        if call == "directory":
            return "%s:case:1:EIO" % r.choice(("open", "fsync"))
        return "%s:copy.*:1:%s" % (call, r.choice({
            "fsync": ("EIO", "EIO", "ENOSPC", "EINVAL"), "close": ("EIO", "ENOSPC", "EINTR"),
            "ftruncate": ("EIO", "EINTR"), "rename": ("EIO", "ENOSPC", "EINVAL")}[call]))

    def failing_write(self, r, n):
        return r.choice(("%d:EIO" % n, "%d:ENOSPC" % n, "%d-:ENOSPC" % n, "%d:short=0" % n,
                         "%d-:EDQUOT" % n, self.case.transient(n)))

    def options(self):
        return (["--salvage"] if self.salvage else []) + (["-j1"] if self.serial else [])

    def run_and_judge(self, trial):
        """Joins the usable members without faults and with them, and compares."""
        if not self.rules or not trial.usable:
            return
        options = self.options()
        want, right = trial.join(trial.usable, *options)
        result, copy, faults = trial.join_with(self.rules, trial.usable, options,
                                             to_stream=self.to_stream)
        trial.join_faults = faults
        trial.njoin = result
        harm = [f for f in faults if not harmless(f)]
        need(result.status in (0, 1, 3), "njoin under faults: status %s", result.status)
        need("Sanitizer" not in result.err and "runtime error" not in result.err,
             "njoin under faults: a sanitizer reports an error")
        need(not glob.glob("copy.*"), "njoin under faults leaves its temporary file")
        if not harm:
            need(result.status == want.status, "njoin under faults: status %s, although "
                 "no fault did harm", result.status)
            need(copy == right or result.status == 1 and self.to_stream,
                 "njoin under faults: another copy, although no fault did harm")
        elif result.status == 1:
            self.check_failure(trial, result, copy, harm)
        else:
            self.check_success(trial, result, copy)

    def check_failure(self, trial, result, copy, harm):
        need("njoin: " in result.err, "njoin under faults fails without a message")
        if copy is None or self.to_stream:
            return
        # The file was renamed, and only the sync of the new name failed.
        need(any(f.name == "case" for f in harm), "njoin under faults fails, but leaves a copy")
        self.check_copy(trial, result, copy)

    def check_copy(self, trial, result, copy):
        """njoin lists only some of many ranges; then the copy is not compared."""
        named = pages(result.ranges("missing")) | pages(result.ranges("unreadable"))
        if result.status == 0 or "more " not in result.err:
            compare(trial.core, copy, named, "njoin under faults")

    def check_success(self, trial, result, copy):
        need(copy is not None, "njoin under faults reports success without a copy")
        self.check_copy(trial, result, copy)
        need(result.status == 3 or copy == trial.core,
             "njoin under faults: status 0, but the copy differs")
