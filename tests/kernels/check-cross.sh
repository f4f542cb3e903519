#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nsplit for another architecture on this x86_64 machine: builds it with a cross compiler, and runs tests
# with QEMU's emulation of single programs.  From the build directory:
#	make check-s390x				or check-arm64, check-ppc64el, check-riscv64: the tests below
#	make check-s390x CROSS_TESTS='tests/unit/test_record tests/cli/njoin-kdump.sh'
# Packages are kept in the directory KERNELS_CACHE, as for check-kernels.  Nothing is installed.
#
# Exit status: 0 all tests passed, or requirements are missing, as the last line says; 2 tests failed,
# which is make's; 1 nsplit cannot be built, packages cannot be fetched, or members differ.

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
# shellcheck source=tests/kernels/host/cross.sh
. "$here/host/cross.sh"

# Of the unit tests, all but this: the emulator does not apply RLIMIT_AS, which it lowers, to programs.
not_emulated=tests/unit/test_ledger
# The programs: every reader of every form, codecs, and outputs.
scripts='tests/vectors/vectors.sh tests/cli/golden-members.sh tests/cli/golden-serial.sh tests/cli/magic.sh
	tests/cli/makedumpfile-flat.sh tests/cli/mkfakevmcore-elf.sh tests/cli/njoin-digest.sh tests/cli/njoin-dmesg.sh
	tests/cli/njoin-dump.sh tests/cli/njoin-dump-cut.sh tests/cli/njoin-dump-erased.sh tests/cli/njoin-dump-flat.sh
	tests/cli/njoin-dump-level.sh tests/cli/njoin-dump-machine.sh tests/cli/njoin-info-json.sh tests/cli/njoin-kdump.sh
	tests/cli/njoin-layers.sh tests/cli/njoin-list.sh tests/cli/njoin-members.sh tests/cli/njoin-salvage.sh
	tests/cli/njoin-verify.sh tests/cli/nsplit-codecs.sh tests/cli/nsplit-dump-level.sh tests/cli/nsplit-estimate.sh
	tests/cli/nsplit-second-places.sh tests/cli/roundtrip-codecs.sh tests/cli/roundtrip-sizes.sh
	tests/cli/roundtrip-streams.sh'

skip() {
	printf 'check-%s: skipped: %s\n' "$cross_arch" "$*"
	exit 0
}

# emulated PROGRAM...: makes a directory in which the programs of the build run in the emulator, for
# scripts, which find programs there, also by other names; and "emulator", which runs a program.  The name must be absolute, because the
# emulator opens /proc/self/exe by it, also in another directory.
emulated() {
	mkdir -p "$cross_build/emulated"
	cat > "$cross_build/emulated/emulator" <<- END
		#!/bin/sh
		exec '$cross_qemu' -L '$cross_root' "\$(realpath "\$1")"
	END
	chmod +x "$cross_build/emulated/emulator"
	for emulated_program; do
		emulated_file=$cross_build/emulated/$emulated_program
		mkdir -p "$(dirname "$emulated_file")"
		cat > "$emulated_file" <<- END
			#!/bin/sh
			exec '$cross_qemu' -0 "\$0" -L '$cross_root' '$cross_build/$emulated_program' "\$@"
		END
		chmod +x "$emulated_file"
	done
}

# told READER FORM: what its njoin says of the file dump, and what it makes of it
told() {
	"$1/njoin" --list dump
	case $2 in
	members) "$1/njoin" -q --zero-left-out -o memory dump ;;
	kdump) "$1/njoin" -q --format=elf -o memory dump ;;
	elf) "$1/njoin" -q -j1 --format=kdump -o memory dump ;;
	esac
	sha256sum memory
	rm memory
}

# exchanged WRITER READER: each a directory with programs.  Members of each codec, and dumps, that one has written are
# read by the other, which restores the same core; of those that leave pages out, it also prints the same list.
exchanged() {
	for codec in $("$1/nsplit" --list-codecs | cut -d ' ' -f 1); do
		"$1/nsplit" -q -C "$codec" core a b
		"$2/njoin" -q -o back a b
		cmp core back
		rm a b back
	done
	"$2/mkfakevmcore" --check -s 8M core
	for codec in lzo snappy zlib zstd; do
		"$1/nsplit" -q --format=kdump -C "$codec" core dump
		"$1/njoin" -q --format=elf -o want dump
		"$2/njoin" -q --format=elf -o back dump
		cmp want back
		# The same memory, but other headers than those of the core.
		cmp -i 8192:4096 core back
		rm dump want back
	done
	for form in members kdump elf; do
		"$1/nsplit" -q -d 31 --format=$form kinds dump
		told "$1" $form > want
		told "$2" $form > back
		cmp want back
		rm dump want back
	done
}

cross_for "${1:?}"
[ "$(uname -m)" = x86_64 ] || skip 'this machine is not x86_64'
reason=$(cross_missing)$(packages_missing)
[ -z "$reason" ] || skip "$reason"
packages_cache
cross_sysroot
cross_nsplit
cross_emulator
emulated nsplit njoin nsplit-bench mkfakevmcore tests/vectors/cook tests/unit/make_kinds_core \
	tests/unit/make_layered_core tests/unit/make_log_core
make -C "$cross_build" tests/unit/make_kinds_core > "$cross_log" 2>&1
rm -rf "$cross_build/exchanged"
mkdir "$cross_build/exchanged"
(
	cd "$cross_build/exchanged"
	"$builddir/mkfakevmcore" -s 8M core
	"$cross_build/emulated/tests/unit/make_kinds_core" > "$cross_log"
	exchanged "$builddir" "$cross_build/emulated"
	exchanged "$cross_build/emulated" "$builddir"
)
printf 'check-%s: members and dumps: exchanged with this machine\n' "$cross_arch"
tests="\$(filter-out $not_emulated,\$(unit_tests)) $(printf '%s' "$scripts" | tr -s '\n\t' ' ')"
exec make -C "$cross_build" -j "$(nproc)" --no-print-directory check \
	TESTS="${CROSS_TESTS:-$tests}" LOG_COMPILER="$cross_build/emulated/emulator" \
	TESTS_ENVIRONMENT="builddir='$cross_build/emulated'; export builddir; \
		CK_DEFAULT_TIMEOUT=60 CK_TIMEOUT_MULTIPLIER=10; export CK_DEFAULT_TIMEOUT CK_TIMEOUT_MULTIPLIER;"
