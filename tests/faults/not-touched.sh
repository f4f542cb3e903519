#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Poisoned pages, and those that the hypervisor has taken away, are not read by a capture that leaves pages out, nor
# by any of /proc/vmcore: reading them may stop the machine, which here kills nsplit.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need_inject nsplit

make_core kinds
# Where the memory begins in the file: p_offset of the second program header.
memory=$(od -An -t u8 -j 128 -N 8 kinds | tr -d ' ')

# touching FRAME COUNT: a rule by which reading any of these pages is deadly
touching() {
	from=$((memory + $1 * 4096))
	echo "pread:kinds:@$from-$((from + $2 * 4096)):SIGKILL"
}

# As in made_kernel.h.
rules="$(touching 5500 4) $(touching 5600 1)"
for options in "-d 31" "-d 2 -c" "-d 16 --blocksize=64K" "--exclude=user --chunksize=64K" "-d 31 --mmap=always"; do
	for threads in -j1 -j4 --serial; do
		# shellcheck disable=SC2086	# several words
		expect_status 0 injected "$rules" nsplit -q --overwrite-dumps $threads $options kinds a b
		expect_err ""
		expect_status 0 njoin -q --verify a b
	done
done

# The rules work: a capture of everything reads these pages.
status=0
injected "$rules" nsplit -q --overwrite-dumps kinds a 2> err || status=$?
[ "$status" -ne 0 ] || fail "a full capture does not read them"

# As /proc/vmcore: at every level, and in every form.  doubted: a class of pages is not believed.
printf '%s\n' "$((memory + 5500 * 4096)) 16384" "$((memory + 5600 * 4096)) 4096" > deadly
ln -s "$builddir/nsplit" makedumpfile
rm a b
echo 'read-all = yes' > conf
for core in kinds doubted; do
	for level in "" "-d 0" "-d 1" "-d 31 -c"; do
		for threads in -j4 --serial; do
			# shellcheck disable=SC2086	# several words
			expect_status 0 as_vmcore $core nsplit --mmap=never $threads $level $core a b
			grep -q '^nsplit:   left out: .*offline 16.0 KiB, poisoned 4.0 KiB)$' err || fail "$(cat err)"
			expect_status 0 njoin -q --verify a b
			[ "$level" = "-d 31 -c" ] || expect_status 0 njoin -q --overwrite-dumps -o joined a b
			rm a b
		done
		for form in kdump elf; do
			# shellcheck disable=SC2086	# several words
			for output in new '|cat > new'; do
				expect_status 0 as_vmcore $core nsplit --mmap=never --format=$form $level $core "$output"
				[ $form = elf ] || expect_status 0 njoin --verify -q new
				rm new
			done
		done
	done
	for level in 0 1 31; do
		NSPLIT_CONFIG=$PWD/conf expect_status 0 as_vmcore $core ./makedumpfile --non-mmap -l -d $level $core new
		expect_status 0 njoin --verify -q new
		rm new
	done
done
# A page of the kernel image has a memory error: its struct page is the 4100th of the map.
cp kinds image
map=$(od -An -t u8 -j 184 -N 8 kinds | tr -d ' ')
printf '\040' | dd of=image bs=1 seek=$((map + 4100 * 64 + 2)) conv=notrunc 2> dd.err
cp deadly others
printf '%s\n' "$((memory + 4100 * 4096)) 4096" >> deadly
for form in members kdump; do
	expect_status 0 as_vmcore image nsplit --mmap=never --format=$form image new
	grep -q '^nsplit:   left out: .*offline 16.0 KiB, poisoned 8.0 KiB)$' err || fail "$(cat err)"
	rm new
done
expect_status 0 as_vmcore image njoin -q --format=kdump -o new image
rm new
mv others deadly
[ ! -e touched ] || fail "$(cat touched)"
# The last joined is the whole of doubted but for these pages, which are zeros.
cp doubted zeros
dd if=/dev/zero of=zeros bs=4096 seek=$((memory / 4096 + 5500)) count=4 conv=notrunc 2> dd.err
dd if=/dev/zero of=zeros bs=4096 seek=$((memory / 4096 + 5600)) count=1 conv=notrunc 2> dd.err
cmp joined zeros

# The pages are read, and everything is there: if they are asked for, if the marks are not believed, and if the map is not found.
export NSPLIT_DEADLY_SPARE=1
sed 's/NUMBER(PG_private)=14/NUMBER(PG_private)=19/' kinds > marks
sed 's/SIZE(page)/XIZE(page)/' kinds > map
for core in kinds marks map; do
	for level in "" "-d 0" "--format=elf"; do
		option=
		[ $core != kinds ] || option=--read-all
		# shellcheck disable=SC2086	# several words
		expect_status 0 as_vmcore $core nsplit -q --mmap=never $option $level $core new
		case $core in
		kinds) [ ! -s err ] ;;
		marks) grep -q 'captured after all: offline, poisoned: only 0 of the 16 pages of the kernel image' err ;;
		map) grep -q 'warning: offline and poisoned pages, which may stop this machine, are read like all others: ' err ;;
		esac || fail "$core $level: $(cat err)"
		grep -q . touched && rm touched
		if [ "$level" != --format=elf ]; then
			expect_status 0 njoin -q --overwrite-dumps -o joined new
			cmp $core joined
		fi
		rm new
	done
done

# The same, and the first read is deadly: all else is safe before, and the members say what happened.
unset NSPLIT_DEADLY_SPARE
end="the machine stopped while pages that may not be touched were read"
python3 -B - "$memory" << 'END'
import sys
for name in "kinds", "marks":
    core = bytearray(open(name, "rb").read())
    for frame, count in (5500, 4), (5600, 1):
        at = int(sys.argv[1]) + frame * 4096
        core[at:at + count * 4096] = bytes(count * 4096)
    open(name + ".zeros", "wb").write(core)
END
for core in kinds marks; do
	option=
	[ $core != kinds ] || option=--read-all
	for threads in -j4 --serial; do
		# shellcheck disable=SC2086	# several words
		expect_status 137 as_vmcore $core nsplit -q --mmap=never $threads $option $core a
		rm touched
		expect_status 3 njoin -q --salvage --overwrite-dumps -o joined a
		grep -q "^njoin: a: ends with a checkpoint at byte .*, not with a footer: the capture did not finish, .*; $end\$" err ||
			fail "$(cat err)"
		cmp joined $core.zeros
		expect_status 3 njoin --info --salvage a
		grep -q "^stopped: $end\$" out || fail "$(cat out)"
		expect_status 3 njoin --info --json --salvage a
		grep -q '"stopped_at_marked": true' out || fail "$(cat out)"
		# shellcheck disable=SC2086	# several words
		expect_status 137 as_vmcore $core nsplit -q --mmap=never $threads $option --format=kdump $core new
		expect_status 3 njoin --verify -q new
		# In a pipe, they are last, too; no sample of them is read before.
		# shellcheck disable=SC2086	# several words
		expect_status 137 as_vmcore $core nsplit -q --mmap=never $threads $option --format=kdump --size-limit=1G $core -
		[ -s out ] || fail "$core: nothing was written before"
		rm a new joined touched
	done
done
