#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Changes files of makedumpfile at random: what the original can still copy, njoin copies.

mutations.py COUNT [FIRST_SEED]: a small core is dumped with each codec that makedumpfile has, at levels 0 and 1: as one
file, flattened, split, as an ELF core, and as a flattened one.  Each seed chooses one dump, changes it, and copies it
with makedumpfile (VMCORE, -R or --reassemble), and with njoin, or nsplit under the name makedumpfile.  Both copies are
read without any code of nsplit.  These are failures:

lost	makedumpfile ends with 0, its copy has a page of the core, and ours has not
wrong	a page is not the core's, nor what the changed file says of it where the page itself was changed, and the exit
	status is 0
silent	a page of the dump is missing, and the exit status is 0
doubtful	likewise with another exit status, so that it was said that something is wrong: not counted as a failure
unknown	the notes of an ELF core are damaged, and njoin does not take it for the core of a kernel: not counted either,
	since makedumpfile does so only if nothing is left out, and assumes pages of the size that this machine has
broken	a signal, a hang, a report of a sanitizer, or an exit status above 3

With one seed, everything is printed.  Environment: MAKEDUMPFILE, the program; TMPDIR.  Exit status: 0 no failure,
1 some, 77 makedumpfile cannot make the dumps.
"""
import collections
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

from dumps import CODECS, MAKEDUMPFILE, in_directory
from reading import END, LARGEST, PAGE, PIECE, Core, Dump, Image, dump_pages, elf_pages, holds, pieces, unpack

OURS_SECONDS, ORIGINAL_SECONDS = 60, 10
SPECIAL = (0, 1, 2, 7, 8, 0x7f, 0xff, 4095, 4096, 4097, 65535, 65536, 1 << 20, 1 << 31, (1 << 32) - 1, 1 << 32,
           1 << 44, 1 << 52, (1 << 63) - 1, 1 << 63, END, END - 4095)
LOG = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, 'check': False}


# --- reading, without any code of nsplit

def read_pages(name, pfns):
    """The pages of the core that a copy has."""
    if not os.path.exists(name) or os.path.getsize(name) < 64:
        return {}
    with open(name, 'rb') as file:
        data = file.read(LARGEST)
    found = elf_pages(data, pfns) if data.startswith(b'\x7fELF') else dump_pages(data)
    return {pfn: page for pfn, page in found.items() if page is not None}


# --- the dumps

class Set:
    """A dump of makedumpfile: its files, and what is where in them."""

    def __init__(self, name, form, codec, level, core):
        self.name, self.form, self.codec, self.level = name, form, codec, level
        self.elf, self.flat = form.startswith('elf'), form.endswith('flat')
        self.files = []
        for i in range(3 if form == 'split' else 1):
            with open(f'{name}.{i}', 'rb') as file:
                self.files.append(file.read())
        self.images = [Image(data, pieces(data)[0]).bytes if self.flat else data for data in self.files]
        if self.elf:
            self.pages = elf_pages(self.images[0], core)
        else:
            self.pages = {}
            self.places = {}        # of the descriptor of each page: the file, and the offset in it
            for i, image in enumerate(self.images):
                dump = Dump(image)
                first, end = dump.part() if form == 'split' else (0, len(dump.pfns))
                for rank in range(first, end):
                    self.pages[dump.pfns[rank]] = dump.page(rank - first)
                    self.places[dump.pfns[rank]] = i, dump.descriptors + 24 * (rank - first)
        wrong = [pfn for pfn, page in self.pages.items() if page != core[pfn]]
        if wrong or not self.pages:
            raise RuntimeError(f'{name}: makedumpfile has made a dump that differs')

    def regions(self, i):
        """The parts of a file: name, begin, end.  Offsets are those of the image."""
        size = len(self.images[i])
        if self.elf:
            first = min(offset for _, offset, size in Core(self.images[i]).segments if size)
            return [('header', 0, 64 + 56 * 6), ('notes', 64 + 56 * 6, first), ('data', first, size)]
        dump = Dump(self.images[i])
        return [('header', 0, 464), ('header', PAGE, PAGE + 104), ('notes', PAGE + 104, dump.bitmaps),
                ('bitmaps', dump.bitmaps, dump.descriptors),
                ('descriptors', dump.descriptors, dump.descriptors + 24 * len(self.part(i))),
                ('data', dump.descriptors + 24 * len(self.part(i)), size), ('end', max(0, size - 200), size)]

    def part(self, i):
        return [pfn for pfn, place in self.places.items() if place[0] == i]

    def commands(self, files):
        """How makedumpfile copies them."""
        if self.form == 'split':
            return ['--reassemble', *files, 'new'], None
        if self.flat:
            return ['-R', 'new'], files[0]
        return [files[0], 'new'], None


def make_sets(core):
    """The core's pages, and the dumps of it."""
    with open('core', 'rb') as file:
        memory = Core(file.read())
    pages = {}
    for start, _, size in memory.segments:
        for pfn in range(start // PAGE, -(-(start + size) // PAGE)):
            pages[pfn] = bytes(memory.read(pfn * PAGE, PAGE))
    sets = []
    for codec, option in CODECS.items():
        for level in 0, 1:
            words = [*option, '-d', str(level), core]
            name = f'{codec}{level}'
            # Without this codec, it does not compress.
            if subprocess.run([MAKEDUMPFILE, *words, f'{name}.plain.0'], **LOG).returncode or (
                    option and os.path.getsize(f'{name}.plain.0') == os.path.getsize(f'raw{level}.plain.0')):
                continue
            split = [f'{name}.split.{i}' for i in range(3)]
            subprocess.run([MAKEDUMPFILE, '--split', '--splitblock-size', '64', *words, *split],
                           **{**LOG, 'check': True})
            with open(f'{name}.flat.0', 'wb') as file:
                subprocess.run([MAKEDUMPFILE, '-F', *words], **{**LOG, 'check': True, 'stdout': file})
            forms = ['plain', 'split', 'flat']
            if codec == 'raw':
                forms += ['elf', 'elf-flat']
                subprocess.run([MAKEDUMPFILE, '-E', *words, f'{name}.elf.0'], **{**LOG, 'check': True})
                with open(f'{name}.elf-flat.0', 'wb') as file:
                    subprocess.run([MAKEDUMPFILE, '-F', '-E', *words], **{**LOG, 'check': True, 'stdout': file})
            sets += [Set(f'{name}.{form}', form, codec, level, pages) for form in forms]
    return sets, pages


# --- changes

class Mutation:
    """One change of one dump: self.files are None where a file is missing, self.order is how they are given."""

    def __init__(self, seed, sets):
        r = self.random = random.Random(f'mutation {seed}')
        # Split ones as often as all others.
        form = r.choice(('split', 'split', 'split', 'flat', 'flat', 'plain', 'plain', 'elf', 'elf-flat'))
        self.set = r.choice([s for s in sets if s.form == form])
        self.sets = sets
        self.files = list(self.set.files)
        self.order = list(range(len(self.files)))
        r.shuffle(self.order)
        self.which = r.randrange(len(self.files))
        kinds = ['flip'] * 6 + ['flips'] * 2 + ['field'] * 4 + ['zeros', 'noise', 'swap', 'stale', 'cut', 'removed']
        kinds += ['piece'] * 5 if self.set.flat else []
        kinds += ['parts', 'parts', 'foreign'] if self.set.form == 'split' else []
        self.kind = r.choice(kinds)
        self.what = ''
        self.moved = False          # bytes are not where they were
        for _ in range(1 if r.random() < 0.85 else r.randint(2, 3)):
            getattr(self, self.kind)()
            if self.kind in ('parts', 'foreign', 'cut', 'removed'):
                break

    @property
    def data(self):
        return self.files[self.which]

    def put(self, at, new):
        self.what += f' {self.which}:{at}+{len(new)}'
        self.files[self.which] = self.data[:at] + new + self.data[at + len(new):]

    def in_file(self, at):
        """Where a byte of the image is in the file."""
        if not self.set.flat:
            return min(at, len(self.data) - 1)
        for place, offset, length in pieces(self.set.files[self.which])[0]:
            if offset <= at < offset + length:
                return place + PIECE + at - offset
        return self.random.randrange(PAGE, len(self.data))

    def place(self):
        """A byte, as often in each kind of region."""
        r = self.random
        if self.set.flat and r.random() < 0.35:
            return r.choice([p[0] for p in pieces(self.set.files[self.which])[0]]) + r.randrange(PIECE)
        regions = self.set.regions(self.which)
        name = r.choice([region[0] for region in regions])
        _, begin, end = r.choice([region for region in regions if region[0] == name])
        return self.in_file(r.randrange(begin, max(begin + 1, end)))

    def flip(self):
        at = min(self.place(), len(self.data) - 1)
        self.put(at, bytes([self.data[at] ^ 1 << self.random.randrange(8)]))

    def flips(self):
        at = self.place()
        for _ in range(self.random.randint(2, 8)):
            near = min(at + self.random.randrange(64), len(self.data) - 1)
            self.put(near, bytes([self.data[near] ^ 1 << self.random.randrange(8)]))

    def field(self):
        r = self.random
        size = r.choice((2, 4, 8, 8))
        at = min(self.place() // size * size, len(self.data) - size)
        value = r.choice(SPECIAL)
        if r.random() < 0.3:
            value = int.from_bytes(self.data[at:at + size], 'little') + r.choice((-4096, -24, -1, 1, 24, 4096))
        order = 'big' if self.set.flat and r.random() < 0.5 else 'little'
        self.put(at, (value & (1 << 8 * size) - 1).to_bytes(size, order))

    def block(self):
        size = self.random.choice((512, 4096))
        return min(self.place(), max(0, len(self.data) - size)) // size * size, size

    def zeros(self):
        at, size = self.block()
        self.put(at, bytes(len(self.data[at:at + size])))

    def noise(self):
        at, size = self.block()
        self.put(at, self.random.randbytes(len(self.data[at:at + size])))

    def swap(self):
        (a, size), (b, _) = self.block(), self.block()
        size = min(size, len(self.data) - a, len(self.data) - b)
        one, other = self.data[a:a + size], self.data[b:b + size]
        self.put(a, other)
        self.put(b, one)

    def stale(self):
        (a, size), (b, _) = self.block(), self.block()
        size = min(size, len(self.data) - a, len(self.data) - b)
        self.put(a, self.data[b:b + size])

    def cut(self):
        at = self.random.choice((self.place(), self.random.randrange(len(self.data))))
        self.what = f' {self.which}: at {at}'
        self.files[self.which] = self.data[:at]

    def removed(self):
        """Or put in."""
        r = self.random
        at, size = self.place(), r.choice((1, 16, 512, 4096))
        self.moved = True
        if r.random() < 0.3:
            self.what = f' {self.which}: {size} bytes put in at {at}'
            self.files[self.which] = self.data[:at] + self.data[at:at + size] + self.data[at:]
        else:
            self.what = f' {self.which}: {size} bytes at {at}'
            self.files[self.which] = self.data[:at] + self.data[at + size:]

    def piece(self):
        """A piece is lost, comes twice or elsewhere, or goes to another place."""
        r, data = self.random, self.data
        all_of, _ = pieces(data)
        if len(all_of) < 2:
            return
        (a, offset, length), (b, _, other) = sorted(r.sample(all_of, 2))
        one, two = data[a:a + PIECE + length], data[b:b + PIECE + other]
        way = r.choice(('lost', 'lost', 'twice', 'swapped', 'moved'))
        self.what += f' {way} {a} {b}'
        self.moved = True
        if way == 'lost':
            data = data[:a] + data[a + len(one):]
        elif way == 'twice':
            data = data[:b] + one + data[b:]
        elif way == 'swapped':
            data = data[:a] + two + data[a + len(one):b] + one + data[b + len(two):]
        else:
            to = r.choice((offset + PAGE, offset ^ 1 << r.randrange(24), r.choice(all_of)[1], offset + length))
            data = data[:a] + struct.pack('>Q', to) + data[a + 8:]
        self.files[self.which] = data

    def parts(self):
        r = self.random
        if r.random() < 0.5:
            self.what = f' without {self.order.pop()}'
        else:
            self.order.insert(r.randrange(4), r.choice(self.order))
            self.what = f' given as {self.order}'

    def foreign(self):
        other = self.random.choice([s for s in self.sets if s.form == 'split' and s is not self.set])
        self.what = f' {self.which} of {other.name}'
        self.files[self.which] = other.files[self.which]
        self.moved = other.level != self.set.level

    def write(self):
        """The names of the files, in their order."""
        for i, data in enumerate(self.files):
            with open(f'm{i}', 'wb') as file:
                file.write(data)
        return [f'm{i}' for i in self.order]

    def truth(self, pfns):
        """Of these page frames: what a page may be besides the core's, since its own bytes were changed."""
        s = self.set
        if s.flat:
            images = [Image(self.data, pieces(self.data)[0])]
            if not self.moved:
                # Where they were before, if only what is in them was changed.
                placed = [(at, offset, length) for at, offset, length in pieces(s.files[0])[0]
                          if self.data[at:at + PIECE] == s.files[0][at:at + PIECE]]
                images.append(Image(self.data, placed))
        else:
            images = []
        found = collections.defaultdict(set)
        # What the headers of an ELF core do not list, nobody can miss.
        self.expected = set() if s.elf else set(s.pages)
        if s.elf:
            whole = [bytes(image.bytes) for image in images] or [self.data]
            for data, image in zip(whole, images or [None]):
                for last in False, True:        # of two segments that a header puts in one place
                    for pfn, page in elf_pages(data, pfns, last).items():
                        self.expected.add(pfn)
                        if not image or holds(image, data, pfn):
                            found[pfn].add(page)
            return found
        for pfn in pfns & set(s.places):
            i, at = s.places[pfn]
            if s.flat:
                for image in images:
                    self.add(found[pfn], image.get, at)
            else:
                data = self.files[i]
                self.add(found[pfn], lambda at, size, data=data: data[at:at + size], at)
        if s.form == 'plain':
            self.add_of_bitmaps(found, pfns)
        return found

    def add_of_bitmaps(self, found, pfns):
        """Nothing shows that bitmaps with as many bits as before are others: they fit the descriptors."""
        try:
            dump = Dump(self.data)
            if len(dump.pfns) != len(self.set.pages) or dump.pfns == sorted(self.set.pages):
                return
            self.expected &= set(dump.pfns)
            for rank, pfn in enumerate(dump.pfns):
                if pfn in pfns:
                    found[pfn].add(dump.page(rank))
        except (TypeError, ValueError, struct.error, OverflowError, IndexError):
            pass

    @staticmethod
    def add(pages, get, at):
        try:
            offset, size, flags = struct.unpack('<QII', get(at, 16))
            if size and offset:
                pages.add(unpack(get(offset, size), flags, PAGE))
        except (TypeError, ValueError, struct.error, OverflowError):
            pass


# --- copies

def run(words, seconds, stdin=None):
    """The exit status (None: it does not end) and standard error.  Without restoring signals, a file that becomes too
    large is an error and no signal."""
    with open(stdin or os.devnull, 'rb') as given:
        try:
            done = subprocess.run(words, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                                  timeout=seconds, restore_signals=False)
        except subprocess.TimeoutExpired:
            return None, ''
    return done.returncode, done.stderr.decode(errors='replace')


def original_copy(mutation, names, core):
    """The pages that makedumpfile copies, if it succeeds.  It hangs if a flattened dump has no end."""
    if mutation.set.flat and not pieces(mutation.files[0])[1]:
        return None, {}
    words, stdin = mutation.set.commands(names)
    status, _ = run([MAKEDUMPFILE, '-f', *words], ORIGINAL_SECONDS, stdin)
    if status != 0:
        return status, {}
    # It makes a page of zeros of what it cannot read.
    return status, {pfn: page for pfn, page in read_pages('new', core).items() if core.get(pfn) == page and any(page)}


def our_command(mutation, names):
    r = mutation.random
    threads = r.choice(('-j1', '-j1', '-j2'))
    way = r.random()
    if way < 0.25:
        words, stdin = mutation.set.commands(names)
        return ['./makedumpfile', '-f', *words], stdin
    stdin = None
    if mutation.set.form in ('plain', 'flat', 'elf-flat') and r.random() < 0.3:
        stdin, names = names[0], ['-']
    if way < 0.4 and mutation.set.form != 'elf':
        return ['njoin', '-q', '-f', threads, '--format=elf', '-o', 'new', *names], stdin
    salvage = ['--salvage'] if way < 0.5 else []
    return ['njoin', '-q', '-f', threads, *salvage, '--format=kdump', '-o', 'new', *names], stdin


def judge(mutation, status, err, ours, theirs, core):
    """What is wrong: a word and a sentence, or None."""
    if status is None:
        return 'broken', 'it does not end'
    if not 0 <= status <= 3 or 'Sanitizer' in err or 'runtime error' in err:
        return 'broken', f'exit status {status}'
    truth = mutation.truth({pfn for pfn in set(core) | set(ours) if ours.get(pfn) != core.get(pfn)})
    # Not what makedumpfile has of a flattened dump since a hole is zeros, nor what is in two places that differ now.
    lost = [pfn for pfn in theirs if ours.get(pfn) != core[pfn] and ours.get(pfn) not in truth[pfn] and
            (core[pfn] in truth[pfn] or not mutation.set.flat)]
    wrong = [pfn for pfn, page in ours.items() if page != core.get(pfn) and page not in truth[pfn]]
    if mutation.copy_is_elf:    # which has zeros for missing pages
        missing = [pfn for pfn in wrong if not any(ours[pfn])]
        wrong = [pfn for pfn in wrong if any(ours[pfn])]
    else:
        missing = []
    missing += [pfn for pfn in mutation.set.pages if pfn in mutation.expected and pfn not in ours and any(core[pfn])]
    if wrong:
        return ('wrong' if status == 0 else 'doubtful',
                f'status {status}, and page frames {wrong[:8]} of {len(wrong)} are wrong')
    if lost and mutation.set.elf and not ours and 'the core has no VMCOREINFO' in err:
        return None
    if lost and mutation.kind != 'foreign':
        return 'lost', f'status {status}, and page frames {lost[:8]} are lost: {len(lost)} of {len(theirs)}'
    if status == 0 and missing:
        return 'silent', f'page frames {missing[:8]} of {len(missing)} are missing'
    return None


def one(seed, sets, core, verbose):
    mutation = Mutation(seed, sets)
    names = mutation.write()
    for name in 'new', 'new.theirs':
        if os.path.lexists(name):
            os.unlink(name)
    their_status, theirs = original_copy(mutation, names, core)
    if os.path.exists('new'):
        os.unlink('new')
    words, stdin = our_command(mutation, names)
    status, err = run(words, OURS_SECONDS, stdin)
    ours = read_pages('new', core) if status is not None else {}
    mutation.copy_is_elf = False
    if os.path.exists('new'):
        with open('new', 'rb') as file:
            mutation.copy_is_elf = file.read(4) == b'\x7fELF'
    problem = judge(mutation, status, err, ours, theirs, core)
    if problem or verbose:
        print(f'seed {seed}: {mutation.set.name}, {mutation.kind}{mutation.what[:200]}: ' +
              (f'{problem[0].upper()}: {problem[1]}' if problem else 'right'))
        print(f'  {" ".join(words)}{" < " + stdin if stdin else ""}: exit status {status}, {len(ours)} pages; '
              f'makedumpfile: {their_status}, {len(theirs)} pages of the core')
        print(''.join(f'  | {line}\n' for line in err.splitlines()[:8]), end='', flush=True)
    return mutation, status, problem[0] if problem else 'unknown' if 'the core has no VMCOREINFO' in err else None


def print_table(counts, seconds):
    forms = sorted({form for form, _ in counts})
    columns = ['complete', 'in part', 'refused', 'unknown', 'doubtful', 'lost', 'wrong', 'silent', 'broken']
    print('%-20s %10s' % ('dump, change', 'mutations') + ''.join(' %9s' % column for column in columns))
    total = collections.Counter()
    for form in forms:
        for kind in sorted(kind for f, kind in counts if f == form):
            row = counts[form, kind]
            total.update(row)
            print('%-20s %10d' % (f'{form}, {kind}', sum(row.values())) +
                  ''.join(' %9d' % row[column] for column in columns))
    print('%-20s %10d' % ('all', sum(total.values())) + ''.join(' %9d' % total[column] for column in columns))
    print(f'{sum(total.values())} mutations in {seconds:.0f} s', flush=True)


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([sys.executable, '-B', os.path.join(here, 'core.py'), 'core', 'kernel'], check=True)
    sets, core = make_sets('core')
    if not sets:
        print(f'SKIP: {MAKEDUMPFILE} cannot dump the core')
        return 77
    os.environ.update(LC_ALL='C', NSPLIT_CONFIG='')
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    os.symlink(shutil.which('nsplit'), 'makedumpfile')
    counts, bad, start = collections.defaultdict(collections.Counter), [], time.monotonic()
    for seed in range(first, first + count):
        mutation, status, problem = one(seed, sets, core, count == 1)
        outcome = problem or {0: 'complete', 3: 'in part'}.get(status, 'refused')
        counts[mutation.set.form, mutation.kind][outcome] += 1
        if problem not in (None, 'unknown', 'doubtful'):
            bad.append(seed)
    if count > 1:
        print_table(counts, time.monotonic() - start)
    if bad:
        print('failures: seeds ' + ' '.join(map(str, bad)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(in_directory(main))
