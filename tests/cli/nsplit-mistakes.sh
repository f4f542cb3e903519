#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel, no mistake in an option or in nsplit.conf costs the dump.  The test mounts its own
# directory on /proc, with a file vmcore.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need unshare mount
need_root "mounting a /proc of its own"
unshare -m true 2> /dev/null || skip "no mount namespace may be made here"

mkfakevmcore -s 3000000 core
mkdir proc real
unshare -m mount -t proc proc real 2> /dev/null || skip "no /proc may be mounted here"
: > conf

# run_there STATUS ARGUMENT...: runs nsplit in a capture kernel
run_there() {
	status=$1
	shift
	rm -f dump
	# shellcheck disable=SC2016 # for the other shell
	NSPLIT_CONFIG=$PWD/conf expect_status "$status" unshare -m sh -c '
		mount -t proc proc real && mount -t tmpfs tmpfs proc || exit
		here=$PWD
		cp core proc/vmcore
		for file in real/*; do
			[ "$file" = real/vmcore ] || ln -s "$here/$file" proc/
		done
		mount --move proc /proc && exec "$@"' sh nsplit "$@"
}

# captured ARGUMENT...: likewise, and the file dump has all of the core
captured() {
	run_there 0 "$@"
	cp err captured.err
	expect_status 0 njoin -q --overwrite-dumps -o copy dump
	same core copy
	cp captured.err err
}

# told LINE...: nsplit reported these, and nothing else
told() {
	sed -i '/: warning\|in memory/d' err
	printf 'nsplit: ignored: %s\n' "$@" > want
	same err want
}

dump=$PWD/dump
captured -q -c /proc/vmcore "$dump"
expect_err ''

# What a drill has left that the crash has ended takes space that the dump may need.  Another file of that name stays.
for kind in member dump elf; do
	case $kind in
	member) nsplit -q core "$dump.drill" ;;
	dump) printf 'KDUMP   %4000s' '' > "$dump.drill" ;;
	elf) cp core "$dump.drill" ;;
	esac
	captured -q /proc/vmcore "$dump"
	expect_err "nsplit: $dump: removed, since a drill that the crash interrupted had left it"
	[ ! -e "$dump.drill" ] || fail "$kind: the file of the drill is still there"
done
echo notes > "$dump.drill"
captured -q /proc/vmcore "$dump"
expect_err ''
[ -e "$dump.drill" ] || fail "a file of somebody else was removed"
rm "$dump.drill"
cp core "$dump.drill"
run_there 0 --dry-run /proc/vmcore "$dump"
[ -e "$dump.drill" ] || fail "--dry-run removed a file"
rm -f "$dump"
expect_status 0 nsplit -q core "$dump"
[ -e "$dump.drill" ] || fail "a capture of another source removed a file"
rm "$dump.drill"

# The line that kdump.conf has for makedumpfile.
captured -q -l --message-level 7 -d 99 /proc/vmcore "$dump"
told "unknown option '--message-level'" \
	"-d: '99' is not a dump level, which is a number from 0 to 31: the sum of 1 (zero), 2 (cache), 4 (private), 8 (user) and 16 (free)" \
	"'99' is not used as an output; it may be the value of an option" \
	"'7' is not used as an output; it may be the value of an option"

# An option behind the source; a value that was forgotten; a value that is another option.
captured -q /proc/vmcore --frob 7 "$dump"
captured -q -d /proc/vmcore "$dump"
captured -q /proc/vmcore -d "$dump"
captured -q --stats /proc/vmcore "$dump"
captured -q --config /proc/vmcore "$dump"

# A limit with which nothing could be captured.
captured -q --mem-limit=1M /proc/vmcore "$dump"
sed -i 's/at least [0-9]* bytes/at least N bytes/' err
told "--mem-limit=1048576 is too small; these options need at least N bytes"
run_there 0 -q -d 31 --mem-limit=1M --format=kdump /proc/vmcore "$dump"
! grep -q 'too little memory' err || fail "$(cat err)"

# Figures in a file that must not be overwritten.
captured -q --stats="$dump" /proc/vmcore "$dump"
told "--stats=$dump: is an output"

captured -q --frob /proc/vmcore dump
captured -q --stats /proc/vmcore /proc/vmcore "$dump"

# A path that may be the value of an option is no output: in an initramfs, it would be in memory.
mkdir memory
for words in "--statistics $PWD/memory/s /proc/vmcore" "-f $PWD/memory/s /proc/vmcore" \
	"/proc/vmcore --statistics $PWD/memory/s"; do
	# shellcheck disable=SC2086 # several words
	captured -q -c $words "$dump"
	[ -z "$(ls -A memory)" ] || fail "$words: left: $(ls -A memory)"
done
captured -q --compress --quiet /proc/vmcore "$dump"
captured -q --stripe -C auto /proc/vmcore "$dump"
told "--stripe cannot be combined with --compress=auto"
captured -q --chunksize=5000 /proc/vmcore "$dump"

# What a dump in the kdump-compressed form cannot be: it becomes members.
captured -q --format=kdump -C auto /proc/vmcore "$dump"
told "--format=kdump: the form does not know the codec auto; use raw, zlib, lzo, lzohc, snappy or zstd"
run_there 0 -q --format=kdump --stripe /proc/vmcore "$dump" "$PWD/other"
told "--stripe cannot be combined with --format=kdump" \
	"--format=kdump writes one OUTPUT; for several disks omit it: njoin --format=kdump makes a dump of the members"
expect_status 0 njoin -q --overwrite-dumps -o copy dump other
same copy core
rm other

# A drill is for the running system: here, it would be the dump that is verified and removed.
captured -q --drill --drill-size=8M /proc/vmcore "$dump"
told '--drill is for the running system, and this is the capture kernel: /proc/vmcore exists'
captured -q --drill=crash -c /proc/vmcore "$dump"
told '--drill is for the running system, and this is the capture kernel: /proc/vmcore exists'
captured -q --drill-memory=8M -c /proc/vmcore "$dump"
told '--drill-memory requires --drill'
run_there 2 -q --drill core "$dump"
head -n 1 err > told
echo 'nsplit: --drill is for the running system, and this is the capture kernel: /proc/vmcore exists' > want
same told want

# Each line of the file that is right has its effect.
printf '%s\n' 'compres = lzo' 'threads' 'threads = x' 'threads = 1' 'verbose = no' > conf
captured -q /proc/vmcore "$dump"
told "$PWD/conf:1: unknown key 'compres'; do you mean 'compress'? nsplit.conf(5) lists all" \
	"$PWD/conf:2: 'threads' is not of the form 'key = value'" \
	"$PWD/conf:3: threads 'x' is not a number"
run_there 0 --dry-run /proc/vmcore "$dump"
grep -qx 'threads: 1' out || fail "$(cat out)"
rm conf
mkdir conf
captured -q /proc/vmcore "$dump"
told "$PWD/conf: is not a regular file"
rmdir conf
captured -q --config=none /proc/vmcore "$dump"
told "none: No such file or directory"

# An operand is an error here, too; and any other source is not the memory of a crashed machine.
: > conf
run_there 2 -q -c /proc/vmcore
head -n 1 err > told
echo "nsplit: no OUTPUT given" > want
same told want
run_there 2 -q --frob core "$dump"
