#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a cgroup with less memory, or fewer threads, than requested: nsplit uses what is available,
# says so, and is not killed.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need_root "a cgroup"

# find_controller NAME: sets hierarchy to its mount point.  Version 1 has a mount point of that
# name; in version 2, the root of the tree must enable the controller, and version is set to 2.
find_controller() {
	version=1
	hierarchy=$(awk -v name="$1" '$3 == "cgroup" && $4 ~ "(^|,)" name "(,|$)" { print $2; exit }' \
		/proc/mounts)
	[ -z "$hierarchy" ] || return 0
	version=2
	hierarchy=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$hierarchy" ] && grep -qw "$1" "$hierarchy/cgroup.subtree_control"
}

# make_group NAME: makes a cgroup there, and sets group to it
make_group() {
	group=$hierarchy/nsplit-$1.$$
	at_exit "[ ! -d '$group' ] || retry rmdir '$group'"
	mkdir "$group" 2> mkdir.err || skip "cannot make a cgroup: $(cat mkdir.err)"
}

# within COMMAND...: runs it in the cgroup
within() {
	# shellcheck disable=SC2016 # it is for the inner shell
	sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$group" "$@"
}

# said: prints nsplit's messages without sizes and numbers
said() {
	sed 's/[0-9.]* MiB/N/g; s/using [0-9]* threads* and [0-9]* chunks*/using N and N/' err
}

# set_memory MIB
set_memory() {
	if [ $version = 1 ]; then
		echo $(($1 << 20)) > "$group/memory.limit_in_bytes"
	else
		echo $(($1 << 20)) > "$group/memory.max"
	fi
}

less='need N of memory and N is available (the limit of the memory cgroup); using N and N'

# fits MIB THREADS LESS OPTION...: a capture to one output and one to eight with this memory; LESS:
# whether nsplit reports that it uses less than requested
fits() {
	set_memory "$1"
	threads=$2 gives_way=$3
	shift 3
	for outputs in m0 'm{0..7}'; do
		expect_status 0 within nsplit -q --overwrite-dumps -j"$threads" "$@" $core "$outputs"
		if [ "$gives_way" = yes ]; then
			[ "$(said)" = "nsplit: $threads threads $less" ] || fail "it says: $(cat err)"
		elif [ "$gives_way" = no ]; then
			expect_err ""
		fi
		expect_joined $core m[0-7]
		rm m[0-7]
	done
}

# In a tmpfs, which stays charged to this script: when other programs drop the page cache, as nsplit-bench
# does, nsplit would read a file again, and that page cache would be charged to the cgroup.
make_tmpfs memory 90M
core=memory/core
mkfakevmcore -s 80M $core

find_controller memory || skip "no memory cgroup"
make_group memory
# With swap it could use more.
[ ! -e "$group/memory.swap.max" ] || echo 0 > "$group/memory.swap.max"
for mebibytes in 40 60 100; do
	fits $mebibytes 64 yes -c
	fits $mebibytes 1 no -c
done
fits 40 64 yes -C auto
fits 40 64 yes -c --direct=never
have_codec zstd && fits 50 64 yes -C zstd:3
fits 50 8 no -c
fits 24 512 yes -c
# An explicit limit is obeyed without a message.
fits 60 8 no -c --mem-limit=20M
# Commands need memory, too.
set_memory 60
expect_status 0 within nsplit -q -c -j64 --filter='cat > "$FILE"' $core 'm{0..3}'
[ "$(said)" = "nsplit: 64 threads $less" ] || fail "it says: $(cat err)"
expect_joined $core m[0-3]
rm m[0-3]
# It is known in advance.
expect_status 0 within nsplit -n -c -j64 $core m0
[ "$(said)" = "nsplit: 64 threads $less" ] || fail "-n says: $(cat err)"
grep -q '^threads: [1-9][0-9]$' out || fail "-n says: $(cat out)"
expect_status 0 within nsplit --check-params -c -j64 $core m0
[ "$(said)" = "nsplit: warning: 64 threads $less" ] || fail "--check-params says: $(cat err)"

# Threads: their exact number is nsplit's own decision, but below some limit it uses fewer, and then
# one.
find_controller pids || skip "memory was tested; no pids cgroup"
make_group pids
none=no some=no all=no
for most in 3 4 5 6 7 8 9 12 24; do
	echo $most > "$group/pids.max"
	expect_status 0 within nsplit -q -c -j10 $core m0 m1
	workers=$(sed -n 's/^nsplit: threads: only \([1-9]\) of 10 workers could be created: Resource temporarily unavailable; continuing with these$/\1/p' err)
	if [ -n "$workers" ]; then
		[ $((workers + 4)) -le $most ] || fail "$workers pool threads of $most threads in all"
		some=yes
	elif [ ! -s err ]; then
		all=yes
	else
		expect_err "nsplit: threads: no worker could be created: Resource temporarily unavailable; continuing with one thread for everything"
		none=yes
	fi
	[ "$(wc -l < err)" -le 1 ] || fail "too many messages: $(cat err)"
	expect_joined $core m0 m1
	rm m0 m1
done
[ $none$some$all = yesyesyes ] || fail "not all cases occurred: none '$none', some '$some', all '$all'"
