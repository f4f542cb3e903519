#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Invalid command lines of nsplit-bench, and those that would destroy data: exit status 2.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# refused MESSAGE OPTION...: an error in the command line, with a pointer to --help
refused() {
	expect_usage nsplit-bench "$@"
}

# wrong MESSAGE OPTION...: an error that is found later
wrong() {
	message=$1
	shift
	expect_status 2 nsplit-bench "$@"
	expect_err "nsplit-bench: $message"
	absent new
}

for name in 64M fak:8M fake; do
	expect_status 1 nsplit-bench $name new
	expect_err "nsplit-bench: $name: No such file or directory"
	absent new
done

refused 'no SOURCE given'
refused 'no OUTPUT given' fake:1M
refused "-j 'x' is not a number" -jx fake:1M null:
refused '-j 0 is out of range; use 1 to 4096' -j1,0 fake:1M null:
refused '-j: the range 8-1 is empty' -j8-1 fake:1M null:
refused "unknown codec 'rar'; do you mean 'raw'? --list-codecs lists all" -C raw,rar fake:1M null:
refused "-b 2K is out of range; use 4096 to 1048576" -b4K,2K fake:1M null:
refused "--disk-rate: 'fast' is not a size$size_rule" --disk-rate=fast fake:1M null:
for wrong in x:50M :50M 1 -1:50M; do
	refused "--disk-rate-after must be SECONDS:LIST, with at most 1000000 seconds, not '$wrong'" \
		--disk-rate-after="$wrong" fake:1M null:
done
refused "--disk-rate-after: 'fast' is not a size$size_rule" --disk-rate-after=1:fast fake:1M null:
refused '--disk-rate-after requires --disk-rate' --disk-rate-after=1:50M fake:1M null:
refused '--rounds 0 is out of range; use 1 to 1000' --rounds=0 fake:1M null:
refused "--cache must be members or keep, not 'lose'" --cache=lose fake:1M null:

wrong "fake:1M,size=3: unknown key 'size': use pattern, compressible, seed or pool" fake:1M,size=3 new
wrong 'a block size must be a power of two from 4K to 1M' -b5000 fake:1M new
wrong 'the chunk size must be a multiple of every block size, and at most 64M' -b64K --chunksize=36K fake:1M new
wrong '3 outputs are needed, but only 1 given' -o1,3 fake:1M new
wrong 'new: is the same file as ./new' fake:1M ./new new
wrong 'null: discards its data, so it cannot be combined with other outputs' fake:1M new null:
wrong '-: can be written only once, but a benchmark writes repeatedly' fake:1M -
: > empty
wrong 'empty: is empty' empty new
mkfifo pipe
wrong 'pipe: can be written only once, but a benchmark writes repeatedly' fake:1M pipe
expect_status 2 nsplit-bench - new < empty
expect_err "nsplit-bench: standard input: is a stream, but a benchmark reads its source many times"
# In a running system, /proc/vmcore does not exist.
if [ ! -e /proc/vmcore ]; then
	expect_status 1 nsplit-bench /proc/vmcore new
	expect_err "nsplit-bench: /proc/vmcore: exists only in the capture kernel, after a crash; 'nsplit --check-params' checks the setup, and mkfakevmcore makes a core to try with"
	absent new
fi
mkfakevmcore -s 1M core
cp core original
wrong '--json=core: is the source' core null: --json=core
wrong '--json=new: is an output' fake:1M new --json=new
wrong '--join-to=new: is an output' fake:1M new --join-to=new
wrong '--join-to=x: is also given as --json' fake:1M null: --json=x --join-to=x
wrong '-: can be written only once, but a benchmark writes repeatedly' fake:1M new --join-to=-
wrong 'pipe: can be written only once, but a benchmark writes repeatedly' fake:1M new --join-to=pipe
same core original
wrong 'core: is the source' -f core core

# --join-to replaces the file: its directory must be writable, and the file need not be.  Root may
# write to all of them.
as_user() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
mkdir open closed
echo old > open/copy
echo old > closed/copy
chmod 444 open/copy
chmod 666 closed/copy
chmod 777 open
chmod 711 .
if as_user sh -c 'nsplit-bench --version && echo > open/x' > out 2> err; then
	expect_status 0 as_user nsplit-bench -q --overwrite-dumps --rounds=1 fake:1M null: --join-to=open/copy
	status=0
	chmod 555 closed
	as_user nsplit-bench -q --overwrite-dumps --rounds=1 fake:1M null: --join-to=closed/copy 2> err || status=$?
	chmod 755 closed
	[ $status -eq 1 ] || fail "a file in a directory that cannot be written: status $status"
	expect_err "nsplit-bench: --join-to=closed/copy: Permission denied"
fi

# The codecs, as nsplit lists them.
expect_status 0 nsplit --list-codecs
mv out codecs
expect_status 0 nsplit-bench --list-codecs
same codecs out

help_fits nsplit-bench
help_shows fake: null: --json
expect_status 0 nsplit-bench -V
grep -qx 'nsplit-bench (nsplit) [0-9][0-9.]*' out || fail "--version says: $(cat out)"
