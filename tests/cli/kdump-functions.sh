#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The library of the scripts for kdump, in each shell that a capture environment may have.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

functions=$srcdir/kdump/common/nsplit-kdump-functions
mkdir bin
stub_sleep bin/sleep
stub_hanging bin/hangs
PATH=$PWD/bin:$PATH
export NSPLIT_RUN="$PWD/run"
mkdir run

# does STATUS SCRIPT: SCRIPT, which may call the functions, ends with STATUS.  The machine has eight
# CPUs: a function replaces nproc, since busybox prefers its own to the one in PATH.
does() {
	expect_status "$1" timeout -s KILL 60 $shell -c "set -u
		program=test
		nproc() { echo 8; }
		is_dump_name() { is_stamp \$1 'dump[0-9]'; }
		is_dump_file() { [ \"\$2\" = core ]; }
		. $functions
		$2"
}

# does_within SECONDS STATUS SCRIPT: likewise, and sleeps no longer, with a sleep that accepts whole
# seconds only
does_within() {
	: > slept
	does "$2" "$3"
	[ "$(wc -l < slept)" -le $(($1 + 1)) ] || fail "$shell: $(wc -l < slept) seconds instead of $1"
}

try_waiting() {
	does_within 1 124 'at_most 1 hangs'
	does_within 0 0 'at_most 50 true'
	does 7 'at_most 50 sh -c "exit 7"'
	# One deadline for two processes.
	does_within 2 124 'deadline 2; hangs & one=$!; hangs & two=$!; ended $one; ended $two'
	does_within 1 1 'wait_until 1 false'
	does_within 1 0 'tries=0; twice() { tries=$((tries + 1)); [ $tries -eq 2 ]; }; wait_until 50 twice'
}

try_numbers() {
	does 0 'without_zeros 08; without_zeros 0; without_zeros 000; without_zeros 10'
	expect_out '8
0
0
10'
	does 0 'capture_cpus; capture_cpus irqpoll; capture_cpus irqpoll nr_cpus=4; capture_cpus nr_cpus=16
		capture_cpus nr_cpus=1 nr_cpus=4; capture_cpus maxcpus=2 nr_cpus=x; capture_cpus nr_cpus=0'
	expect_out '8
8
4
8
1
2
8'
	does 0 'size_text 0; size_text 1023; size_text 1024; size_text 1610612736'
	expect_out '0.0 B
1023.0 B
1.0 KiB
1.5 GiB'
}

try_configuration() {
	# Tabs, and a value that contains an equals sign.
	printf '%s\n' '# output = a' 'output = /one' '  output=/with = sign' 'stats = /first' \
		'	stats	=	/last' > nsplit.conf
	export NSPLIT_CONFIG="$PWD/nsplit.conf"
	does 0 'configured output'
	does 1 'configured compress'
	does 0 'configured_values output; configured_values compress; statistics_file'
	expect_out '/one
/with = sign
/last'
	echo 'compress = lzo' > other.conf
	does 0 "configured compress $PWD/other.conf"
	NSPLIT_CONFIG=
	does 2 'configured output'
	does 0 'configured_values output; statistics_file'
	expect_out "$NSPLIT_RUN/nsplit-figures"
}

# outcome LINE STATUS SAVED [FIGURES...]: report_outcome prints LINE after nsplit ended with STATUS
# and wrote the output of made_figures FIGURES; SAVED is the status of all_saved
outcome() {
	line=$1
	ends=$2
	saved=$3
	shift 3
	[ $# -eq 0 ] || made_figures "$@" > made
	does "$saved" "nsplit() { ${1:+cp $PWD/made \"\$figures\"}
			return $ends; }
		capture core m0
		report_outcome
		all_saved"
	expect_err "test: $line"
}

try_outcomes() {
	outcome 'saved completely' 0 0
	outcome 'not saved: nsplit failed (exit status 1)' 1 1
	outcome 'saved incompletely: 12.0 KiB could not be read' 3 0 4194304 12288 whole
	outcome 'saved incompletely: 2.5 MiB missing because of full outputs: /dev/sdb' 3 1 1572864 0 full
	outcome 'saved incompletely: 1.0 KiB missing because outputs failed' 3 1 4193280 0 failed
	outcome 'saved incompletely: 1.0 KiB missing because outputs failed; 4.0 KiB could not be read' \
		3 1 4193280 4096 failed
	# No other program saves pages that change meanwhile.
	outcome 'saved incompletely: 40.0 KiB missing because pages changed during the capture' \
		3 0 4153344 0 whole 40960
	# After a limit that was asked for, the system's own collector does not run.
	made_figures 1572864 0 full | sed '1a\  "limit": "free",' > made
	does 0 "nsplit() { cp $PWD/made \"\$figures\"
			return 3; }
		capture core m0
		report_outcome
		is_smallest"
	expect_err 'test: saved incompletely: 2.5 MiB missing because a limit was reached'
	# If nsplit could not write its statistics, or only a part, the dump must not be treated as
	# saved.
	outcome 'saved incompletely: the messages of nsplit say what is missing' 3 1
	for wrote in ': > "$figures"' 'printf "{\n  \"source_size\": 4096,\n" > "$figures"'; do
		does 1 "nsplit() { $wrote
				return 3; }
			capture core m0
			report_outcome
			all_saved"
		expect_err 'test: saved incompletely: the messages of nsplit say what is missing'
	done
}

try_names() {
	mkdir d1 d2
	: > d1/now
	: > d1/now.09
	: > d1/now.x
	ln -s nowhere d2/now.10
	does 0 'new_stamp now d1 d2; new_stamp then d1 d2; new_stamp now.10 d2'
	expect_out 'now.11
then
now.10.1'
	rm -r d1 d2
	does 0 'for name in dump1 dump1.7 dump dump12 dump1. dump1.x dump1.7.7; do
		! is_dump_name $name || echo $name; done'
	expect_out 'dump1
dump1.7'
}

# The oldest dumps are removed.  A directory that is not a dump is kept, and so is a dump with a
# file that is not part of it.
try_purge() {
	mkdir d elsewhere
	for dump in dump1 dump1.2 dump1.10 dump2 dump3 dump4 photos; do
		mkdir d/$dump
		: > d/$dump/core
	done
	# What was made of a file of the dump is part of it.
	: > d/dump1.2/core.kdump
	: > d/dump1.10/core.sha256
	: > d/dump1.10/core.kdump.sha256
	mkdir d/dump0 d/dump3/core.d
	: > d/dump1/notes
	: > d/dump2/.hidden
	ln -s "$PWD/elsewhere" d/dump5
	: > elsewhere/core
	mkdir d/dump6
	ln -s "$PWD/elsewhere/core" d/dump6/core
	find d elsewhere ! -path '*/dump1.*' | sort > before
	does 0 'purge d 1 "it is a test"'
	expect_err 'test: d/dump1: not removed: notes is not part of a dump
test: removing d/dump1.2 because it is a test
test: removing d/dump1.10 because it is a test
test: d/dump2: not removed: .hidden is not part of a dump
test: d/dump3: not removed: core.d is not part of a dump'
	find d elsewhere | sort > after
	same before after
	rm -r d elsewhere
}

# The collector needs an eighth of the source, and no space is free.
try_room() {
	truncate -s 8M core
	truncate -s 4M large
	truncate -s 2M small
	does 0 "free_bytes() { echo 0; }
		status=1 missing=0
		make_space . core 1048576 large small none"
	expect_err "test: large: truncated to 2 MiB to make space for the system's own dump
test: small: removed to make space for the system's own dump"
	[ "$(stat -c %s large)" -eq $((2 << 20)) ] || fail "$shell: $(ls -l large)"
	absent small
	does 0 'free_bytes() { echo 1048576; }
		status=1 missing=0
		make_space . core 0 large'
	expect_err ''
	# If the source does not exist, space is made for RESERVE alone.
	does 0 'free_bytes() { echo 0; }
		status=1 missing=0
		make_space . none 1048576 large 2> stat.err; cat stat.err | grep test: >&2'
	expect_err "test: large: truncated to 1 MiB to make space for the system's own dump"
	# What is worth more than the collector's dump is not cut for it.
	truncate -s 8M large
	for kept in 'full= missing=7340032' 'full=/dev/sdb missing=524287' 'full=/dev/sdb missing=unknown'; do
		does 0 "free_bytes() { echo 0; }
			status=3 size=8388608 $kept
			make_space . core 0 large"
		expect_err ''
	done
	does 0 'free_bytes() { echo 0; }
		status=3 size=8388608 full=/dev/sdb missing=524288
		make_space . core 0 large'
	expect_err "test: large: truncated to 7 MiB to make space for the system's own dump"
	rm core large
}

# The digest of a dump names it.
try_renaming() {
	mkdir r
	echo core > r/old
	does 0 'rename_dump r/old r/new'
	expect_err ''
	absent r/old
	absent r/new.sha256
	(cd r && sha256sum new > new.sha256)
	does 0 'rename_dump r/new r/last'
	expect_err ''
	absent r/new.sha256
	(cd r && sha256sum -c last.sha256) > checked 2>&1 || fail "$shell: $(cat checked)"
	does 1 'rename_dump r/nowhere r/new'
	rm -r r
}

# sh is usually one of the others, which need not be tested twice.
shells="dash|bash|bash --posix|busybox sh|/usr/lib/klibc/bin/sh|mksh"
case $(readlink -f "$(command -v sh)") in
*/dash | */bash | */busybox | */mksh) ;;
*) shells="sh|$shells" ;;
esac
printf '%s\n' "$shells" | tr '|' '\n' > shells
while read -r shell <&3; do
	! command -v "${shell%% *}" > found || {
		printf 'in %s\n' "$shell"
		try_waiting
		try_numbers
		try_configuration
		try_outcomes
		try_names
		try_purge
		try_renaming
		try_room
	}
done 3< shells
