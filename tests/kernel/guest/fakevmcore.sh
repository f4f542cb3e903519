# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The module fakevmcore: loaded, read, mapped, captured, misused and unloaded.

fake=/proc/fakevmcore
parameters=/sys/module/fakevmcore/parameters
# Sets sections and codecs, the parts to run.
. /amount.sh
# Bytes; the smallest block of the module's pattern, too.
page_size=$(($(awk '$1 == "KernelPageSize:" { print $2; exit }' /proc/self/smaps) * 1024))

# With a path, since the shell has its own insmod.
load() {
	/bin/insmod /fakevmcore.ko "$@"
}

unload() {
	/bin/rmmod fakevmcore
}

# --- the same bytes as mkfakevmcore's ----------------------------------------

read_is() {
	mkfakevmcore --check "$@" "$fake"
}

mapped_is() {
	mapped cat "$fake" "$window" > /tmp/pipe &
	mkfakevmcore --check "$@" - < /tmp/pipe && wait $!
}

# bytes_are WINDOW SIZE BLOCK-SIZE POOL SEED PATTERN COMPRESSIBLE
bytes_are() {
	window=$1
	shift
	try "loads: $*" load fakevmcore_size="$1" fakevmcore_block_size="$2" \
		fakevmcore_pool="$3" fakevmcore_seed="$4" fakevmcore_pattern="$5" \
		fakevmcore_compressible="$6"
	for how in read_is mapped_is; do
		try "$how: $*" $how --size="$1" --block-size="$2" --pool="$3" --seed="$4" \
			--pattern="$5" --compressible="$6"
	done
	try "unloads: $*" unload
}

bytes() {
	mkfifo /tmp/pipe
	bytes_are 1048576 24M $page_size 64M 0 mixed 0
	# Many laps, whose borders are inside mappings of many pages.
	bytes_are 12288000 24M $page_size 1M 1 mixed 30
	bytes_are $page_size 1M 64K 256K 2 random 50
	bytes_are 8388608 16M 1M 2M 3 text 0
	bytes_are 2097152 8M $((2 * page_size)) $((2 * page_size)) 18446744073709551615 same 0
	bytes_are 1048576 5M $page_size $page_size 5 zero 0
	# Ends: within a page, within a block, after the headers, before the end of the first block.
	bytes_are 1048576 1234567 $page_size 64M 6 mixed 0
	bytes_are 1048576 5000001 1M 1M 7 random 0
	bytes_are 1048576 8193 $page_size $page_size 8 random 0
	bytes_are 1048576 8193 1M 1M 9 text 0
	rm /tmp/pipe
}

# page N: reads it into /tmp/page; prints dd's error message
page() {
	dd if=$fake bs=$page_size skip="$1" count=1 2>&1 > /tmp/page | sed -n 's/^dd: .*: //p'
}

# --- as a file ----------------------------------------------------------------

as_a_file() {
	load fakevmcore_size=10M fakevmcore_pattern=text fakevmcore_seed=0010 \
		fakevmcore_bad=7,3-4
	same 'mode and size' "$(stat -c '%A %s' $fake)" '-r-------- 10485760'
	for parameter in size=10485760 block_size=$page_size pool=67108864 seed=10 pattern=text \
		compressible=0 bad=7,3-4; do
		same "reads back ${parameter%%=*}" \
			"$(cat "$parameters/fakevmcore_${parameter%%=*}")" "${parameter#*=}"
	done
	same 'a parameter is read-only' \
		"$(stat -c %A $parameters/fakevmcore_size)" '-r--r--r--'
	same 'begins as an ELF core' "$(head -c 20 $fake | hexdump -v -e '20/1 "%02x"')" \
		7f454c4602010100000000000000000004003e00
	same 'no data after the end' "$(page $((10485760 / page_size))) $(stat -c %s /tmp/page)" ' 0'
	same 'sendfile' "$(mapped send $fake | sha256sum)" \
		"$(head -c $page_size $fake | sha256sum)"
	same 'cannot be written' "$( (echo x > $fake) 2>&1 | sed 's/.*: //')" \
		'Input/output error'
	try 'refuses invalid mappings' mapped refuses $fake
	unload
}

# --- bad pages ----------------------------------------------------------------


