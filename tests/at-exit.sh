# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For scripts that start or mount something: clean(), which the script defines, runs when it ends, by a
# signal, too.

at_exit() {
	# A signal to make's process group arrives twice, since make passes it on.
	trap '' HUP INT PIPE TERM
	clean
}

trap at_exit EXIT
# The exit runs the EXIT trap above.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM
