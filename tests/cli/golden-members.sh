#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members made by the recipe of tests/vectors/golden.txt have the checksums listed there, so that
# the format does not change by accident. njoin restores the source from them.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need sha256sum
golden=$srcdir/tests/vectors/golden.txt

# The sources: a core; and incompressible data that ends within a block.
mkfakevmcore -s 1500001 -p mixed core
mkfakevmcore -s 1000000 -p random random
mkfakevmcore -s 1000000 -p same same
{
	tail -c +8193 random | head -c 303104
	tail -c +8193 same | head -c 303104
	head -c 303104 /dev/zero
	tail -c +311297 random | head -c 1000
} > plain

SOURCE_DATE_EPOCH=1000000000
export SOURCE_DATE_EPOCH

# blank MEMBER: zeros the program's version in superblock and footer, and the checksums over it
blank() {
	for piece in 0 $(($(wc -c < "$1") / 4096 - 1)); do
		dd if=/dev/zero of="$1" bs=8 seek=$((piece * 512 + 13)) count=4 conv=notrunc
		dd if=/dev/zero of="$1" bs=8 seek=$((piece * 512 + 511)) count=1 conv=notrunc
	done 2> dd.err
}

# make SOURCE CODEC: prints the lines of golden.txt
make() {
	nsplit -q --stripe --serial -C "$2" --chunksize=128K \
		--uuid=00000000-0000-4000-8000-000000000001 "$1" m0 m1 m2
	njoin -q --overwrite-dumps -o copy m0 m1 m2
	same copy "$1"
	for member in m0 m1 m2; do
		blank $member
		echo "$(sha256sum < $member | sed 's/ .*//') $1 $2 $member"
		rm $member
	done
}

grep -v '^#' "$golden" | cut -d ' ' -f 2,3 | uniq > cases
: > got
: > want
while read -r source codec; do
	have_codec "$codec" || continue
	make "$source" "$codec" >> got
	grep " $source $codec " "$golden" >> want
done < cases
[ -s want ] || fail "nothing to make of $golden"
same got want
