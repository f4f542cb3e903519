#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nsplit for arm64 on this x86_64 machine: builds it with a cross compiler, and runs tests with QEMU's
# emulation of single programs.  From the build directory:
#	make check-arm64				the tests below
#	make check-arm64 ARM64_TESTS='tests/unit/test_record tests/cli/njoin-kdump.sh'
# Packages are kept in the directory KERNELS_CACHE, as for check-kernels.  Nothing is installed.
#
# Exit status: 0 all tests passed, or requirements are missing, as the last line says; 2 tests failed,
# which is make's; 1 nsplit cannot be built, or packages cannot be fetched.

set -eu

LC_ALL=C
export LC_ALL
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
srcdir=$(cd "$here/../.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)

# shellcheck source=tests/packages/debian-root.sh
. "$here/../packages/debian-root.sh"
# shellcheck source=tests/kernels/host/packages.sh
. "$here/host/packages.sh"
# shellcheck source=tests/kernels/host/arm64.sh
. "$here/host/arm64.sh"

# Of the unit tests, all but these, which lower RLIMIT_AS: the emulator does not apply that to programs.
not_emulated=tests/unit/test_ledger
# The programs: every reader of every form, codecs, and outputs.
scripts='tests/vectors/vectors.sh tests/cli/golden-members.sh tests/cli/golden-serial.sh
	tests/cli/njoin-dmesg.sh tests/cli/njoin-kdump.sh tests/cli/njoin-list.sh
	tests/cli/njoin-salvage.sh tests/cli/njoin-verify.sh tests/cli/nsplit-codecs.sh
	tests/cli/roundtrip-codecs.sh
	tests/cli/roundtrip-sizes.sh tests/cli/roundtrip-streams.sh'

skip() {
	printf 'check-arm64: skipped: %s\n' "$*"
	exit 0
}

# emulated PROGRAM...: makes a directory in which the programs of the build run in the emulator, for
# scripts, which find programs there
emulated() {
	for emulated_program; do
		emulated_file=$arm64_build/emulated/$emulated_program
		mkdir -p "$(dirname "$emulated_file")"
		cat > "$emulated_file" <<- END
			#!/bin/sh
			exec '$arm64_qemu' -L '$arm64_root' '$arm64_build/$emulated_program' "\$@"
		END
		chmod +x "$emulated_file"
	done
}

[ "$(uname -m)" = x86_64 ] || skip 'this machine is not x86_64'
reason=$(arm64_missing)$(packages_missing)
[ -z "$reason" ] || skip "$reason"
packages_cache
arm64_sysroot
arm64_nsplit
arm64_emulator
emulated nsplit njoin nsplit-bench mkfakevmcore tests/vectors/cook tests/unit/make_log_core
tests="\$(filter-out $not_emulated,\$(unit_tests)) $(printf '%s' "$scripts" | tr -s '\n\t' ' ')"
exec make -C "$arm64_build" -j "$(nproc)" --no-print-directory check \
	TESTS="${ARM64_TESTS:-$tests}" LOG_COMPILER="$arm64_qemu -L $arm64_root" \
	TESTS_ENVIRONMENT="builddir='$arm64_build/emulated'; export builddir; \
		CK_DEFAULT_TIMEOUT=600; export CK_DEFAULT_TIMEOUT;"
