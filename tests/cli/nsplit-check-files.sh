#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How nsplit-check-system reads the files of the kdump systems, with each shell that is here; and nsplit without the
# script.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need awk od
script=$srcdir/kdump/common/nsplit-check-system
NSPLIT_ROOT=$PWD/root
export NSPLIT_ROOT
suse=/etc/sysconfig/kdump
debian=/etc/default/kdump-tools
fedora=/etc/kdump.conf

# machine PROGRAM FILE TEXT: a kdump is recognized by PROGRAM; printf makes FILE of TEXT
machine() {
	rm -rf root
	mkdir -p "root${1%/*}" "root${2%/*}"
	: > "root$1"
	# shellcheck disable=SC2059 # it is the format
	printf "$3" > "root$2"
}

# on FILE TEXT: the machine that has FILE
on() {
	case $1 in
	"$suse") machine /usr/sbin/mkdumprd "$@" ;;
	"$debian") machine /usr/sbin/kdump-config "$@" ;;
	*) machine /usr/bin/kdumpctl "$@" ;;
	esac
}

# has SETTING VALUE: the script prints it; with an empty VALUE, it does not print the SETTING
has() {
	# shellcheck disable=SC2086 # a shell may be two words
	$shell "$script" settings > out 2> err || fail "$shell: status $?"
	expect_err ''
	got=$(sed -n "s/^$1	//p" out)
	[ "$got" = "$2" ] || fail "$shell: $(tail -n 3 root$suse root$debian root$fedora 2> /dev/null): $1 is '$got', not '$2'"
}

# --- values: of KDUMP_SAVEDIR in a shell file, and of path in kdump.conf -------------------------

all_values() {
	while IFS='|' read -r text value; do
		on $suse "$text"
		has directory "$value"
	done <<- 'END'
		KDUMP_SAVEDIR=/a\n|/a
		KDUMP_SAVEDIR=/a|/a
		  export KDUMP_SAVEDIR=/a # comment\n|/a
		KDUMP_SAVEDIR="/a"; X=1\n|/a
		KDUMP_SAVEDIR='/a"b"'\n|/a"b"
		KDUMP_SAVEDIR="/a\\"b\\""\n|/a"b"
		KDUMP_SAVEDIR=/a'b\\c'd\n|/ab\cd
		KDUMP_SAVEDIR=/a\nKDUMP_SAVEDIR=/b\n|/b
		KDUMP_SAVEDIR=/a X=1\n|/a
		KDUMP_SAVEDIR=/a true\n|/var/crash
		export KDUMP_SAVEDIR=/a true\n|/a
		KDUMP_SAVEDIR=\n|/var/crash
		KDUMP_SAVEDIR="$HOME"\n|$HOME
		KDUMP_SAVEDIR="/$(touch${IFS}ran)`touch${IFS}ran`"\n|/$(touch${IFS}ran)`touch${IFS}ran`
		touch ran; . ./ran\n|/var/crash
		#KDUMP_SAVEDIR=/a\n|/var/crash
		KDUMP_SAVEDIRS=/a\nXKDUMP_SAVEDIR=/b\n|/var/crash
		KDUMP_SAVEDIR\n|/var/crash
		|/var/crash
	END
	absent ran root/ran
	while IFS='|' read -r text value; do
		on $fedora "$text"
		has directory "$value"
	done <<- 'END'
		path /a b\n|/a b
		\tpath\t/a b  # comment\n|/a b
		path "/a b"\n|/a b
		path /a\npath /b\n|/b
		path\n|/var/crash
		# path /a\npaths /b\n|/var/crash
		path=/a\n|/var/crash
	END
	# A value that is too long is ignored.
	long=$(printf '%01022d' 0)
	for file in "$suse KDUMP_SAVEDIR=" "$fedora path "; do
		on "${file%% *}" "${file#* }/$long"
		has directory "/$long"
		on "${file%% *}" "${file#* }/a\n${file#* }/0$long"
		has directory /a
	done
}

# --- the CPUs of the capture kernel ---------------------------------------------------------------

