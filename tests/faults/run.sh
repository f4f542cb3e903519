#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Seeded schedules of faults, from the build directory:
#	sh ../tests/faults/run.sh [--layers | --dumps | --forms] COUNT [FIRST_SEED]
# With --layers, the captures leave pages out; with --dumps, they also write dumps in the kdump-compressed form; with
# --forms, these or ELF cores, most of a small core.  With one seed, everything is printed.  Exit status: 0 if all were right, 1 if not, 77 if the tests cannot run here.

set -eu

LC_ALL=C
export LC_ALL
unset SOURCE_DATE_EPOCH
here=$(cd "$(dirname "$0")" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
inject=$builddir/tests/faults/inject.so

skip() {
	printf 'SKIP: %s\n' "$*"
	exit 77
}

layers=
case ${1-} in
--layers | --dumps | --forms)
	layers=$1
	shift
	[ -x "$builddir/tests/unit/make_kinds_core" ] ||
		skip 'make_kinds_core was not built: it needs check'
	;;
esac
[ $# -ge 1 ] || {
	echo 'usage: run.sh [--layers | --dumps | --forms] COUNT [FIRST_SEED]' >&2
	exit 2
}
command -v python3 > /dev/null || skip 'python3 is not installed'
[ -e "$inject" ] || {
	echo "$inject is not there; make tests/faults/inject.so" >&2
	exit 1
}

# A statically linked program ignores preloaded libraries.
probe=$(mktemp "${TMPDIR:-/tmp}/nsplit-inject.XXXXXX")
trap 'rm -f "$probe"' EXIT
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$inject INJECT_LOG=$probe \
	"$builddir/nsplit" --version > /dev/null || exit 1
[ "$(cat "$probe")" = ready ] ||
	skip 'nothing can be preloaded into nsplit: it is linked statically'

python3 -B "$here/faults.py" --programs="$builddir" --inject="$inject" ${layers:+"$layers"} \
	--again="cd $builddir && sh $here/run.sh $layers" "$@"
