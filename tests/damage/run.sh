#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damages small sets in all ways, from the build directory:
#	sh ../tests/damage/run.sh FLIPS|all SAMPLE [SEED]
# nsplit makes sets with each codec of the build, striped and not, for files and for a pipe; others are
# made from the recipes in sets.txt.  FLIPS bits are flipped over all sets, or all bits; SAMPLE of these
# changes also go through the program njoin.  Exit status: 0 if all results are right, 1 if not, 77 if
# the tests cannot run here.

set -eu

LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$builddir:$PATH
flips=${1:?}
sample=${2:?}
seed=${3:-$(date +%s)}

for program in tests/damage/damage tests/vectors/cook tests/vectors/layer_map; do
	[ -x "$builddir/$program" ] || {
		echo "SKIP: $program is not built: it requires the library check"
		exit 77
	}
done
command -v python3 > /dev/null || {
	echo 'SKIP: python3 is not installed'
	exit 77
}

work=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-damage.XXXXXX")
child=
clean() {
	[ -z "$child" ] || kill "$child" 2> /dev/null || :
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir "$work/sets" "$work/sample"

# in_background COMMAND...: runs COMMAND so that a signal ends it, too
in_background() {
	"$@" &
	child=$!
	wait "$child" || {
		status=$?
		child=
		return $status
	}
	child=
}

# capture NAME SOURCE OPTION...: makes a set of two members, and a set of one member through a pipe
capture() {
	set_name=$1
	source=$2
	shift 2
	mkdir "$work/sets/$set_name" "$work/sets/$set_name-pipe"
	cp "$source" "$work/sets/$set_name/source"
	cp "$source" "$work/sets/$set_name-pipe/source"
	nsplit -q "$@" "$source" "$work/sets/$set_name/m0" "$work/sets/$set_name/m1"
	nsplit -q "$@" - - < "$source" > "$work/sets/$set_name-pipe/m0"
}

mkfakevmcore -s 40001 -p mixed "$work/core"
nsplit --list-codecs > "$work/codecs"
while read -r codec _; do
	capture "$codec" "$work/core" -C "$codec" --chunksize=16K --blocksize=4K
	capture "$codec-striped" "$work/core" -C "$codec" --chunksize=8K --blocksize=4K --stripe
done < "$work/codecs"
"$builddir/tests/vectors/cook" "$work/sets" < "$here/sets.txt" > "$work/cook.log" || {
	cat "$work/cook.log"
	exit 1
}


# clear DIRECTORY MAP: in place of what is left out or unreadable, the source of a set has zeros
clear() {
	size=$(stat -c %s "$1/source")
	granule=0
	for letter in $(printf %s "$2" | sed 's/./& /g'); do
		[ "$letter" = s ] || dd if=/dev/zero of="$1/source" bs=4096 seek=$granule count=1 \
			conv=notrunc 2> "$work/dd.log"
		granule=$((granule + 1))
	done
	truncate -s "$size" "$1/source"
}

# What the granules of sets with layers are is told by a program that is independent of njoin.
"$builddir/tests/vectors/layer_map" "$work"/sets/layers-* > "$work/map.log" || {
	cat "$work/map.log"
	exit 1
}
grep '^layers-' "$work/map.log" > "$work/maps"
while read -r name map; do
	clear "$work/sets/$name" "$map"
done < "$work/maps"

echo "seed $seed"
status=0
in_background "$builddir/tests/damage/damage" "$flips" "$seed" "$work"/sets/* || status=$?
cd "$work/sample"
in_background python3 -B "$here/sample.py" "$sample" "$seed" "$work"/sets/* || status=1
[ $status -eq 0 ] || echo "again: cd $builddir && sh $here/run.sh $flips $sample $seed"
exit $status