bad_pages() {
	load fakevmcore_size=$((2048 * page_size)) fakevmcore_pattern=random fakevmcore_bad=300,100-102,2047
	for n in 100 101 102 300 2047; do
		same "page $n: read" "$(page $n)" 'Bad address'
		same "page $n: mapped" "$(mapped touch $fake $n)" SIGBUS
	done
	for n in 0 99 103 299 301 2046; do
		same "page $n: read" "$(page $n) $(stat -c %s /tmp/page)" " $page_size"
		same "page $n: mapped" "$(mapped touch $fake $n)" page
	done
	# The second read of 99 pages contains a good page and then a bad one.
	dd if=$fake of=/tmp/page bs=$((99 * page_size)) count=2 2> /tmp/err || :
	same 'a read that includes a bad page fails' \
		"$(stat -c %s /tmp/page), $(sed -n 's/^dd: .*: //p' /tmp/err)" \
		"$((99 * page_size)), Bad address"
	for mmap in auto never always; do
		rm -f /mnt/?/m
		same "captured, --mmap=$mmap" "$(capture_bad --mmap=$mmap)" 'status 3, 5 pages'
		same 'each range is reported with its reason' "$(grep -c \
			"^nsplit: unreadable: bytes [0-9]* to [0-9]* ($fake: Bad address)$" /tmp/said)" 3
		try 'njoin writes the rest, with zeros for the bad pages' only_bad_differ
	done
	rm -f /tmp/want /tmp/have /mnt/?/m
	unload
}

# Captures with nsplit: prints its status, and the number of bad pages that it reports, in blocks of
# 4 KiB.
capture_bad() {
	capture_status=0
	nsplit -c --stats=/tmp/stats "$@" $fake '/mnt/{0..3}/m' > /tmp/said 2>&1 ||
		capture_status=$?
	capture_blocks=$(sed -n 's/^    "unreadable": //p' /tmp/stats)
	echo "status $capture_status, $((capture_blocks * 4096 / page_size)) pages"
}

# njoin's result is the file, with zeros in the bad pages.
only_bad_differ() {
	mkfakevmcore --size=$((2048 * page_size)) --block-size=$page_size --pattern=random /tmp/want
	for n in 100 101 102 300 2047; do
		dd if=/dev/zero of=/tmp/want bs=$page_size seek=$n count=1 conv=notrunc 2> /dev/null
	done
	njoin -q --overwrite-dumps -o /tmp/have '/mnt/{0..3}/m'
	[ $? -eq 3 ] && cmp /tmp/want /tmp/have
}

# --- captures -----------------------------------------------------------------

round_trip() {
	rm -f /mnt/?/m
	nsplit -q -C "$@" $fake '/mnt/{0..3}/m' || return 1
	njoin -q -o - '/mnt/{0..3}/m' > /tmp/pipe &
	mkfakevmcore --check --size=40M --block-size=$page_size --seed=11 --pool=16M - \
		< /tmp/pipe && wait $!
}

captures() {
	same 'codecs' "$(nsplit --list-codecs | cut -d ' ' -f 1 | tr '\n' ' ')" \
		'raw lzo lzohc snappy lz4 lz4hc zstd zlib '
	load fakevmcore_size=40M fakevmcore_seed=11 fakevmcore_pool=16M
	mkfifo /tmp/pipe
	for codec in $codecs; do
		try "captured to four disks: $codec" round_trip "$codec" < /dev/null
	done
	try 'captured without a mapping' round_trip lzo --mmap=never
	try 'captured by eight threads' round_trip lzo -j8
	rm /tmp/pipe /mnt/?/m
	unload
}

# --- what is refused ----------------------------------------------------------

# take_log: appends the kernel log to a file, which is examined at the end, and clears it
take_log() {
	dmesg -c > /tmp/log.new
	cat /tmp/log.new >> /tmp/log
}

# module_said: prints what the module has logged since then
module_said() {
	take_log
	sed -n 's/^\[[^]]*\] \(fakevmcore: .*\)/\1/p' /tmp/log.new
}

# refused WHY PARAMETER...: EINVAL, and one line in the log with the reason
refused() {
	why=$1
	shift
	take_log
	if load "$@" 2> /tmp/err; then
		unload
		report "failed refused: $*: the module was loaded"
		return
	fi
	same "refused: $*" "$(sed 's/.*: //' /tmp/err)" 'Invalid parameters'
	same "reason for refusing: $*" "$(module_said)" "fakevmcore: $why"
}

refusals() {
	pages=$((64 * 1048576 / page_size))
	sed "s/LAST_PAGE/$((pages - 1))/; s/PAGES/$pages/g" /refusals > /tmp/refusals
	[ $page_size -eq 4096 ] || printf '%s|fakevmcore_block_size: %s\n' fakevmcore_block_size=4096 \
		'the block size must be at least the page size of this kernel' >> /tmp/refusals
	while IFS='|' read -r wrong sentence; do
		# Each parameter is a word.
		# shellcheck disable=SC2086
		refused "$sentence" $wrong < /dev/null
	done < /tmp/refusals
	load fakevmcore_size=1T fakevmcore_pool=1T 2> /tmp/err || :
	same 'a pool larger than memory' "$(sed 's/.*: //' /tmp/err)" 'Cannot allocate memory'
	same 'the log says so' "$(module_said)" \
		'fakevmcore: fakevmcore_pool: not enough memory for a pool of 1099511627776 bytes'
}

