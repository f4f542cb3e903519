#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Escape sequences in a log do not reach a terminal, even if the log is written unchanged.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_terminal
make_core log
nsplit -q plain a
printf '<6>plain\ttext \\ \033[31mre\rd \303\n' > want

expect_status 0 njoin --dmesg a
same out want
expect_status 0 njoin --dmesg -o log a
same log want

cat > terminal.py << 'END'
import os, pty, sys

pid, fd = pty.fork()
if pid == 0:
    os.execvp("njoin", ["njoin", "--dmesg"] + sys.argv[1:])
with open("seen", "wb") as f:
    while True:
        try:
            f.write(os.read(fd, 65536))
        except OSError:     # nobody has it open any more
            break
sys.exit(1 if os.waitpid(pid, 0)[1] else 0)
END
printf '<6>plain\ttext \\ \\x1b[31mre\\x0dd \\xc3\r\n' > want
for output in - /dev/tty; do
	python3 terminal.py -o "$output" a > told 2>&1 || fail "$output: $(cat told seen)"
	same seen want
done
