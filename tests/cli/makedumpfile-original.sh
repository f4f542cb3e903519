#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The original program: it gets what nsplit does not do, and takes over if nothing was written; but not for a file
# that exists, or after the first byte.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3

make_core kinds
make_core log
make_original

# handed TEXT ARGUMENT...: the original gets the arguments as they are, and its status counts
handed() {
	text=$1
	shift
	for status in 0 2; do
		echo $status > bin/status
		expect_status $status makedumpfile "$@"
		expect_err "$text; $original takes over"
		expect_out "original: $*"
		absent new
	done
	echo 0 > bin/status
}

# kept TEXT ARGUMENT...: it does not get them
kept() {
	text=$1
	shift
	expect_status 1 makedumpfile "$@"
	told "$text"
}

erase="nsplit does not erase data from a dump"
describes="nsplit needs no such file, since VMCORE describes its kernel"
xen="nsplit does not filter the memory of Xen"
rows() {
	"$1" "makedumpfile: --config: $erase" --config filter -x vmlinux -c kinds new
	"$1" "makedumpfile: --eppic: $erase" --eppic=macro -x vmlinux kinds new
	"$1" "makedumpfile: -g: $describes" -g new -x vmlinux
	"$1" "makedumpfile: --diskset: nsplit does not read sadump's formats" --diskset=a --diskset=b new
	"$1" "makedumpfile: --mem-usage: use 'nsplit --estimate' in the running system, or 'njoin --list' with a core" --mem-usage kinds
	"$1" "makedumpfile: --vtop: use the vtop command of crash" --vtop ffff800000000000 kinds new
	"$1" "makedumpfile: -X: $xen" -X kinds new
	"$1" "makedumpfile: --xen-syms: $xen" --xen-syms syms kinds new
	"$1" "makedumpfile: --xen-vmcoreinfo: $xen" --xen-vmcoreinfo info kinds new
	"$1" "makedumpfile: --xen_phys_start: $xen" --xen_phys_start 4096 kinds new
}
rows handed
# Words that getopt_long() would move come in their order; the first reason is named.
handed "makedumpfile: --vtop: use the vtop command of crash" kinds --vtop 1 new -c -X --mem-usage
# What goes together is for the original to say; the same for a check.
handed "makedumpfile: -X: $xen" --check-params -X -E -c kinds

# --- nothing was written

handed "makedumpfile: nowhere: No such file or directory
makedumpfile: nothing was written" -c -d 31 nowhere new
handed "makedumpfile: unsupported source: not an ELF file
makedumpfile: nothing was written" -c class new
handed "makedumpfile: the core has no VMCOREINFO: it is not a vmcore, or its kernel was built without support for crash \
dumps
makedumpfile: nothing was written" bare new

# Parts that are removed.
expect_status 0 makedumpfile --split -L 1M kinds new other
grep -qx "makedumpfile: nothing was written; $original takes over" err || fail "$(cat err)"
expect_out "original: --split -L 1M kinds new other"
absent new other
expect_status 0 makedumpfile --split class new other
expect_out "original: --split class new other"

echo 'mem-limit = 1M' > conf
NSPLIT_CONFIG=$PWD/conf expect_status 0 makedumpfile -F -d 31 kinds
sed -i 's/at least [0-9]* bytes/at least N bytes/' err
expect_err "makedumpfile: warning: nothing is left out: there is too little memory for it
makedumpfile: --mem-limit=1048576 is too small; these options need at least N bytes
makedumpfile: nothing was written; $original takes over"
expect_out "original: -F -d 31 kinds"

# With any amount of memory, one of the two programs does it.
if prlimit --as=1000000000 makedumpfile -v > version 2> err; then
	mebibytes=8 taken=no
	until prlimit --as=$((mebibytes << 20)) makedumpfile -v > version 2> err; do
		mebibytes=$((mebibytes + 1))
	done
	while [ $mebibytes -lt 60 ]; do
		expect_status 0 prlimit --as=$((mebibytes << 20)) makedumpfile -d 31 kinds new
		if grep -q '^original: -d 31 kinds new$' out; then
			grep -qx "makedumpfile: nothing was written; $original takes over" err || fail "$(cat err)"
			absent new
			taken=yes
		else
			expect_out "$(saved new)"
			rm new
		fi
		mebibytes=$((mebibytes + 1))
	done
	[ $taken = yes ] || fail "there was always enough memory"