all_cpus() {
	while IFS='|' read -r system text cpus; do
		on "$system" "$text"
		if [ "$system" = $fedora ]; then
			mkdir -p root/etc/sysconfig
			# shellcheck disable=SC2059
			printf "$text" > root$suse
		fi
		has cpus "$cpus"
	done <<- END
		$debian||1
		$debian|#KDUMP_CMDLINE_APPEND="nr_cpus=4"\nUSE_KDUMP=1\n|1
		$debian|KDUMP_CMDLINE_APPEND="reset_devices nr_cpus=4 irqpoll"\n|4
		$debian|KDUMP_CMDLINE_APPEND='nr_cpus=8 maxcpus=2'\n|2
		$debian|KDUMP_CMDLINE_APPEND="irqpoll"\n|0
		$debian|KDUMP_CMDLINE="nr_cpus=2"\nKDUMP_CMDLINE_APPEND="nr_cpus=3"\n|2
		$debian|KDUMP_CMDLINE_APPEND=nr_cpus=1\nKDUMP_CMDLINE_APPEND=nr_cpus=6|6
		$debian|KDUMP_CMDLINE_APPEND="nr_cpus=two xnr_cpus=2 nr_cpus=3x nr_cpus= nr_cpus=0"\n|0
		$debian|KDUMP_CMDLINE_APPEND="nr_cpus=99999999999999999999"\n|0
		$debian|KDUMP_CMDLINE_APPEND="maxcpus=0 *"\n|1
		$debian|KDUMP_CMDLINE_APPEND="nr_cpus=08"\n|8
		$fedora||0
		$fedora|KDUMP_COMMANDLINE=""\nKDUMP_COMMANDLINE_APPEND="irqpoll nr_cpus=1"\n|1
		$suse||32
		$suse|KDUMP_CPUS=4\n|4
		$suse|KDUMP_CPUS="0"\nKDUMP_COMMANDLINE_APPEND=""\n|0
		$suse|KDUMP_CPUS="32"\nKDUMP_COMMANDLINE_APPEND="maxcpus=4"\n|4
		$suse|KDUMP_CPUS="0"\nKDUMP_COMMANDLINE_APPEND="maxcpus=4"\n|4
	END
	rm -rf root
	has cpus 1
	has kind none
}

# --- options of makedumpfile: tests/cli/kdump-debian.sh has the same cases for the script there -----

all_options() {
	while IFS='|' read -r options level codec; do
		on $debian "MAKEDUMP_ARGS=\"$options\""
		has level "$level"
		has codec "${codec:-raw}"
	done <<- 'END'
		-c -d 17|17|zlib
		-F -cd 17,31 --message-level 7|31|zlib
		-d1|1
		-ld017|17|lzo
		-cd 31|31|zlib
		-zd31|31|zstd
		-pd17,31|31|snappy
		-c  -d  31|31|zlib
		-d 31 -ld 17|17|lzo
		-cx vmlinux-d5 -d 17|17|zlib
		-xvmlinux-d5|
		-x -d31|
		-cL 2G -d 17|17|zlib
		-L -d17 -cd31|31|zlib
		-l --message-level 31||lzo
		--num-threads 4 -d 17|17
		--dump-dmesg|
		-c -d 0|0|zlib
		-c -d 32||zlib
		-c -d||zlib
		-cl||lzo
	END
}

# --- links, which lead to files below the root ------------------------------------------------------

all_links() {
	on $fedora 'core_collector nsplit -c\npath /crash'
	mkdir -p root/opt/n root/var/crash root/real
	: > root/opt/n/nsplit
	ln -s ../../opt/./n/../n/nsplit root/usr/bin/nsplit
	has program /opt/n/nsplit
	ln -s /usr/bin root/bin
	echo 'core_collector /bin/nsplit' > root$fedora
	has program /opt/n/nsplit
	has caller nsplit
	ln -s /real root/crash
	echo 'path /../../crash' >> root$fedora
	has output "$PWD/root/real/vmcore-incomplete"
	: > root/real/vmcore-incomplete
	has output "$PWD/root/real/vmcore-incomplete.new"
	# Out of the root, which exists; and in a circle.
	for link in "../../../../../../../../../../../..$PWD/err" loop; do
		ln -sf "$link" root/usr/bin/loop
		echo 'core_collector loop' > root$fedora
		has caller missing
		has program ''
	done
}

# --- shell commands: nsplit-command.sh and nsplit-check-programs.sh have the cases -----------------

# says REQUEST LINES WORD...: with this standard output
says() {
	request=$1 lines=$2
	shift 2
	# shellcheck disable=SC2086
	$shell "$script" $request "$@" > out 2> err || fail "$shell: $request: status $?"
	[ "$(cat out)" = "$lines" ] || fail "$shell: $request $*: $(cat out)"
}

all_commands() {
	says prints 'prints	yes' 'A=b nice -n 10 gzip -9 2>&1'
	says prints 'prints	yes' "sh -c 'tr a b | gzip > /dev/stdout'"
	says prints '' 'gzip -2>"a b"'
	says prints '' ''
	says command 'ok	|cat: the program cat exists' '|cat' ' cat'
	says command "warning command-wrong	x: $PWD/no: No such file or directory" x "cat -i $PWD/no"
}

# --- the kernel: nsplit-check-system.sh and nsplit-check-setup.sh have more cases -------------------

