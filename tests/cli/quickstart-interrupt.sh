#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# After Ctrl-C, ./quickstart check waits until make has ended, so that nothing prints after the prompt,
# and says how many tests have run.  If the terminal is closed, its status is that of SIGHUP.
# shellcheck source=tests/cli/quickstart-lib.sh
. "${srcdir:?}/tests/cli/quickstart-lib.sh"

need_terminal

# As make does: after the signal, it waits for its tests, and prints which targets were interrupted.
cat > tests << 'END'
for word; do last=$word; done
case $last in
count-tests) echo 3 ;;
check)
	trap 'sleep 1; echo "make: *** [check] Interrupt"; echo > ended; exit 2' INT
	mkdir -p build/tests
	echo ':test-result: PASS' > build/tests/one.trs
	echo 'PASS: tests/one.sh'
	echo > started
	for second in $(seq 120); do
		sleep 1
	done
	;;
esac
END
stub make ". $PWD/tests"
cd tree || exit

cat > terminal.py << 'END'
import os, pty, signal, sys

closed = sys.argv[1] == 'close'

pid, master = pty.fork()
if pid == 0:
    # The shell that runs this test may ignore signals in what it starts.
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_DFL)
    os.execvp('sh', ['sh', './quickstart', 'check'])

# The script's time limit.
signal.signal(signal.SIGTERM, lambda *_: sys.exit('timed out'))
ended = False
status = None
try:
    seen = b''
    while b'1 of 3, ' not in seen or not os.path.exists('started'):
        seen += os.read(master, 65536)
    if closed:
        os.close(master)
        # As the shell in the terminal does; Linux signals only the leader of the session.
        os.killpg(pid, signal.SIGHUP)
    else:
        os.write(master, b'\x03')
        # Linux reports the end of the other side as an error.
        try:
            while data := os.read(master, 65536):
                seen += data
        except OSError:
            pass
    status = os.waitpid(pid, 0)[1]
    ended = os.path.exists('ended')
finally:
    if status is None:
        os.killpg(pid, signal.SIGKILL)
if not os.WIFEXITED(status) or os.WEXITSTATUS(status) != (129 if closed else 130):
    sys.exit(f'status {status}: {seen}')
if closed:
    sys.exit()
if not ended:
    sys.exit('make has not ended yet')
log = f'{os.getcwd()}/build/quickstart.log'
last = seen.decode().splitlines()[-1]
if last != f'quickstart: interrupted after 1 of 3 tests; the log is {log}':
    sys.exit(f'last line: {last}')
END
timeout 120 python3 terminal.py interrupt > out 2> err || fail "$(cat err)"
grep -qx 'PASS: tests/one.sh' build/quickstart.log || fail "$(cat build/quickstart.log)"
grep -q Interrupt build/quickstart.log || fail "the log lacks the end of make: $(cat build/quickstart.log)"

rm started ended
timeout 120 python3 terminal.py close > out 2> err || fail "terminal closed: $(cat err)"