fi

# A signal that nobody has sent to it; before and after the first byte.
need_inject nsplit
expect_status 0 injected pread:kinds:@4096-34000000:SIGKILL makedumpfile -d 31 kinds new
sed 's/ (Killed)//' err > err.signal
mv err.signal err
expect_err "makedumpfile: nothing was written: nsplit was ended by signal 9; $original takes over"
expect_out "original: -d 31 kinds new"
absent new
expect_status 137 injected pwrite:new:1:SIGKILL makedumpfile -d 31 kinds new
sed -i '/Killed/d' err
told ""
expect_out ""
[ -e new ] || fail "the output was not created"
rm new
# One that was sent is for the user, who wants it to end.
rm log
env INJECT=pread:kinds:@4096-34000000:slow=500 INJECT_LOG=log LD_PRELOAD="$inject" ASAN_OPTIONS=verify_asan_link_order=0 \
	makedumpfile -d 31 kinds new > out 2> err &
wait_for grep -qs slow log
kill -s TERM $!
expect_end 143 $!
! grep -q original out || fail "after SIGTERM: $(cat out)"
rm -f new

# All of the group are told to end, and the process that works ends at once.
for i in 1 2 3 4 5 6 7 8; do
	rm -f log out
	env INJECT=pread:kinds:@4096-34000000:slow=500 INJECT_LOG=log LD_PRELOAD="$inject" \
		ASAN_OPTIONS=verify_asan_link_order=0 setsid makedumpfile -d 31 kinds new > out 2> err &
	wait_for grep -qs slow log
	kill -s TERM -- -$!
	expect_end 143 $!
	! grep -q original out || fail "after SIGTERM to the group: $(cat out)"
	rm -f new
done

# --- it does not take over

echo precious > new
kept "makedumpfile: new: exists; use -f to overwrite it" kinds new
kept "makedumpfile: new: exists; use -f to overwrite it" bare new
[ "$(cat new)" = precious ] || fail "what existed was changed"
expect_out "$failed"
rm new
cp kinds before
kept "makedumpfile: ./kinds: is the source, kinds" -f kinds ./kinds
same kinds before
# The child often ends right after it has said that it might hang.
for i in 1 2 3 4 5 6 7 8 9 10; do
	kept "makedumpfile: nowhere/new: the directory nowhere does not exist; given up
makedumpfile: nothing was captured: every output failed" --num-threads $i kinds nowhere/new
	expect_out "$failed"
done
expect_status 1 makedumpfile -L 10M -d 31 kinds new
expect_out "$failed"
rm new
if [ -c /dev/full ]; then
	expect_status 1 makedumpfile -f kinds /dev/full
	expect_out "$failed"
fi
refused "unknown option '--frob'" --frob kinds new

# --- how it is found

expect_status 0 makedumpfile -v
grep -qx "original program	$original" out || fail "-v: $(cat out)"
# lacking TEXT ARGUMENT...: it is needed, and not there
lacking() {
	text="$1; makedumpfile.distrib, which could do it, was not found"
	shift
	kept "$text" "$@"
}
# A link to nsplit is none, or it would execute itself forever.
rm bin/makedumpfile.distrib
need_no_original
ln -s "$builddir/nsplit" bin/makedumpfile.distrib
rows lacking
rm bin/makedumpfile.distrib
make_original
# One that cannot be executed is as none; and the name with its directory stays what it was.
chmod -x bin/makedumpfile.distrib
rows lacking
absent new
expect_status 1 makedumpfile nowhere new
expect_err "makedumpfile: nowhere: No such file or directory"
expect_out "$failed"
rm bin/makedumpfile.distrib
mkdir bin/makedumpfile.distrib other
printf 'no program\n' > other/makedumpfile.distrib
chmod +x other/makedumpfile.distrib
PATH=$PWD/other:$PATH expect_status 1 makedumpfile -X kinds new
expect_err "makedumpfile: -X: $xen; $PWD/other/makedumpfile.distrib takes over
makedumpfile: $PWD/other/makedumpfile.distrib: Exec format error
makedumpfile: -X: $xen"
expect_out "$failed"
