# SPDX-License-Identifier: GPL-2.0-or-later
"""From a seed to a source, a capture, and the faults during it.

A seed gives the same case on every machine, except that raw replaces a codec that the build
lacks.  The files are core (the source) and dI/mI (output I), so that a fault can name the
directory of a single output.
"""
import random

from join import Join
from layers import Layers

KIB = 1024
FILE, MAP, STREAM = "file", "map", "stream"
BLOCK_MIN = 4096
SEGMENT_RECORDS = 1022
PIPES = ("pipe", "slow pipe", "pipe that breaks")
COMMANDS = ("command", "command that fails", "command that leaves")


class Case:
    """What a seed determines.  rules is the schedule in the form that inject.so reads."""

    def __init__(self, seed, source=None):
        """With a source of layers.py, pages are left out."""
        r = self.random = random.Random(seed)
        self.seed = seed
        self.size = r.randrange(64 * KIB, 3072 * KIB) + r.choice((0, 0, 1, 511, 4096))
        if r.random() < 0.6:
            self.size -= self.size % BLOCK_MIN
        self.pattern = r.choice(("mixed", "mixed", "random", "text", "same", "zero"))
        self.chunk = r.choice((16, 16, 32, 64, 128, 256)) * KIB
        self.block = min(self.chunk, r.choice((4, 4, 4, 8, 16)) * KIB)
        self.codec = r.choice(("raw", "lzo", "lzo", "snappy", "lz4", "zstd", "zlib"))
        self.outputs = r.randint(1, 4)
        self.threads = r.choice((0, 1, 2, 3, 4))        # 0: --serial
        self.source = r.choice((FILE, FILE, MAP, STREAM))
        self.stripe = r.random() < 0.2
        self.direct = r.choice(("auto", "auto", "never"))
        # The output that is standard output, a stream, if any.
        self.standard = r.randrange(self.outputs) if r.random() < 0.15 else None
        # The output that exists before and is overwritten, if any.
        self.existing = r.randrange(self.outputs) if r.random() < 0.1 else None
        if r.random() < 0.04:
            self.many_records()
        self.layers = Layers(source, random.Random("layers of %d" % seed)) if source else None
        if source:
            self.leave_out(source)
        self.hangs = False
        self.rules = []
        for _ in range(r.choices(range(5), (1, 8, 6, 3, 2))[0]):
            self.rules += self.sink_fault() if r.random() < 0.75 else self.source_fault()
        # Later additions use their own random numbers, so that older seeds keep their meaning.
        self.random = random.Random("more of %d" % seed)
        if self.random.random() < 0.15:
            self.rules += self.signal()
        self.kinds = ["file"] * self.outputs
        if self.standard is not None:
            self.kinds[self.standard] = "stdout"
        self.feed = None
        self.tight = False
        self.other_kinds()
        if self.threads and self.random.random() < 0.04:
            self.rules += self.hang()
        if not self.stripe and self.random.random() < 0.15:
            self.codec = "auto"
        self.join = Join(self)
        # Another later addition.
        self.random = random.Random("commands of %d" % seed)
        self.fallback = self.outputs > 1 and self.random.random() < 0.2
        self.some_are_commands()
        self.memory_more = 0
        if self.layers:
            self.more_layers()
        # The first rule applies: bad bytes fail whenever they are read, whatever else happens to the call.
        self.rules.sort(key=lambda rule: ":@" not in rule)

    def more_layers(self):
        """Another later addition."""
        r = self.random = random.Random("more layers of %d" % self.seed)
        self.layers.more(r)
        if self.layers.change:
            i = r.randrange(self.outputs)
            read = "mmap" if self.source == MAP else "pread"
            self.rules.append(r.choice((
                "%s:%d" % (self.write_of(i), self.nth_write()), "fsync:m%d:1" % i,
                "%s:core:%d" % (read, r.randint(1, 600)))) + ":change")
        self.memory_more = r.choice((0, r.randrange(16 << 20)))

    def leave_out(self, source):
        """A stream cannot be read twice, and the order of striped members does not allow it."""
        r = random.Random("sizes of %d" % self.seed)
        self.size = source.size
        self.chunk = r.choice((64, 128, 256, 1024)) * KIB
        self.block = min(self.chunk, r.choice((4, 4, 4, 8, 64)) * KIB)
        self.stripe = False
        if self.source == STREAM:
            self.source = MAP

    def name(self, i):
        """The file of the member; for a pipe, the file that its reader writes."""
        return "d%d/%s%d" % (i, "r" if self.kinds[i] in PIPES else "m", i)

    def operand(self, i):
        """The operand of nsplit."""
        member = "d%d/m%d" % (i, i)
        return {"stdout": "-", "full": "/dev/full", "command": "|cat > " + member,
                "command that fails": "|cat > %s; exit 1" % member,
                "command that leaves": "|head -c %d > %s" % (self.leaves_after, member)
                }.get(self.kinds[i], member)

    def other_kinds(self):
        """Pipes whose readers are slow or close them; a device that is always full; a pipe as
        the source, whose writer closes it; the smallest possible memory limit."""
        r = self.random
        if r.random() < 0.2:
            for i in range(self.outputs):
                if self.kinds[i] == "file" and i != self.existing and r.random() < 0.5:
                    self.kinds[i] = r.choice(PIPES + ("full",))
                    if self.kinds.count("full") > 1:
                        self.kinds[i] = "file"          # an output must not be given twice
        self.leaves_after = r.randint(1, 400000)
        if self.source == STREAM and r.random() < 0.3:
            self.feed = r.randint(1, self.size)
        self.tight = r.random() < 0.1
        # A pipe is written with write, not with pwrite.
        for i in range(self.outputs):
            if self.kinds[i] in PIPES:
                self.rules = [rule.replace("pwrite:m%d:" % i, "write:m%d:" % i)
                              for rule in self.rules]

    def some_are_commands(self):
        """Commands replace files.  They fail only as their kind says."""
        r = self.random
        if r.random() < 0.2:
            for i in range(self.outputs):
                if self.kinds[i] == "file" and i != self.existing and r.random() < 0.6:
                    self.kinds[i] = r.choices(COMMANDS, (3, 1, 1))[0]

    def many_records(self):
        """More than an index segment holds, so that one is written during the capture."""
        self.chunk = self.block = BLOCK_MIN
        self.outputs = 1
        self.standard = self.standard and 0
        self.existing = self.existing and 0
        self.size = (SEGMENT_RECORDS + self.random.randint(0, 300)) * BLOCK_MIN

    def nth_write(self):
        """The number of a write of an output: superblock, records, index, footer, or one more."""
        writes = self.size // self.chunk // self.outputs + 4
        if self.chunk == BLOCK_MIN and self.random.random() < 0.6:
            return SEGMENT_RECORDS + self.random.randint(0, 6)
        if self.random.random() < 0.2:
            return self.random.randint(max(1, writes - 4), writes)
        return self.random.randint(1, writes)

    def sink_fault(self):
        r = self.random
        i = r.randrange(self.outputs)
        call = r.choices(("write", "fsync", "close", "open", "fallocate", "ftruncate",
                          "directory"), (60, 16, 5, 5, 5, 5, 4))[0]
        if call == "write":
            return self.write_fault(self.write_of(i))
        if call == "fsync":
            return ["fsync:m%d:%s:%s" % (i, r.choice(("1", "2", "3", "1-", "2-")),
                                         r.choice(("EIO", "EIO", "ENOSPC", "EDQUOT",
                                                   "slow=3")))]
        if call == "close":
            return ["close:m%d:%d:%s" % (i, r.randint(1, 5), r.choice(("EIO", "EINTR", "ENOSPC")))]
        if call == "open":
            return ["open:m%d:1:%s" % (i, r.choice(("EIO", "EACCES", "EMFILE", "ENOSPC")))]
        if call == "fallocate":
            return ["fallocate:m%d:%s:%s" % (i, r.choice(("1", "2", "1-")),
                                             r.choice(("ENOSPC", "EOPNOTSUPP", "EINTR",
                                                       "EIO")))]
        if call == "ftruncate":
            return ["ftruncate:m%d:%d:%s" % (i, r.randint(1, 4), r.choice(("EIO", "EINTR")))]
        return ["%s:d%d:%d:%s" % (r.choice(("fsync", "open")), i, r.randint(1, 2),
                                  r.choice(("EIO", "EINVAL", "EACCES")))]

    def write_of(self, i):
        return "%s:m%d" % ("write" if i == self.standard else "pwrite", i)

    def signal(self):
        """A signal to stop, or SIGKILL."""
        r = self.random
        what = r.choice(("SIGTERM", "SIGTERM", "SIGINT", "SIGHUP", "SIGKILL", "SIGKILL"))
        where = "%s:%d" % (self.write_of(r.randrange(self.outputs)), self.nth_write())
        return ["%s:%s" % (r.choice((where, where, where, "fsync:m0:1")), what)]

    def hang(self):
        """A call that never returns, sometimes together with a signal to stop.  Rare, since each
        takes the time of --sink-timeout."""
        r = self.random
        i = r.randrange(self.outputs)
        n = self.nth_write()
        self.hangs = True
        rules = ["%s:hang" % r.choice(("%s:%d" % (self.write_of(i), n),
                                       "%s:%d" % (self.write_of(i), n),
                                       "fsync:m%d:%d" % (i, r.randint(1, 2)),
                                       "ftruncate:m%d:%d" % (i, r.randint(1, 2)),
                                       "close:m%d:%d" % (i, r.randint(1, 5))))]
        return rules + (self.signal() if r.random() < 0.3 else [])

    def write_fault(self, where):
        r = self.random
        n = self.nth_write()
        kind = r.choice(("dies", "gone", "full", "full", "full for ever",
                         "half, then dies", "half, then full",
                         "transient", "transient", "transient"))
        if kind == "dies":
            return ["%s:%d:%s" % (where, n, r.choice(("EIO", "ENXIO", "EPIPE", "EINVAL")))]
        if kind == "gone":
            return ["%s:%d-:EIO" % (where, n)]
        if kind == "full":
            return ["%s:%d:%s" % (where, n, r.choice(("ENOSPC", "EDQUOT", "EFBIG",
                                                      "short=0")))]
        if kind == "full for ever":
            return ["%s:%d-:ENOSPC" % (where, n)]
        if kind.startswith("half"):
            why = "EIO" if kind.endswith("dies") else r.choice(("ENOSPC", "EDQUOT", "EFBIG"))
            return ["%s:%d:short" % (where, n), "%s:%d:%s" % (where, n + 1, why)]
        return ["%s:%s" % (where, self.transient(n))]

    def transient(self, n):
        """A fault that nsplit handles without a message."""
        r = self.random
        return r.choice(("%d-%d:EINTR" % (n, n + r.randint(0, 5)), "%d:EAGAIN" % n,
                         "%d:short" % n, "%d-:short" % n,
                         "%d:short=%d" % (n, r.randint(1, 9000)),
                         "%d:slow=%d" % (n, r.randint(1, 8))))

    def source_fault(self):
        r = self.random
        n = r.randint(1, self.size // self.chunk + 2)
        if r.random() < 0.03:
            return ["open:core:1:EIO"]
        if self.source == STREAM:
            if r.random() < 0.35:
                return ["read:core:%d:EIO" % n]
            return ["read:core:%s" % self.transient(n)]
        kind = r.choice(("once", "some", "bad bytes", "bad bytes", "transient", "cut short"))
        if kind == "bad bytes":
            return self.bad_bytes()
        if self.source == MAP and kind != "cut short":
            return ["mmap:core:%s" % r.choice(("%d:bus" % n, "%d-%d:bus" % (n, n + 3),
                                               "%d:EAGAIN" % n, "%d-:ENOMEM" % n))]
        if kind == "transient":
            return ["pread:core:%s" % self.transient(n)]
        if kind == "cut short":
            return ["pread:core:%d-:short=0" % n]
        last = n if kind == "once" else n + r.randint(1, 12)
        return ["pread:core:%d-%d:%s" % (n, last, r.choice(("EIO", "EFAULT")))]

    def bad_bytes(self):
        """A bad sector or page: every read of it fails."""
        r = self.random
        start = r.randrange(self.size)
        end = min(self.size, start + r.choice((1, 4096, 20000)))
        rules = ["pread:core:@%d-%d:%s" % (start, end, r.choice(("EIO", "EFAULT")))]
        if self.source == MAP:
            rules.append("mmap:core:@%d-%d:bus" % (start, end))
        return rules

    def arguments(self, codecs):
        """The options and operands of nsplit."""
        words = ["-q", "--overwrite-dumps", "--stats=stats", "--chunksize=%d" % self.chunk,
                 "--blocksize=%d" % self.block, "--direct=" + self.direct,
                 "--compress=" + (self.codec if self.codec in codecs | {"auto"} else "raw")]
        words += ["--serial"] if not self.threads else ["--threads=%d" % self.threads]
        words += ["--sink-timeout=1"] if self.hangs else []
        words += ["--stripe"] if self.stripe else []
        words += [self.layers.option()] if self.layers else []
        words += ["--mmap=" + ("always" if self.source == MAP else "never")]
        words += ["-" if self.source == STREAM else "core"]
        operands = [self.operand(i) for i in range(self.outputs)]
        return words + operands[:-1] + ["--fallback=" * self.fallback + operands[-1]]
