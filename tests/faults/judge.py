# SPDX-License-Identifier: GPL-2.0-or-later
"""Was it right?  Compares what nsplit claims with the bytes that are there.

exit 0	Perfect: what lives joins into the same bytes, and nothing was said to be missing.
exit 3	What is missing is named exactly: by nsplit, and by njoin from the members alone.
	All else is the same, and the rest reads as zeros.  There is a reason for it.
	Or no output lives, and salvage reads what there is.
exit 1	No output lives, and nothing that lies there pretends to be more than it is.
a signal that asked it to stop
	The members are closed, and what is missing of them is named as above.
SIGKILL	What lies there is right, or named as missing.

All else is wrong: any other signal, a time-out, a sanitizer's finding, any other status.
"""
import re
import signal

from schedule import COMMANDS, STREAM
from trial import TIMED_OUT
from checks import Wrong, clipped, compare, harmless, need, pages

LISTED = 20             # ranges that nsplit names before it only counts them

# A range that has no end that could be named.
OPEN_END = re.compile(r"after \d+ bytes|read only up to byte \d+")

SIGNALS = {name: -getattr(signal, name)
           for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")}


class Judge:
    def __init__(self, trial):
        self.t = trial
        self.case = trial.case
        self.told_missing = trial.nsplit.ranges("missing")
        self.told_unreadable = trial.nsplit.ranges("unreadable")
        self.signals = [f for f in trial.faults if f.what in SIGNALS]
        self.harm = [f for f in trial.faults
                     if f not in self.signals and not harmless(f)]
        self.source_harm = [f for f in self.harm if f.name == "core"]

    def verdict(self):
        """None, or what is wrong."""
        try:
            self.ended_well()
            if not self.deceived():
                {0: self.perfect, 1: self.failed, 3: self.incomplete,
                 -signal.SIGKILL: self.killed}.get(self.t.nsplit.status, self.stopped)()
            self.dead_members_do_no_harm()
            if not self.deceived():
                self.case.join.carry_out(self.t)
            need(not self.t.locks, "%s", "; ".join(sorted(set(self.t.locks))))
        except Wrong as e:
            return str(e)
        return None

    def ended_well(self):
        said = self.t.nsplit
        need(said.status != TIMED_OUT, "nsplit hangs")
        for word in ("Sanitizer", "runtime error"):
            need(word not in said.err, "a sanitizer complains")
        need(said.status in self.possible(), "exit status %s", said.status)
        need(said.status <= 0 or not self.must_be_perfect(),
             "exit status %s, and what failed leaves a perfect copy", said.status)
        if not self.harm and not self.signals and not any(
                self.touched(i) for i in range(self.case.outputs)):
            need(not said.err, "it complains, and nothing happened that counts")

    def possible(self):
        """The exit statuses that a program could have that met these signals."""
        asked = {SIGNALS[f.what] for f in self.signals}
        if -signal.SIGKILL in asked:
            return asked
        # With no threads it looks at its signals after each chunk; with threads, when it can.
        if asked and not self.case.threads and self.t.stats and any(
                f.name == "m%d" % i and f.nth <= s["records"] for f in self.signals
                for i, s in enumerate(self.t.stats["sinks"])):
            return asked
        return asked | {0, 1, 3}

    def deceived(self):
        """What a pipe has taken, its reader can throw away, and no writer ever hears of it:
        such a member has less than nsplit was told."""
        return any(self.t.cut(i) for i in self.t.living)

    def touched(self, i):
        return (self.case.kinds[i] in ("full", "command that fails", "command that leaves") or
                self.t.cut(i) or
                any(f.name in ("m%d" % i, "d%d" % i) for f in self.harm))

    def is_command(self, i):
        """One that has ended takes nothing over from those that fail behind it."""
        return self.case.kinds[i] in COMMANDS

    def hung(self, i):
        """Its call never came back, so that nothing is done with it any more."""
        return any(f.name == "m%d" % i and f.what == "hang" for f in self.harm)

    def must_be_perfect(self):
        """One output at least met nothing, and the source gave everything when asked again."""
        if all(self.touched(i) or (self.is_command(i) and len(self.t.states) > 1)
               for i in range(self.case.outputs)):
            return False
        if self.case.source == STREAM:
            return not self.harm and not any(self.touched(i)
                                             for i in range(self.case.outputs))
        return not self.source_harm or (
            len(self.source_harm) == 1 and self.source_harm[0].call in ("pread", "mmap"))

    def perfect(self):
        t = self.t
        need(not self.told_missing, "perfect, it says, and names something missing")
        need(not self.told_unreadable or "failed" in t.states,
             "perfect, it says, and names something unreadable")
        self.living_are_closed()
        for i in t.there:
            need(i in t.living or not t.removable(i) or self.hung(i),
                 "%s failed, the copy is perfect without it, and it is still there",
                 self.case.name(i))
        said, copy = t.join(t.living)
        need(said.status == 0 and not said.err, "njoin of what lives: status %s", said.status)
        need(copy == t.core, "njoin's copy differs, and both say that it is perfect")
        said, info = t.info(t.living)
        need(said.status == 0 and info["complete"], "njoin --info does not say complete")

    def living_are_closed(self):
        for i in self.t.living:
            need(self.t.closed(i), "%s is one that counts, and has no footer",
                 self.case.name(i))

    def incomplete(self):
        if not self.t.living:
            self.only_salvage()
            return
        missing, unreadable, info = self.named_exactly()
        need(not info["complete"], "njoin --info says complete")
        self.has_a_reason(missing, unreadable, info)

    def only_salvage(self):
        """No member could be closed, and what was written to them is kept."""
        t = self.t
        need("that njoin --salvage can read" in t.nsplit.err,
             "incomplete, it says, and no output is left")
        _, copy = t.join(self.files(), "--salvage")
        need(copy is not None, "salvage should read something, and does not")

    def files(self):
        return [i for i in self.t.there if self.case.kinds[i] == "file"]

    def named_exactly(self):
        """What njoin finds to be missing or unreadable is what nsplit named, and so it is."""
        t = self.t
        self.living_are_closed()
        said, info = t.info(t.living)
        status = 0 if info["complete"] else 3
        need(said.status == status, "njoin --info: status %s", said.status)
        missing = [(m["offset"], m["offset"] + m["length"]) for m in info["missing"]]
        self.same_missing(missing, info)
        # All ranges, and not only the first ones of each kind.
        said, copy = t.join(t.living, "--salvage", "-v")
        need(said.status == status and copy is not None, "njoin --salvage: status %s",
             said.status)
        need(said.ranges("missing") == missing,
             "njoin names other ranges than --info")
        unreadable = said.ranges("unreadable")
        compare(t.core, copy, pages(missing) | pages(unreadable), "njoin --salvage")
        need(len(copy) == len(t.core) or
             (self.case.source == STREAM and info["stopped"]),
             "the end of the source is missing, and not named")
        self.unreadable_is_so(unreadable, pages(missing))
        return missing, unreadable, info

    def same_missing(self, missing, info):
        """Of a stream that broke, njoin knows no more than the last record."""
        size = info["source_size"] if info["stopped"] else len(self.t.core)
        need(clipped(self.told_missing, size)[:LISTED] == missing[:LISTED],
             "nsplit and njoin do not name the same missing ranges")
        need(info["stopped"] or len(missing) <= LISTED or
             "missing: %d more range" % (len(missing) - LISTED) in self.t.nsplit.err,
             "nsplit counts another number of missing ranges than njoin")

    def unreadable_is_so(self, unreadable, missing):
        t = self.t
        told, found = pages(self.told_unreadable), pages(unreadable)
        if "more ranges are not listed here" not in t.nsplit.err:
            need(found <= told, "njoin finds unreadable what nsplit did not name")
            # What an output held that died was read again, perhaps with more luck.
            need("failed" in t.states or "full" in t.states or found == told,
                 "nsplit names unreadable what njoin can read")
        hit = pages((f.offset, f.offset + f.length) for f in self.source_harm)
        need(found <= hit, "unreadable is what never met a fault")
        for rule in self.case.rules:
            if rule.startswith("pread:core:@"):
                start, end = map(int, rule.split(":")[2][1:].split("-"))
                need(pages([(start, end)]) - missing <= found,
                     "bytes %d to %d cannot be read, and are not marked", start, end - 1)

    def has_a_reason(self, missing, unreadable, info):
        stream = self.case.source == STREAM
        if missing and not stream:
            need(not [i for i, state in enumerate(self.t.states)
                      if state == "unused" or (state == "whole" and not self.is_command(i))],
                 "something is missing, and an output was left")
        if missing and stream:
            need("failed" in self.t.states or "whole" not in self.t.states,
                 "something is missing, and no output failed")
        if info["stopped"]:
            need(stream and (self.source_harm or "whole" not in self.t.states),
                 "the capture ended early, for no reason")
            need(OPEN_END.search(self.t.nsplit.err),
                 "nsplit does not say how far it came in a source that it did not finish")
        need(missing or unreadable or info["stopped"],
             "incomplete, it says, and all is there")

    def stopped(self):
        """Asked to stop, it closed the members.  Not so while it opens a stream, which may
        wait long for its reader, nor when it is asked twice."""
        t = self.t
        if t.stats is None:
            need(len(self.signals) > 1 or self.to_stream(self.signals[0]),
                 "a signal ended it at once")
            return
        need("closing the members" in t.nsplit.err, "it was stopped, and does not say so")
        if t.living:
            self.named_exactly()
        else:
            need("whole" not in t.states, "it was stopped, and an output is gone")

    def to_stream(self, fault):
        return any(fault.name == "m%d" % i and kind != "file"
                   for i, kind in enumerate(self.case.kinds))

    def killed(self):
        """All that is to be said, dead_members_do_no_harm() says."""

    def failed(self):
        t = self.t
        need("nsplit: " in t.nsplit.err, "it failed, and says nothing")
        if t.stats is None:
            need(any(f.call == "open" for f in self.source_harm),
                 "it failed for no reason")
            need(not [i for i in t.there if t.removable(i)], "it failed, and left an output")
            return
        need(not t.living, "it failed, and %d of the outputs live", len(t.living))
        for i in self.files():
            said, copy = t.join([i], "--salvage")
            # Where the size of the source is known, the copy is as long; a stream's is not.
            need(copy is None or pages(said.ranges("missing")) >= pages([(0, len(copy))]),
                 "nothing was captured, it says, and %s holds something", self.case.name(i))

    def dead_members_do_no_harm(self):
        """All that lies there, without looking at what nsplit said of it.  Of a fallback that
        was not needed there is nothing."""
        t = self.t
        for i, state in enumerate(t.states):
            need(state != "unused" or i not in t.there or not t.removable(i),
                 "%s was not needed, and is there", self.case.name(i))
        there = [i for i in t.there if t.stats or self.signals]
        if not there or there == t.living:
            return
        said, copy = t.join(there)
        need(said.status in (0, 1, 3), "njoin of all that is there: status %s", said.status)
        if said.status == 0:
            need(copy == t.core, "njoin of all that is there: perfect, it says, and differs")
        said, copy = t.join(there, "--salvage", "-v")
        need(said.status in (0, 1, 3), "njoin --salvage of all: status %s", said.status)
        if copy is None:
            return
        named = pages(said.ranges("missing")) | pages(said.ranges("unreadable"))
        compare(t.core, copy, named, "njoin --salvage of all that is there")
