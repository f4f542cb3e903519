#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nsplit in real kernels: boots the kernel of this Debian in QEMU's software
# emulation, and checks what the machines say.  From the build directory:
#	make check-kernel				every scenario
#	make check-kernel SCENARIOS='kdump-small'	only this
# A scenario is a file of tests/kernel/scenarios; its machine's console and report stay in
# tests/kernel/SCENARIO.console.log and SCENARIO.report.log.
#
# NSPLIT_SHORT=1 makes it quicker: the half of it, and no figures.
# KERNEL_ROUNDS=N takes the figures N times, and medians of them (1).  TMPDIR has the disks
# of one machine at a time.
#
# Exit status: 0 all checks passed, or the machine lacks what they need; the last line tells
# which.  1 not passed.  2 no such scenario.

set -eu

LC_ALL=C
export LC_ALL
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
srcdir=$(cd "$here/../.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$builddir:$builddir/tests/kernel:$PATH:/usr/sbin:/sbin
rounds=${KERNEL_ROUNDS:-1}
logs=$builddir/tests/kernel
scratch=

# shellcheck source=tests/kernel/host/needs.sh
. "$here/host/needs.sh"
# shellcheck source=tests/kernel/host/checks.sh
. "$here/host/checks.sh"
# shellcheck source=tests/kernel/host/image.sh
. "$here/host/image.sh"
# shellcheck source=tests/kernel/host/machine.sh
. "$here/host/machine.sh"
# shellcheck source=tests/kernel/host/kdump.sh
. "$here/host/kdump.sh"
# shellcheck source=tests/kernel/host/further.sh
. "$here/host/further.sh"
# shellcheck source=tests/kernel/host/debian.sh
. "$here/host/debian.sh"

clean() {
	# make passes on what its whole group was sent, and so it comes twice.
	trap '' HUP INT PIPE TERM
	debian_stop
	machine_stop
	[ -z "$scratch" ] || rm -rf "$scratch"
}

trap clean EXIT
# Exit from a trap runs the one above.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

[ $# -gt 0 ] || set -- fakevmcore kdump-1cpu kdump-2cpu kdump-small dracut initramfs-tools
for scenario; do
	[ -f "$here/scenarios/$scenario.sh" ] || {
		printf 'check-kernel: there is no scenario %s; there are:%s\n' "$scenario" \
			"$(printf ' %s' "$here"/scenarios/*.sh | sed 's|[^ ]*/||g; s/\.sh//g')" >&2
		exit 2
	}
done
needs_or_skip
started=$(date +%s)
mkdir -p "$logs"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-kernel.XXXXXX")
for scenario; do
	printf '%s\n' "--- $scenario"
	mkdir "$scratch/$scenario"
	cd "$scratch/$scenario"
	# shellcheck source=/dev/null
	. "$here/scenarios/$scenario.sh"
	cd "$scratch"
	rm -rf "${scratch:?}/$scenario"
done
checks_sum $(($(date +%s) - started))
