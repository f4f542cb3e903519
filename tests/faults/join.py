# SPDX-License-Identifier: GPL-2.0-or-later
"""njoin of what lives, while calls of its own fail: what is drawn, and was it right."""
import glob

from checks import compare, harmless, need, pages


class Join:
    """What fails, and where the copy goes.  Drawn after all else of the case."""

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

    def carry_out(self, trial):
        """Joins what lives twice, without faults and with them, and compares."""
        if not self.rules or not trial.living:
            return
        options = self.options()
        want, right = trial.join(trial.living, *options)
        said, copy, faults = trial.join_with(self.rules, trial.living, options,
                                             to_stream=self.to_stream)
        trial.join_faults = faults
        trial.njoin = said
        harm = [f for f in faults if not harmless(f)]
        need(said.status in (0, 1, 3), "njoin under faults: status %s", said.status)
        need("Sanitizer" not in said.err and "runtime error" not in said.err,
             "njoin under faults: a sanitizer complains")
        need(not glob.glob("copy.*"), "njoin under faults leaves its temporary file")
        if not harm:
            need(said.status == want.status, "njoin under faults: status %s, and nothing "
                 "happened that counts", said.status)
            need(copy == right or said.status == 1 and self.to_stream,
                 "njoin under faults: another copy, and nothing happened that counts")
        elif said.status == 1:
            self.no_claim(trial, said, copy, harm)
        else:
            self.as_it_says(trial, said, copy)

    def no_claim(self, trial, said, copy, harm):
        need("njoin: " in said.err, "njoin under faults fails, and says nothing")
        if copy is None or self.to_stream:
            return
        # Renamed, and as good as it says; only whether the new name is safe, is not known.
        need(any(f.name == "case" for f in harm), "njoin under faults fails, and leaves a copy")
        self.is_what_it_says(trial, said, copy)

    def is_what_it_says(self, trial, said, copy):
        """Of many ranges it lists some only."""
        named = pages(said.ranges("missing")) | pages(said.ranges("unreadable"))
        if said.status == 0 or "more " not in said.err:
            compare(trial.core, copy, named, "njoin under faults")

    def as_it_says(self, trial, said, copy):
        need(copy is not None, "njoin under faults says that it made a copy, and has not")
        self.is_what_it_says(trial, said, copy)
        need(said.status == 3 or copy == trial.core,
             "njoin under faults: perfect, it says, and differs")
