#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a terminal mkfakevmcore shows its progress, and Ctrl-C ends it without leaving a part of a core.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
# More than it can write before the signal.
size=1T
truncate -s $size sparse 2> err || skip "no files of 1 TiB here: $(cat err)"
rm sparse

cat > terminal.py << 'END'
import fcntl, os, pty, signal, struct, sys, termios

pid, master = pty.fork()
if pid == 0:
    # The shell that runs this test may ignore SIGINT in what it starts.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ['TERM'] = 'xterm'
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    os.execvp('mkfakevmcore', ['mkfakevmcore', '-s', sys.argv[1], 'new'])

# The script's time limit.
signal.signal(signal.SIGTERM, lambda *_: sys.exit('timed out'))
status = None
try:
    seen = b''
    while seen.count(b'\r\x1b[K') < 3:
        seen += os.read(master, 65536)
    line = seen.split(b'\r\x1b[K')[1].decode()
    if not (line.startswith('mkfakevmcore:   0 % [') and ' left' in line and len(line) < 80):
        sys.exit(f'progress: {line}')
    os.write(master, b'\x03')
    status = os.waitpid(pid, 0)[1]
finally:
    # The end of its terminal does not end it under nohup.
    if status is None:
        os.kill(pid, signal.SIGKILL)
if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGINT:
    sys.exit(f'Ctrl-C: status {status}: {seen}')
END
timeout 120 python3 terminal.py $size > out 2> err || fail "$(cat err)"
absent new
