#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a terminal, the progress line fits the width, also after the width has changed.  A stopped
# terminal (Ctrl-S, flow control) delays nothing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_terminal
mkfakevmcore -s 20000000 -p random core
mkfifo pipe

cat > terminal.py << 'END'
import fcntl, os, select, signal, struct, subprocess, sys, termios

CLEAR = b'\r\x1b[K'
os.environ['TERM'] = 'xterm'
master, slave = os.openpty()


def set_columns(columns):
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))


def nsplit(*arguments):
    return subprocess.Popen(['nsplit', '--progress=always', *arguments], stderr=slave,
                            stdin=subprocess.DEVNULL)


def read_some(when=''):
    if not select.select([master], [], [], 60)[0]:
        sys.exit('nothing comes' + when)
    return os.read(master, 65536)


def next_lines(count):
    """The next whole lines of progress; the first may have been in the making already."""
    seen = b''
    while seen.count(CLEAR) < count + 2:
        seen += read_some()
    return [line.decode() for line in seen.split(CLEAR)[2:-1]]


def check_widths():
    """While the only output takes no more, lines are drawn and nothing else is."""
    nobody = os.open('pipe', os.O_RDWR)
    set_columns(80)
    capture = nsplit('--sink-timeout=0', '--chunksize=64K', 'core', 'pipe')
    try:
        # Reads some data, so that there are figures to show.
        taken = 0
        while taken < 2000000:
            taken += len(os.read(nobody, 65536))
        for columns in (80, 40, 200, 0, 24, 10, 1):
            set_columns(columns)
            for line in next_lines(2):
                print(columns, line)
                if len(line) >= (columns or 80):
                    # The last column stays free; with one column, nothing is printed.
                    if line or columns != 1:
                        sys.exit(f'{len(line)} of {columns} columns: {line}')
                if '\n' in line or not 'nsplit: '.startswith(line[:8]):
                    sys.exit(f'{columns} columns: {line}')
                if columns >= 24 or not columns:
                    if ' %' not in line or line.endswith(','):
                        sys.exit(f'{columns} columns: {line}')
                if columns == 200 and not (' written, ' in line and ', ratio ' in line):
                    sys.exit(f'{columns} columns: {line}')
                if columns >= 40 and ' left' not in line:
                    sys.exit(f'{columns} columns: {line}')
                if (columns in (0, 80, 200)) != (' % [' in line and '] ' in line):
                    sys.exit(f'{columns} columns: {line}')
                if not line.isascii():
                    sys.exit(f'not ASCII, although the locale is C: {line}')
    finally:
        capture.kill()
        capture.wait()
        os.close(nobody)


def wait_for(capture, status, what):
    try:
        capture.wait(60)
    except subprocess.TimeoutExpired:
        capture.kill()
        sys.exit(f'{what}: it does not end')
    if capture.returncode != status:
        sys.exit(f'{what}: status {capture.returncode}')


def check_stopped():
    termios.tcflow(slave, termios.TCOOFF)
    wait_for(nsplit('-v', 'core', 'a', 'b'), 0, 'stopped')
    capture = nsplit('-c', '--stripe', '--chunksize=16K', 'source', 'c')
    with open('source', 'wb') as source, open('core', 'rb') as core:
        source.write(core.read(600000))
        source.flush()
        while not os.path.exists('c') or os.path.getsize('c') <= 4096:
            pass
        capture.send_signal(signal.SIGTERM)
        wait_for(capture, -signal.SIGTERM, 'SIGTERM')


def check_going_on():
    """What was said while it stood is shown when it goes on, and in order."""
    capture = nsplit('-c', '--progress=never', '-v', 'source', '/dev/full', 'd')
    with open('source', 'wb') as source:
        source.write(bytes(100000))
        while not os.path.exists('d'):
            pass
        termios.tcflow(slave, termios.TCOON)
        seen = b''
        while b'continuing on 1 output' not in seen:
            seen += read_some(f' after: {seen}')
    wait_for(capture, 0, 'going on')
    for word in (b'source: ', b'memory: ', b'/dev/full: No space left on device'):
        if word not in seen:
            sys.exit(f'{word} is not in {seen}')


os.mkfifo('source')
check_widths()
check_stopped()
check_going_on()
END
timeout 300 python3 terminal.py > out 2> err || fail "$(cat err out)"
expect_status 0 njoin -q -o copy a b
same copy core
closed c d
