#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damages small sets in all ways, from the build directory:
#	sh ../tests/damage/run.sh [--layers] FLIPS|all SAMPLE [SEED]
# nsplit makes sets with each codec of the build, striped and not, for files and for a pipe; others are
# made from the recipes in sets.txt.  With --layers, only those with layers, and captures of a made-up
# kernel that leave pages out: their source has 33 MB, so each change takes much longer.  FLIPS bits are flipped over all sets, or all bits; SAMPLE of these
# changes also go through the program njoin.  Exit status: 0 if all results are right, 1 if not, 77 if
# the tests cannot run here.

set -eu

LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$builddir:$PATH
layers=
if [ "${1-}" = --layers ]; then
	layers=$1
	shift
fi
flips=${1:?}
sample=${2:?}
seed=${3:-$(date +%s)}

for program in tests/damage/damage tests/unit/make_kinds_core tests/vectors/cook \
	tests/vectors/layer_map; do
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

# capture_codecs: sets with each codec
capture_codecs() {
	mkfakevmcore -s 40001 -p mixed "$work/core"
	nsplit --list-codecs > "$work/codecs"
	while read -r codec _; do
		capture "$codec" "$work/core" -C "$codec" --chunksize=16K --blocksize=4K
		capture "$codec-striped" "$work/core" -C "$codec" --chunksize=8K --blocksize=4K --stripe
	done < "$work/codecs"
}

# capture_layers LEVEL NAME: a set that leaves pages of the kernel NAME out
capture_layers() {
	set_name=layers-d$1-$2
	mkdir "$work/sets/$set_name"
	cp "$work/$2" "$work/sets/$set_name/source"
	# Two threads, so that both members have records of each layer.
	nsplit -q -d "$1" -C "$last" --chunksize=512K -j2 "$work/$2" \
		"$work/sets/$set_name/m0" "$work/sets/$set_name/m1" 2> "$work/nsplit.log" || {
		cat "$work/nsplit.log"
		exit 1
	}
}

# recipes PATTERN: the sets in sets.txt whose lines match
recipes() {
	grep -e "$1" "$here/sets.txt" > "$work/recipes"
	"$builddir/tests/vectors/cook" "$work/sets" < "$work/recipes" > "$work/cook.log" || {
		cat "$work/cook.log"
		exit 1
	}
}

if [ -n "$layers" ]; then
	recipes '^set layers-'
	(cd "$work" && "$builddir/tests/unit/make_kinds_core") > "$work/kinds.log" || {
		cat "$work/kinds.log"
		exit 1
	}
	# Of doubted, a class is kept after all.
	last=$(nsplit --list-codecs | sed -n '$s/ .*//p')
	capture_layers 24 kinds
	capture_layers 31 doubted
else
	capture_codecs
	recipes '^set '
fi

# clear DIRECTORY MAP: in place of what is left out or unreadable, the source of a set has zeros
clear() {
	size=$(stat -c %s "$1/source")
	# Runs of other letters than s: the first granule, and how many.
	printf '%s\n' "$2" | awk '{
		for (at = 1; match(substr($0, at), /[^s]+/); at += RSTART + RLENGTH - 1)
			print at + RSTART - 2, RLENGTH
	}' > "$work/runs"
	while read -r first count; do
		dd if=/dev/zero of="$1/source" bs=4096 seek="$first" count="$count" conv=notrunc \
			2> "$work/dd.log"
	done < "$work/runs"
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
[ $status -eq 0 ] ||
	echo "again: cd $builddir && sh $here/run.sh${layers:+ $layers} $flips $sample $seed"
exit $status
