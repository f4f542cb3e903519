#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# With --stripe, threads make the members that the serial twin makes, byte for byte, and
# make them again; whatever the codec.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 1500001 -p mixed core
SOURCE_DATE_EPOCH=1000000000
export SOURCE_DATE_EPOCH

# make NAME OPTION...: members NAME1, NAME2, ...
make() {
	name=$1
	shift
	expect_status 0 nsplit -q -f --stripe --chunksize=64K \
		--uuid=00000000-0000-4000-8000-000000000001 "$@" core "$name{1..$outputs}"
	expect_err ""
}

# twins CODEC
twins() {
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
		twins "$codec"
	done
done < codecs

# Where nothing packs for long, a worker may not remember what it had before.
mkfakevmcore -s 16M -p random noise
mkfakevmcore -s 2M -p mixed mixed
cat noise mixed noise > core
twins lzo
