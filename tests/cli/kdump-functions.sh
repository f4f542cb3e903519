#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scripts for kdump have in common, in each shell that a capture environment may have.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

functions=$srcdir/kdump/disks/nsplit-kdump-functions
mkdir bin
stub_sleep bin/sleep
stub_hanging bin/hangs
PATH=$PWD/bin:$PATH

# does STATUS TEXT: what the shell does with the functions
does() {
	expect_status "$1" timeout -s KILL 60 $shell -c "set -u
		program=test
		is_dump_name() { case \$1 in dump*) ;; *) return 1 ;; esac; }
		is_dump_file() { [ \"\$2\" = core ]; }
		. $functions
		$2"
}

# A shell that is there and knows no more than others.
try_shell() {
	printf 'in %s\n' "$shell"

	# A command has its time, however long a sleep is; its own status is told.
	: > slept
	does 124 'at_most 2 hangs'
	[ "$(wc -l < slept)" -le 3 ] || fail "$shell: two seconds are $(wc -l < slept)"
	does 0 'at_most 50 true'
	does 7 'at_most 50 sh -c "exit 7"'
	# One deadline for two.
	: > slept
	does 124 'deadline 2; hangs & one=$!; hangs & two=$!; ended $one; ended $two'
	[ "$(wc -l < slept)" -le 3 ] || fail "$shell: two seconds for two are $(wc -l < slept)"

	does 0 'without_zeros 08; without_zeros 0; without_zeros 000; without_zeros 10'
	expect_out '8
0
0
10'

	# What nsplit could not tell is missing, or all would be taken for saved.
	for wrote in '' ': > "$figures"' 'printf "{\n  \"source_size\": 4096,\n" > "$figures"'; do
		does 1 "NSPLIT_RUN=$PWD NSPLIT_CONFIG=
			nsplit() { $wrote
				return 3; }
			capture core m0
			tell_outcome
			all_saved"
		expect_err 'test: saved in part: nsplit has said what is missing'
	done

	mkdir d1 d2
	: > d1/now
	: > d1/now.09
	: > d1/now.x
	ln -s nowhere d2/now.10
	does 0 'new_stamp now d1 d2; new_stamp then d1 d2; new_stamp now.10 d2'
	expect_out 'now.11
then
now.10.1'

	# The oldest go, and whatever is not a dump stays.
	for dump in dump1 dump1.2 dump1.10 dump2 photos; do
		mkdir d1/$dump
		: > d1/$dump/core
	done
	: > d1/dump1/notes
	mkdir d1/dump0
	does 0 'purge d1 1 "it is a test"'
	expect_err 'test: d1/dump1: not removed: notes is not part of a dump
test: removing d1/dump1.2, because it is a test
test: removing d1/dump1.10, because it is a test'
	(cd d1 && echo *) > out
	expect_out 'dump0 dump1 dump2 now now.09 now.x photos'
	rm -r d1 d2
}

for shell in sh dash bash 'bash --posix' 'busybox sh' /usr/lib/klibc/bin/sh mksh; do
	! command -v "${shell%% *}" > found || try_shell
done
