#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --digest: the SHA-256 of a dump, in a file beside it, in the summary and in --stats; what fails does not affect
# the dump.  njoin-digest.sh has the roots of members.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 100000 core
if nsplit --no-config --dry-run --digest core new 2> err > out; then
	unsupported=
else
	unsupported='this build of nsplit cannot compute digests, because it was made without the library nettle'
	expect_usage nsplit "--digest: $unsupported" nsplit --digest core new
	expect_status 0 nsplit -q --no-digest core new
	skip "$unsupported"
fi
need sha256sum
need python3
make_core kinds
have_codec zlib || skip "this build has no zlib"

# sum FILE: prints its SHA-256
sum() {
	sha256sum < "$1" | sed 's/ .*//'
}

# stated KEY: prints the value of this key of the first output in the file stats
stated() {
	python3 -c 'import json, sys; print(json.load(open("stats"))["sinks"][0].get(sys.argv[1]))' "$1"
}

# checked FILE: FILE.sha256 has its SHA-256, and so have the summary and the file stats
checked() {
	sha256sum -c "$1.sha256" > told 2>&1 || fail "$1: $(cat told)"
	[ "$(cat "$1.sha256")" = "$(sum "$1")  $1" ] || fail "$1.sha256: $(cat "$1.sha256")"
	[ "$(stat -c %a "$1.sha256")" = 600 ] || fail "$1.sha256 has another mode"
	printed "$1"
}

printed() {
	grep -qx "nsplit:     SHA-256 $(sum "$1")" err || fail "$1: $(cat err)"
	[ "$(stated sha256)" = "$(sum "$1")" ] || fail "$1: $(cat stats)"
	[ "$(stated root)" = None ] || fail "$1 has a root: $(cat stats)"
}

# A file is read back.
for engine in -j1 -j4 --serial; do
	for level in 0 31; do
		expect_status 0 nsplit $engine -d $level -C zlib --format=kdump --digest --stats=stats kinds new
		checked new
		rm new new.sha256
	done
done
expect_status 0 nsplit --format=elf --digest --stats=stats kinds new
checked new
# Blocks are pages of the core, whatever -b says.
expect_status 0 nsplit --overwrite-dumps -b 64K --chunksize=256K -C zlib --format=kdump --digest --stats=stats kinds new
checked new

# A drill leaves none.
mkdir drilled
expect_status 0 nsplit -q --drill --drill-memory=60M -C zlib --format=kdump --digest kinds drilled/new
[ -z "$(ls drilled)" ] || fail "a drill has left $(ls drilled)"

# -f overwrites the file of an earlier dump.  Without it, the digest is printed, even with -q.
rm new
expect_status 0 nsplit -q -C zlib --format=kdump --digest kinds new
expect_err "nsplit: new.sha256: already exists; use -f to overwrite it; the SHA-256 of new is $(sum new)"
expect_status 0 nsplit -q --overwrite-dumps -C zlib --format=kdump --digest kinds new
expect_err ""
sha256sum -c new.sha256 > told 2>&1 || fail "again: $(cat told)"
# Not through a link.
echo precious > other
rm new.sha256
ln -s other new.sha256
expect_status 0 nsplit -q --overwrite-dumps -C zlib --format=kdump --digest kinds new
[ "$(cat other)" = precious ] || fail "a file behind a link was overwritten"
sha256sum -c new.sha256 > told 2>&1 || fail "instead of a link: $(cat told)"
rm new new.sha256

# Without --digest, too, and by each program that overwrites the dump; what is not a digest stays.
ln -s "$(command -v nsplit)" makedumpfile
for writer in 'nsplit --format=kdump' 'nsplit --format=elf' nsplit './makedumpfile -c' 'njoin -o'; do
	expect_status 0 nsplit -q --overwrite-dumps -C zlib --format=kdump --digest kinds new
	# shellcheck disable=SC2086 # words
	case $writer in
	nsplit*) expect_status 0 $writer -q --overwrite-dumps kinds new ;;
	njoin*) expect_status 0 njoin -q --overwrite-dumps --format=kdump -o new kinds ;;
	*) expect_status 0 ./makedumpfile -f -c kinds new ;;
	esac
	absent new.sha256
	echo mine > new.sha256
	expect_status 0 nsplit -q --overwrite-dumps --format=kdump kinds new
	[ "$(cat new.sha256)" = mine ] || fail "$writer: new.sha256 was changed"
	rm new new.sha256
done

