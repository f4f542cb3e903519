#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A full output keeps what it holds, and the others take the rest.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_limits
mkfakevmcore -s 400000 -p random core

# capture BYTES ENGINE: captures to a and b, with this limit, and to a pipe
capture() {
	rm -f a b
	limited "$1" nsplit -q "$2" --stripe --chunksize=12K core a b - 2> err | cat > piped
	# Removes what depends on the order in which they fill up.
	sed 's/ on 2 outputs$//; s/ on 1 output$//' err | sort > told
	# The footers of the kept members add up to the whole source: doc/format.md, section 9.
	held=0
	for member in a b piped; do
		! grep -q "^nsplit: $member: .*given up" err || continue
		closed "$member"
		bytes=$(tail -c 4096 "$member" | tail -c +449 | head -c 3 | od -An -tu1)
		# shellcheck disable=SC2086 # three numbers
		set -- "$1" "$2" $bytes
		held=$((held + $3 + 256 * $4 + 65536 * $5))
	done
	[ "$held" -eq 400000 ] || fail "$2: the members hold $held bytes: $(cat err)"
}

# A superblock, three records of 16384 bytes, and index and footer, or not enough space for these.
enough=$((4096 + 3 * 16384 + 8192))
capture $enough --serial
closed a b
[ "$(wc -c < a)" -le $enough ] || fail "a has $(wc -c < a) bytes"
cat > want << END
nsplit: a: File too large; 52.0 KiB kept, continuing
nsplit: b: File too large; 52.0 KiB kept, continuing
END
same told want

# Full, without space for the footer: the last record is removed and captured again.
capture $((enough - 4096)) --serial
closed a b
cat > want << END
nsplit: a: File too large; 36.0 KiB kept, continuing
nsplit: b: File too large; 36.0 KiB kept, continuing
END
same told want

# With threads, the scheduler decides which output is full when.  Nothing may be lost.
for engine in -j1 -j4; do
	for bytes in $enough $((enough - 4096)); do
		capture $bytes $engine
		if grep -vE '^nsplit: [ab]: File too large; [0-9.]* KiB kept, continuing' err; then
			fail "$engine: $(cat err)"
		fi
	done
done
