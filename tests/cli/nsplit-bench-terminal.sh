#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a terminal, the progress line of a benchmark fits the width.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_terminal

cat > terminal.py << 'END'
import fcntl, os, re, select, signal, struct, subprocess, sys, termios

CLEAR = b'\r\x1b[K'
LINE = re.compile(r'nsplit-bench: \d+ of 1000, (\?|[\d:]+) left: zstd:3, 1 thread, 2 outputs, blocks of 64K')
os.environ['TERM'] = 'xterm'
master, slave = os.openpty()


def set_columns(columns):
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))


def next_line():
    """The next whole line; the first may have been in the making already."""
    seen = b''
    while seen.count(CLEAR) < 3:
        if not select.select([master], [], [], 60)[0]:
            sys.exit(f'nothing comes after: {seen}')
        seen += os.read(master, 65536)
    return seen.split(CLEAR)[2].decode()


def check(columns, whole):
    set_columns(columns)
    line = next_line()
    print(columns, line)
    if len(line) >= columns or bool(LINE.fullmatch(line)) != whole or not line.startswith('nsplit-bench: '):
        sys.exit(f'{columns} columns: {line}')


set_columns(80)
bench = subprocess.Popen(['nsplit-bench', 'fake:1M', 'null:', '--codecs=zstd:3', '-j1', '--outputs=2',
                          '--blocksize=64K', '--disk-rate=1M', '--rounds=1000', '--warmup=0'],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
# The script's time limit.
signal.signal(signal.SIGTERM, lambda *_: sys.exit('timed out'))
try:
    check(120, True)
    check(60, False)
    check(28, False)
finally:
    bench.kill()
    bench.wait()
END
timeout 120 python3 terminal.py > out 2> err || fail "$(cat err out)"
