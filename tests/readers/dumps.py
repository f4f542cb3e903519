#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""njoin reads the dumps of makedumpfile, and repairs those that are cut.

dumps.py CORE...: each core is dumped with every codec that makedumpfile has, at levels 0, 1 and 31, as one file,
flattened and split.  njoin makes one dump of each, packed with zlib, whose pages must be those of the core.  Then
dumps are cut at random places: what njoin restores must be exactly what was there, marked as incomplete.

Environment: MAKEDUMPFILE, the program; CUTS, how many are cut for each core (default 200); SEED, of the places;
TMPDIR, which needs three times the size of a core.  Exit status: 0 all are right, 1 some are wrong.
"""
import mmap
import os
import random
import subprocess
import sys
import tempfile

from reading import Core, Dump, unflatten

MAKEDUMPFILE = os.environ.get('MAKEDUMPFILE') or 'makedumpfile'
CUTS = int(os.environ.get('CUTS') or '200')
SEED = int(os.environ.get('SEED', '1'))
CODECS = {'raw': [], 'zlib': ['-c'], 'lzo': ['-l'], 'snappy': ['-p'], 'zstd': ['-z']}
TIME_LIMIT = 120
INCOMPLETE = 8
wrong = 0


def mapped(name):
    with open(name, 'rb') as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def left_of(form, data, whole):
    """The page frames that njoin must find if this is left of the file plain, flat or s0."""
    if form == 'plain':
        return whole.there(lambda offset, length: offset + length <= len(data))
    if form == 's0':
        if len(data) < 16:
            return []
        left = Dump(mapped('s0')).there(lambda offset, length: offset + length <= len(data))
        for name in 's1', 's2':
            left += Dump(mapped(name)).there(lambda offset, length: True)
        return sorted(left)
    image, there = unflatten(data, len(whole.bytes))
    if not all(there[:464]):
        return []
    # Pages are counted by the bits before them.
    cut = there.find(0, whole.bitmaps + (whole.descriptors - whole.bitmaps) // 2, whole.descriptors)
    dump = Dump(image)
    if cut >= 0:
        known = 8 * (cut - whole.bitmaps - (whole.descriptors - whole.bitmaps) // 2)
        dump.pfns = [pfn for pfn in dump.pfns if pfn < known]
    return dump.there(lambda offset, length: there.find(0, offset, offset + length) < 0)


def complain(what):
    global wrong
    wrong += 1
    print('WRONG: ' + what, flush=True)


def difference(core, new, want):
    """What is wrong with a dump that should have these pages; empty: nothing."""
    if new.pfns != want:
        return f'{len(new.pfns)} pages and not {len(want)}'
    for rank, pfn in enumerate(new.pfns):
        if new.page(rank) != core.read(pfn * new.page_size, new.page_size):
            return f'page frame {pfn} differs'
    return ''


def njoin(options, data=None):
    """The exit status, or None if it does not end."""
    try:
        return subprocess.run(['njoin', '-q', '--overwrite-dumps', *options], input=data, stderr=subprocess.DEVNULL,
                              timeout=TIME_LIMIT, check=False).returncode
    except subprocess.TimeoutExpired:
        return None


def make_dumps(core, codec, level):
    """Writes the files plain, flat and s0 to s2; false: makedumpfile cannot."""
    for name in 'plain', 'flat', 's0', 's1', 's2':
        if os.path.exists(name):
            os.unlink(name)
    options = CODECS[codec] + ['-d', str(level), core]
    log = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, 'check': False}
    if subprocess.run([MAKEDUMPFILE, *options, 'plain'], **log).returncode:
        return False
    with open('flat', 'wb') as flat:
        subprocess.run([MAKEDUMPFILE, '-F', *options], stdout=flat, stderr=subprocess.DEVNULL, check=True)
    split = ['--split', '--splitblock-size', '1024', *options, 's0', 's1', 's2']
    return not subprocess.run([MAKEDUMPFILE, *split], **log).returncode


FORMS = {'plain': ['plain'], 'flattened': ['flat'], 'split': ['s1', 's2', 's0']}


def check_whole(core, what):
    whole = Dump(mapped('plain'))
    for form, files in FORMS.items():
        status = njoin(['--compress=zlib', '-o', 'new', *files])
        problem = difference(core, Dump(mapped('new')), whole.pfns) if status == 0 else f'status {status}'
        if not problem and njoin(['--verify', *files]):
            problem = '--verify'
        if problem:
            complain(f'{what}, {form}: {problem}')


def choose_end(dump, size):
    """Where to cut: as often within its heads as within its pages."""
    begin, end = random.choice([(1, 4096), (4096, dump.bitmaps), (dump.bitmaps, dump.descriptors),
                                (dump.descriptors, dump.data), (dump.data, size), (dump.data, size),
                                (dump.data, size), (size - 100, size - 1)])
    return min(random.randint(begin, end), size - 1)


def check_cut(core, what):
    """Returns whether something was restored."""
    whole = Dump(mapped('plain'))
    form = random.choice(['plain', 'flat', 's0'])
    with open(form, 'rb') as file:
        data = file.read(choose_end(whole, os.path.getsize(form)))
    with open('short', 'wb') as file:
        file.write(data)
    want = left_of(form, data, whole)
    pipe = form != 's0' and random.random() < 0.5
    files = ['short', 's1', 's2'] if form == 's0' else ['-'] if pipe else ['short']
    if os.path.exists('new'):
        os.unlink('new')
    status = njoin(['--compress=zlib', '-o', 'new', *files], data if pipe else None)
    what = f'{what}, {form} cut at {len(data)}: '
    if not want:
        if status != 1 or os.path.exists('new'):
            complain(what + f'nothing is left, but status {status}')
        return False
    if status != 3:
        complain(what + f'status {status}')
        return False
    new = Dump(mapped('new'))
    problem = difference(core, new, want)
    if not problem and not new.status & INCOMPLETE:
        problem = 'not marked as incomplete'
    if problem:
        complain(what + problem)
    return not problem


def main():
    random.seed(SEED)
    for name in [os.path.realpath(name) for name in sys.argv[1:]]:
        core, made, restored, cut = Core(mapped(name)), 0, 0, 0
        share = -(-CUTS // (3 * len(CODECS)))
        for codec in CODECS:
            for level in 0, 1, 31:
                what = f'{os.path.basename(name)}, {codec}, level {level}'
                if not make_dumps(name, codec, level):
                    print(f'{what}: makedumpfile cannot dump it')
                    continue
                made += len(FORMS)
                check_whole(core, what)
                for _ in range(min(share, CUTS - cut)):
                    restored += check_cut(core, what)
                    cut += 1
        print(f'{name}: {made} dumps read; {cut} cut, of which {restored} had pages and were repaired', flush=True)
    print(f'wrong: {wrong}')
    return wrong > 0


def in_directory(work):
    with tempfile.TemporaryDirectory(prefix='nsplit-dumps.') as directory:
        os.chdir(directory)
        result = work()
        os.chdir('/')
    return result


if __name__ == '__main__':
    sys.exit(in_directory(main))