# In another directory, and with a name that sha256sum escapes.
mkdir disk
name=$(printf 'disk/a\\b\nc')
expect_status 0 nsplit -q -C zlib --format=kdump --digest kinds "$name"
(cd disk && sha256sum -c ./*.sha256) > told 2>&1 || fail "escaped: $(cat told)"
rm -r disk

# What passes in order is not read again, and there is no file beside it.
expect_status 0 nsplit -C zlib --format=kdump --digest --stats=stats kinds '|cat > new'
printed new
expect_status 0 nsplit --format=elf --digest --stats=stats kinds '|cat > new'
printed new
expect_status 0 nsplit -C zlib --format=kdump --digest --stats=stats kinds -
cp out new
printed new
absent new.sha256
rm new
expect_status 0 nsplit -q -C zlib --format=kdump --digest --stats=stats kinds null:
[ "$(stated sha256)" != None ] || fail "null: $(cat stats)"

# A fallback has the digest, and the output that failed has none.
expect_status 0 nsplit -C zlib --format=kdump --digest --stats=stats --fallback=new kinds nowhere/a
[ "$(stated sha256)" = None ] || fail "fallback: $(cat stats)"
sha256sum -c new.sha256 > told 2>&1 || fail "fallback: $(cat told)"
absent nowhere
rm new new.sha256
# One that is not needed has none.
expect_status 0 nsplit -q -C zlib --format=kdump --digest --stats=stats --fallback=other.dump kinds new
absent other.dump.sha256
rm new new.sha256

# A source that is not the core of a kernel becomes a member, which has a root.
cp "$srcdir/COPYING" text
expect_status 0 nsplit -q -C zlib --format=kdump --digest --stats=stats text new
[ "$(stated sha256)" = None ] || fail "member: $(cat stats)"
[ "$(stated root)" != None ] || fail "member: $(cat stats)"
absent new.sha256
rm new

# The configuration, which --no-digest overrides.
echo 'digest = yes' > conf
expect_status 0 nsplit -q --config=conf -C zlib --format=kdump kinds new
[ -e new.sha256 ] || fail "the key digest has no effect"
rm new new.sha256
expect_status 0 nsplit -q --config=conf --no-digest -C zlib --format=kdump kinds new
absent new.sha256
rm new

# --- failures -----------------------------------------------------------------

need_inject nsplit

# The capture itself reads the first bytes of the file.  What is read back is read in pieces of 1 MiB.

# failing RULES STATUS OPTION...: there is a dump, and no digest
failing() {
	rules=$1
	status=$2
	shift 2
	echo "$(sum kinds)  new" > new.sha256
	expect_status "$status" injected "$rules" nsplit -q --overwrite-dumps -C zlib --format=kdump --digest --stats=stats "$@" kinds new
	absent new.sha256
	[ "$(stated sha256)" = None ] || fail "$rules: $(cat stats)"
	expect_status 0 njoin -q --verify new
	rm new
}

for engine in -j2 --serial; do
	rm -f new.sha256
	expect_status 0 injected pread:new:@2000000-2000001:EIO nsplit -q $engine -C zlib --format=kdump --digest kinds new
	expect_err 'nsplit: new: Input/output error; its digest is unknown, the dump is not affected'
	rm new
	failing pread:new:@4096-4097:EIO 0 $engine
	# It could be read, but not written.
	expect_status 0 injected open:new.sha256:1-:ENOSPC nsplit -q $engine -C zlib --format=kdump --digest kinds new
	expect_err "nsplit: new.sha256: No space left on device; the SHA-256 of new is $(sum new)"
	absent new.sha256
	rm new
	expect_status 0 injected write:new.sha256:1-:ENOSPC nsplit -q $engine -C zlib --format=kdump --digest kinds new
	expect_err "nsplit: new.sha256: No space left on device; the SHA-256 of new is $(sum new)"
	absent new.sha256
	rm new
done

# That of an earlier dump goes before its file is emptied: it describes neither what a failed output has left, nor what
# was there when nsplit was killed.  It stays with a file that was not opened.
for engine in -j2 --serial; do
	for rule in fsync:new:1-:EIO pwrite:new:1-:EACCES pwrite:new:1:SIGKILL pwrite:new:60:SIGKILL; do
		echo old > new
		echo "$(sum kinds)  new" > new.sha256
		injected $rule nsplit -q $engine -f -C zlib --format=kdump --digest kinds new > out 2> err && fail "$rule: status 0"
		absent new.sha256
		[ "$(head -c 3 new)" != old ] || fail "$rule: new was not opened"
	done
	echo "$(sum kinds)  new" > new.sha256
	expect_status 2 nsplit -q $engine -C zlib --format=kdump --digest kinds new
	expect_status 1 injected open:new:1-:EACCES nsplit -q $engine -f -C zlib --format=kdump --digest kinds new
	[ -s new.sha256 ] || fail "the file was not opened, and its digest has gone"
	rm new new.sha256
done

# A signal while it is read back.  The dump is complete, but nsplit ends by the signal.
for engine in -j2 --serial; do
	expect_status 143 injected 'pread:new:@4096-4097:SIGTERM pread:new:@2000000-2000001:slow=2000' \
		nsplit -q $engine -C zlib --format=kdump --digest kinds new
	sed '/^Terminated/d' err > told
	echo 'nsplit: new: Terminated: it is not read back; its digest is unknown, the dump is not affected' > want
	same told want
	absent new.sha256
	expect_status 0 njoin -q --verify new
	rm new
done

# A disk that does not answer any more, while the dump is read, or its digest is written.
for rule in pread:new:@2000000-2000001:hang open:new.sha256:1:hang fsync:new.sha256:1:hang; do
	rm -f new new.sha256
	expect_status 0 injected $rule nsplit -q --sink-timeout=1 -C zlib --format=kdump --digest kinds new
	expect_err 'nsplit: new: does not answer while its digest is made, which is unknown; the dump is not affected'
	expect_status 0 njoin -q --verify new
done
