# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges a case: compares the reports of nsplit with the data in the members.

exit 0	The usable members join into the same bytes, and nothing was reported as missing.
exit 3	nsplit, and njoin from the members alone, report exactly what is missing.  This reads as
	zeros, everything else is the same, and there is a reason for it.
	Or no output is usable, and njoin --salvage reads something.
exit 1	No output is usable, and what was written does not claim to be more than it is.
a signal to stop
	The members are closed, and what is missing from them is reported as above.
SIGKILL	What was written is correct, or reported as missing.

Everything else is wrong: other signals, a time-out, an error of a sanitizer, other statuses.
"""
import random
import re
import signal

from schedule import COMMANDS, STREAM
from trial import CHANGE, TIMED_OUT
from checks import PAGE, Wrong, clipped, compare, harmless, need, pages

LISTED = 20             # the number of ranges that nsplit lists; it counts the rest

# A range whose end is not known.
OPEN_END = re.compile(r"after \d+ bytes|read only up to byte \d+|of which \d+ bytes were read")

LEFT_OUT_WARNING = re.compile(r"nsplit: (warning: )?(nothing is left out: there is too little memory|"
                              r"pages that were to be left out (are|were) captured after all: user)")

SIGNALS = {name: -getattr(signal, name)
           for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")}


class Judge:
    def __init__(self, trial):
        self.t = trial
        self.case = trial.case
        self.reported_missing = trial.nsplit.ranges("missing")
        self.reported_unreadable = trial.nsplit.ranges("unreadable")
        self.signals = [f for f in trial.faults if f.what in SIGNALS]
        self.changes = [f for f in trial.faults if f.what == CHANGE]
        self.harm = [f for f in trial.faults
                     if f not in self.signals and f not in self.changes and not harmless(f)]
        self.source_harm = [f for f in self.harm if f.name == "core"]

    def verdict(self):
        """None, or a sentence that says what is wrong."""
        try:
            self.ended_well()
            if not self.reader_discarded():
                {0: self.perfect, 1: self.failed, 3: self.incomplete,
                 -signal.SIGKILL: self.killed}.get(self.t.nsplit.status, self.stopped)()
            self.unusable_files_do_no_harm()
            self.lost_member_is_missed()
            if not self.reader_discarded():
                self.case.join.run_and_judge(self.t)
            need(not self.t.locks, "%s", "; ".join(sorted(set(self.t.locks))))
        except Wrong as e:
            return str(e)
        return None

    def ended_well(self):
        result = self.t.nsplit
        need(result.status != TIMED_OUT, "nsplit hangs")
        for word in ("Sanitizer", "runtime error"):
            need(word not in result.err, "a sanitizer reports an error")
        need(result.status in self.possible(), "exit status %s", result.status)
        need(result.status <= 0 or not self.must_be_perfect(),
             "exit status %s, although the faults allow a complete copy", result.status)
        if not self.harm and not self.signals and not self.changes and not any(
                self.met_fault(i) for i in range(self.case.outputs)):
            need(not self.without_warnings(result.err),
                 "there are messages, although no fault did harm")

    def without_warnings(self, err):
        """A class that is not believed is kept, and so is everything with too little memory."""
        layers = self.case.layers
        if not layers or not (layers.name == "doubted" or self.case.tight):
            return err
        return [line for line in err.splitlines() if not LEFT_OUT_WARNING.match(line)]

    def possible(self):
        """The exit statuses that these signals allow."""
        asked = {SIGNALS[f.what] for f in self.signals}
        if -signal.SIGKILL in asked:
            return asked
        # The serial engine checks for signals after each chunk; with threads, there may be no time.
        if asked and not self.case.threads and self.t.stats and any(
                f.name == "m%d" % i and f.nth <= s["records"] for f in self.signals
                for i, s in enumerate(self.t.stats["sinks"])):
            return asked
        return asked | {0, 1, 3}

    def reader_discarded(self):
        """The reader of a pipe may discard what the pipe took, which nsplit cannot notice: the
        member then has less than nsplit wrote."""
        return any(self.t.cut(i) for i in self.t.usable)

    def met_fault(self, i):
        return (self.case.kinds[i] in ("full", "command that fails", "command that leaves") or
                self.t.cut(i) or
                any(f.name in ("m%d" % i, "d%d" % i) for f in self.harm))

    def is_command(self, i):
        """A command that has ended cannot take over data of outputs that fail later."""
        return self.case.kinds[i] in COMMANDS

    def hung(self, i):
        """One of its calls never returned, so nsplit does not use it any more."""
        return any(f.name == "m%d" % i and f.what == "hang" for f in self.harm)

    def must_be_perfect(self):
        """At least one output met no fault, and the source returned everything when read again."""
        if all(self.met_fault(i) or (self.is_command(i) and len(self.t.states) > 1)
               for i in range(self.case.outputs)):
            return False
        if self.case.source == STREAM:
            return not self.harm and not any(self.met_fault(i)
                                             for i in range(self.case.outputs))
        if self.changes:
            return False
        return not self.source_harm or (
            len(self.source_harm) == 1 and self.source_harm[0].call in ("pread", "mmap"))

    def perfect(self):
        t = self.t
        need(not self.reported_missing, "status 0, but a range is reported as missing")
        need(not self.reported_unreadable or "failed" in t.states,
             "status 0, but a range is reported as unreadable")
        self.usable_are_closed()
        for i in t.existing:
            need(i in t.usable or not t.removable(i) or self.hung(i),
                 "%s failed and is not needed, but still exists",
                 self.case.name(i))
        result, copy = t.join(t.usable)
        need(result.status == 0 and not result.err, "njoin of the usable members: status %s",
             result.status)
        need(copy == t.core, "both report success, but njoin's copy differs")
        result, info = t.info(t.usable)
        need(result.status == 0 and info["complete"], "njoin --info does not say complete")

    def usable_are_closed(self):
        for i in self.t.usable:
            need(self.t.closed(i), "%s should be usable, but has no footer",
                 self.case.name(i))

    def incomplete(self):
        if not self.t.usable:
            self.only_salvage()
            return
        missing, unreadable, info = self.reported_exactly()
        need(not info["complete"] or "may be missing" in self.t.nsplit.err,
             "njoin --info says complete")
        self.has_a_reason(missing, unreadable, info)

    def only_salvage(self):
        """No member could be closed; those with records are kept."""
        t = self.t
        need("that njoin --salvage can read" in t.nsplit.err,
             "status 3, but no output is left")
        _, copy = t.join(self.files(), "--salvage")
        need(copy is not None, "njoin --salvage reads nothing")

    def files(self):
        return [i for i in self.t.existing if self.case.kinds[i] == "file"]

    def reported_exactly(self):
        """njoin finds the missing and unreadable ranges that nsplit reported, and they are so."""
        t = self.t
        self.usable_are_closed()
        result, info = t.info(t.usable)
        status = 0 if info["complete"] else 3
        need(result.status == status, "njoin --info: status %s", result.status)
        missing = [(m["offset"], m["offset"] + m["length"]) for m in info["missing"]]
        self.same_missing(missing, info)
        # -v lists all ranges.
        result, copy = t.join(t.usable, "--salvage", "-v")
        need(result.status == status and copy is not None, "njoin --salvage: status %s",
             result.status)
        need(result.ranges("missing") == missing,
             "njoin and njoin --info report different ranges")
        unreadable = result.ranges("unreadable")
        compare(t.core, copy, pages(missing) | pages(unreadable), "njoin --salvage")
        need(len(copy) == len(t.core) or
             (self.case.source == STREAM and info["stopped"]),
             "the end of the source is missing, but not reported")
        self.check_unreadable(unreadable, pages(missing))
        return missing, unreadable, info

    def same_missing(self, missing, info):
        """If a stream broke off, njoin knows it only up to the last record."""
        if self.case.layers:
            self.covers_missing(missing)
            return
        size = info["source_size"] if info["stopped"] else len(self.t.core)
        need(clipped(self.reported_missing, size)[:LISTED] == missing[:LISTED],
             "nsplit and njoin report different missing ranges")
        need(info["stopped"] or len(missing) <= LISTED or
             "missing: %d more range" % (len(missing) - LISTED) in self.t.nsplit.err,
             "nsplit and njoin count different numbers of missing ranges")

    def covers_missing(self, missing):
        """With layers, nsplit reports whole units, of which some may be stored or left out, and how
        many bytes are missing, there and elsewhere."""
        if "more range" in self.t.nsplit.err or "pages whose use has changed" in self.t.nsplit.err:
            return
        layers = self.case.layers
        found, told = pages(missing), pages(self.reported_missing)
        if found <= layers.with_second_places(told):
            return
        total = self.t.nsplit.missing_total()
        need(total is not None, "njoin finds missing pages that nsplit did not report")
        # A second place is named, but the first may not be stored.
        least = sum(PAGE for p in found if not layers.is_second(p))
        need(total >= 0.99 * least, "njoin finds %d bytes missing, nsplit only %d", least, total)

    def check_unreadable(self, unreadable, missing):
        t = self.t
        told, found = pages(self.reported_unreadable), pages(unreadable)
        if self.case.layers:
            found -= self.case.layers.with_second_places(told) - told
        if "further ranges are not listed" not in t.nsplit.err:
            need(found <= told, "njoin finds unreadable pages that nsplit did not report")
            # The data of a failed output was read again, perhaps with success.
            need("failed" in t.states or "full" in t.states or found == told,
                 "nsplit reports unreadable pages that njoin can read")
        hit = pages((f.offset, f.offset + f.length) for f in self.source_harm)
        if self.case.layers:
            # Also for unreadable pages that nsplit has not listed.
            hit = self.case.layers.with_second_places(hit)
        need(found <= hit, "pages are unreadable that no fault concerned")
        for rule in self.case.rules:
            if rule.startswith("pread:core:@"):
                start, end = map(int, rule.split(":")[2][1:].split("-"))
                bad = pages([(start, end)]) - missing
                if self.case.layers:
                    bad -= {at // PAGE for at in self.case.layers.places}
                need(bad <= found,
                     "bytes %d to %d cannot be read, but are not marked", start, end - 1)

    def has_a_reason(self, missing, unreadable, info):
        """A page that has changed may be stored twice; then nsplit says that others may be missing."""
        stream = self.case.source == STREAM
        changed = "pages whose use has changed" in self.t.nsplit.err
        need(not changed or self.source_harm or self.changes,
             "pages have changed, although the source has not")
        if self.changes and not self.source_harm and set(self.t.states) <= {"whole", "unused"}:
            need(pages(missing) <= self.case.layers.change.pages,
                 "pages are missing that have not changed")
        if missing and not stream and not changed:
            need(not [i for i, state in enumerate(self.t.states)
                      if state == "unused" or (state == "whole" and not self.is_command(i))],
                 "a range is missing, although an output was left")
        if missing and stream:
            need("failed" in self.t.states or "whole" not in self.t.states,
                 "a range is missing, although no output failed")
        # With layers, also if it was not decided what is left out.
        if info["stopped"] and not self.case.layers:
            need(stream and (self.source_harm or "whole" not in self.t.states),
                 "the capture ended early without a reason")
            need(OPEN_END.search(self.t.nsplit.err),
                 "nsplit does not report where it stopped reading the source")
        need(missing or unreadable or info["stopped"] or "may be missing" in self.t.nsplit.err,
             "status 3, but nothing is missing")

    def stopped(self):
        """After a signal to stop, it closed the members.  Not while it opens a stream, which may
        wait long for its reader, and not after two signals."""
        t = self.t
        if t.stats is None:
            need(len(self.signals) > 1 or self.to_stream(self.signals[0]),
                 "a signal ended it at once")
            return
        need(re.search("closing the members|to be synced;|to end;", t.nsplit.err),
             "it was stopped without a message")
        if t.usable:
            self.reported_exactly()
        else:
            need("whole" not in t.states, "it was stopped, and an output was removed")

    def to_stream(self, fault):
        return any(fault.name == "m%d" % i and kind != "file"
                   for i, kind in enumerate(self.case.kinds))

    def killed(self):
        """unusable_files_do_no_harm() checks everything."""

    def failed(self):
        t = self.t
        need("nsplit: " in t.nsplit.err, "it failed without a message")
        if t.stats is None:
            need(any(f.call == "open" for f in self.source_harm),
                 "it failed without a reason")
            need(not [i for i in t.existing if t.removable(i)], "it failed, but left an output")
            return
        # A file that existed is not removed, even if it was full before its first record.
        usable = [i for i in t.usable
                  if i != self.case.existing or t.stats["sinks"][i]["records"]]
        need(not usable, "it failed, but %d of the outputs are usable", len(usable))
        for i in self.files():
            result, copy = t.join([i], "--salvage")
            # The copy has the length of the source if that is known; of a stream, it is not.
            need(copy is None or pages(result.ranges("missing")) >= pages([(0, len(copy))]),
                 "nothing was captured, but %s contains data", self.case.name(i))

    def unusable_files_do_no_harm(self):
        """All files that were written, whatever nsplit reported about them, join correctly or with
        reports.  A fallback that was not needed has no file."""
        t = self.t
        for i, state in enumerate(t.states):
            need(state != "unused" or i not in t.existing or not t.removable(i),
                 "%s was not needed, but exists", self.case.name(i))
        there = [i for i in t.existing if t.stats or self.signals]
        if not there or there == t.usable:
            return
        result, copy = t.join(there)
        need(result.status in (0, 1, 3), "njoin of all files: status %s", result.status)
        if result.status == 0:
            need(copy == t.core, "njoin of all files: status 0, but the copy differs")
        result, copy = t.join(there, "--salvage", "-v")
        need(result.status in (0, 1, 3), "njoin --salvage of all files: status %s", result.status)
        if copy is None:
            return
        named = pages(result.ranges("missing")) | pages(result.ranges("unreadable"))
        compare(t.core, copy, named, "njoin --salvage of all files")

    def lost_member_is_missed(self):
        """With layers: what only one file has is missing without it, and never looks left out.
        Except where the source has changed: of two records that disagree, the other one may be
        left."""
        t, layers = self.t, self.case.layers
        there = [i for i in t.existing if t.stats or self.signals]
        if not layers or len(there) < 2:
            return
        result, _ = t.join(there, "--salvage", "-v")
        if result.status not in (0, 3):
            return
        whole = t.copied
        there.remove(random.Random("lost of %d" % self.case.seed).choice(there))
        result, copy = t.join(there, "--salvage", "-v")
        need(result.status in (0, 1, 3), "njoin --salvage without a member: status %s",
             result.status)
        if copy is None:
            return
        part = t.copied
        named = pages(result.ranges("missing")) | pages(result.ranges("unreadable"))
        compare(t.core, copy, named, "njoin --salvage without a member")
        for at in layers.places if not self.changes and not self.source_harm else ():
            need(at // PAGE in named or any(part[at:at + PAGE]) or not any(whole[at:at + PAGE]),
                 "the page at %d was stored, and looks left out without a member", at)
