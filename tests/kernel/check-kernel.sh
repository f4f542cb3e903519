#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nsplit in real kernels: boots Debian's kernel in QEMU's software emulation, and checks the reports of
# the machines.  From the build directory:
#	make check-kernel				all scenarios
#	make check-kernel SCENARIOS='kdump-small'	this one only
# A scenario is a file in tests/kernel/scenarios.  The console and the report of its machine are kept in
# tests/kernel/SCENARIO.console.log and SCENARIO.report.log.
#
# NSPLIT_SHORT=1 runs half of it, without figures.  KERNEL_ROUNDS=N measures figures N times (default:
# 1) and uses medians.  The disks of one machine at a time are in TMPDIR.
#
# Exit status: 0 all checks passed, or requirements are missing, as the last line says; 1 checks failed;
# 2 no such scenario.

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
check='check-kernel'

# shellcheck source=tests/kernel/host/needs.sh
. "$here/host/needs.sh"
# shellcheck source=tests/kernel/host/checks.sh
. "$here/host/checks.sh"
# shellcheck source=tests/kernel/host/image.sh
. "$here/host/image.sh"
# shellcheck source=tests/kernel/host/installed.sh
. "$here/host/installed.sh"
# shellcheck source=tests/kernel/host/machine.sh
. "$here/host/machine.sh"
# shellcheck source=tests/kernel/host/kdump.sh
. "$here/host/kdump.sh"
# shellcheck source=tests/kernel/host/initramfs.sh
. "$here/host/initramfs.sh"
# shellcheck source=tests/kernel/host/debian.sh
. "$here/host/debian.sh"

clean() {
	debian_stop
	machine_stop
	rm -f "$builddir"/linux-source-*.new
	[ -z "$scratch" ] || rm -rf "$scratch"
}

# shellcheck source=tests/at-exit.sh
. "$srcdir/tests/at-exit.sh"

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