# --- loaded while in use ------------------------------------------------------

in_use() {
	load
	same 'a second module' "$(load 2>&1 | sed 's/.*: //')" 'File exists'
	exec 3< $fake
	same 'rmmod while open' "$(unload 2>&1)" \
		'rmmod: ERROR: Module fakevmcore is in use'
	exec 3<&-
	same 'rmmod while mapped' \
		"$(mapped during $fake rmmod fakevmcore 2>&1)" \
		'rmmod: ERROR: Module fakevmcore is in use'
	try 'rmmod after that' unload
	same 'the file is gone' "$(ls $fake 2> /dev/null)" ''
}

# --- 10 GiB on a machine with less than one -----------------------------------

ten_gib() {
	try 'loads with 10 GiB' load fakevmcore_size=$((10 * 1024 * 1024 * 1024)) \
		fakevmcore_block_size=$page_size
	value page_size $page_size
	for mib in 0 63 64 5000 10239; do
		value "mib$mib" "$(dd if=$fake bs=1M skip=$mib count=1 2> /dev/null | sha256sum)"
	done
	unload
}

# --- interrupted --------------------------------------------------------------

interrupted() {
	take_log
	for n in 1 2 3 4 5 6 7 8; do
		/bin/insmod /fakevmcore.ko fakevmcore_size=256M fakevmcore_pool=256M 2> /tmp/err &
		sleep 0.$n
		kill -KILL $! 2> /tmp/err || :
		wait $! || :
		[ ! -e $fake ] || unload
	done
	try 'killed while it is loaded' grep -qx \
		'fakevmcore: interrupted by a signal before the pool was filled' << END
$(module_said | sort -u)
END
}

# --- loading and unloading many times -------------------------------------------

# objects: prints the number of active objects in each cache of the kernel
objects() {
	awk 'NR > 2 { print $1, $2 }' /proc/slabinfo
}

# Free pages on the lists of each CPU are counted nowhere else.
free_kib() {
	echo 3 > /proc/sys/vm/drop_caches
	awk -v page=$((page_size / 1024)) '/^MemFree/ { kib += $2 } /^ *count:/ { kib += page * $2 } END { print kib }' \
		/proc/meminfo /proc/zoneinfo
}

# With the shell's own insmod, which takes a third of the time.
load_and_unload() {
	for n in $(seq "$1"); do
		insmod /fakevmcore.ko fakevmcore_size=1M fakevmcore_bad=3,5 || return 1
		rmmod fakevmcore || return 1
	done
}

use() {
	load fakevmcore_size=1M fakevmcore_bad=3,5 && mapped use $fake "$1" && unload
}

# thousand WHAT COMMAND: runs COMMAND a thousand times; whatever it leaks is then lost a thousand
# times
thousand() {
	what=$1
	shift
	"$@" 50
	objects > /tmp/before
	free_before=$(free_kib)
	areas_before=$(wc -l < /proc/vmallocinfo)
	try "1000 times $what" "$@" 1000
	objects > /tmp/after
	free_after=$(free_kib)
	areas_after=$(wc -l < /proc/vmallocinfo)
	same "caches that grew by 900 objects, $what" \
		"$(awk 'NR == FNR { had[$1] = $2 }
			NR != FNR && $2 - had[$1] > 900 { print $1, $2 - had[$1] }' \
			/tmp/before /tmp/after)" ''
	try "memory free, $what: $free_before KiB before, $free_after after" \
		[ $((free_before - free_after)) -lt 3000 ]
	try "areas of vmalloc, $what: $areas_before before, $areas_after after" \
		[ $((areas_after - areas_before)) -lt 900 ]
}

rounds() {
	thousand loaded load_and_unload
	thousand used use
}

for disk in 0 1 2 3; do
	mkdir /mnt/$disk
	mount -t ext4 /disk/file$disk /mnt/$disk
done
dmesg -n 1
for section in $sections; do
	$section
done
umount /mnt/*
take_log
same 'the kernel logged no warning' \
	"$(grep -E 'WARNING|BUG|Oops|Call Trace|corrupt|Redzone|Poison' /tmp/log)" ''
# Bits 12 and 13: a module from outside the tree, without signature; a warning would add 512.
same 'taints of the kernel' "$(cat /proc/sys/kernel/tainted)" 12288