all_kernels() {
	rm -rf root
	mkdir -p root/sys/kernel/fadump root/proc
	echo 'ro xcrashkernel=1G crashkernel' > root/proc/cmdline
	echo 1 > root/sys/kernel/fscaps
	says kernel 'error kexec-missing	this kernel has no kexec (/sys/kernel/kexec_crash_loaded does not exist), so a crash makes no dump'
	# The firmware could take its place.
	echo 0 > root/sys/kernel/fadump/registered
	echo 0 > root/sys/kernel/kexec_crash_size
	says kernel 'reserved-bytes	0
error crashkernel-missing	no memory is reserved for a capture kernel (crashkernel=)'
	# An older name.
	echo 1 > root/sys/kernel/fadump_registered
	echo 1073741824 > root/sys/kernel/fadump/mem_reserved
	says kernel 'loaded	1
reserved-bytes	1073741824
ok	1.0 GiB reserved for a capture kernel (crashkernel=)
ok	the firmware starts a capture kernel after a crash (fadump)
unchecked oops-unknown	kernel.panic_on_oops: /proc/sys does not have it'
	# What is no number is not evaluated.
	rm -r root/sys/kernel/fadump*
	# shellcheck disable=SC2016
	echo 'x[$(touch evaluated)]' | tee root/sys/kernel/kexec_crash_size > root/sys/kernel/kexec_crash_loaded
	says kernel 'unchecked crashkernel-unknown	the memory that is reserved for a capture kernel: this kernel does not report it
unchecked kernel-unknown	whether a capture kernel is loaded: this kernel does not report it
unchecked oops-unknown	kernel.panic_on_oops: /proc/sys does not have it'
	expect_err ''
	absent evaluated
}

# The build id of a program.
build=
! command -v readelf > /dev/null || build=$(readelf -n "${builddir:?}/nsplit" 2> /dev/null | sed -n 's/^ *Build ID: //p')

for shell in sh dash 'busybox sh' bash 'bash --posix'; do
	command -v "${shell%% *}" > /dev/null || continue
	all_values
	all_cpus
	all_options
	all_commands
	all_kernels
	# shellcheck disable=SC2086
	[ -z "$build" ] || $shell "$script" settings --program "$builddir/nsplit" | grep -qx "build	$build" ||
		fail "$shell: the build id is not $build"
	all_links
	# The other requests, on the machine of the last row.
	$shell "$script" caller > out 2> err || fail "$shell: status $?"
	expect_err ''
	grep -qx 'error collector-missing	kdump-utils calls loop, which does not exist, so there would be no dump' out ||
		fail "$shell: $(cat out)"
	$shell "$script" check --program "$script" --output . --output '|cat
ok	x' > out 2> err || fail "$shell: status $?"
	expect_err ''
	grep -q '^warning initramfs-missing	the capture initramfs /boot/initramfs-' out || fail "$shell: $(cat out)"
done
expect_status 2 sh "$script"
expect_err 'nsplit-check-system: the request must be settings, kernel, caller, check, ready, command, prints or crash'

# --- nsplit without the script, or with one that fails ----------------------------------------------

[ ! -e /proc/vmcore ] || skip 'this is a capture kernel, and the rest is for others'
mkdir none broken
echo 'echo "kind	tools"; exit 3' > broken/nsplit-check-system
unchecked="so the capture kernel and this system's kdump are not checked"
for why in "none/nsplit-check-system: No such file or directory" "broken/nsplit-check-system failed"; do
	NSPLIT_SCRIPTS=$PWD/${why%%/*}
	export NSPLIT_SCRIPTS
	# The status depends on this machine.
	nsplit --check-params -v > out 2> err || :
	grep -qxF "nsplit: warning: $PWD/$why, $unchecked" err || fail "$(cat err)"
	grep -q '^nsplit: ok: codec ' err || fail "$(cat err)"
	! grep 'kdump system is known' err || fail "$(cat err)"
	nsplit --check-params --json > out || :
	for text in '"id": "system-unknown"' '"system": "unknown"'; do
		grep -q "$text" out || fail "no $text in $(cat out)"
	done
done
NSPLIT_SCRIPTS=$PWD/none expect_status 1 nsplit --drill=crash
expect_out ''
grep -qxF "nsplit: drill: $PWD/none/nsplit-check-system: No such file or directory" err || fail "$(cat err)"
# Names and words of another version.
cat > broken/nsplit-check-system << 'END'
printf '%s\t%s\n' kind none 'warning no-such-name' 'some sentence' 'hint no-such-name' 'another one' news x
END
nsplit --check-params > out 2> err || :
grep -qx 'nsplit: warning: some sentence' err || fail "$(cat err)"
! grep 'another one' err || fail "$(cat err)"
