#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# With --stripe, the threaded engine makes the same members as the serial engine, byte for byte,
# with every codec, and so does a second run.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 1500001 -p mixed core
SOURCE_DATE_EPOCH=1000000000
export SOURCE_DATE_EPOCH

# make NAME OPTION...: makes the members NAME1, NAME2, ...
make() {
	name=$1
	shift
	expect_status 0 nsplit -q --overwrite-dumps --stripe --chunksize=64K \
		--uuid=00000000-0000-4000-8000-000000000001 "$@" core "$name{1..$outputs}"
	expect_err ""
}

# same_members CODEC
same_members() {
	make serial --serial -C "$1"
	make again --serial -C "$1"
	make threads -j4 -C "$1"
	make more -j16 -C "$1"
	for i in $(seq $outputs); do
		same serial"$i" again"$i"
		same serial"$i" threads"$i"
		same serial"$i" more"$i"
	done
}

list_codecs
while read -r codec; do
	for outputs in 1 3; do
		same_members "$codec"
	done
done < codecs

# After a long incompressible range, the next blocks must not depend on what this thread packed
# before.
mkfakevmcore -s 16M -p random noise
mkfakevmcore -s 2M -p mixed mixed
cat noise mixed noise > core
same_members lzo
