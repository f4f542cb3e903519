#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# KDUMP_TRANSFER of SUSE's kdump, as in kdump/suse/README.md: passed through kdump's configuration,
# and evaluated by the lines of its kdump-save.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

need bash
mkdir bin etc mnt run
cp "$srcdir/kdump/suse/nsplit-kdump-transfer" "$srcdir"/kdump/common/nsplit-* bin/
PATH=$PWD/bin:$PATH
NSPLIT_ETC=$PWD/etc
NSPLIT_KDUMP_MOUNT=$PWD/mnt
NSPLIT_SOURCE=$PWD/core
NSPLIT_RUN=$PWD/run
export NSPLIT_RUN
export PATH NSPLIT_ETC NSPLIT_KDUMP_MOUNT NSPLIT_SOURCE
head -c 6M /dev/urandom > core

# The end of kdump-read-config.sh: quotes the administrator's settings again.
cat > read-config << 'END'
. ./sysconfig
echo "KDUMP_TRANSFER='${KDUMP_TRANSFER//\'/\'\\\'\'}'"
echo "KDUMP_SAVEDIR='${KDUMP_SAVEDIR//\'/\'\\\'\'}'"
echo "KDUMP_NET_TIMEOUT='${KDUMP_NET_TIMEOUT-30}'"
echo "KDUMP_KEEP_OLD_DUMPS='${KDUMP_KEEP_OLD_DUMPS-0}'"
echo "KDUMP_FREE_DISK_SIZE='${KDUMP_FREE_DISK_SIZE-64}'"
END
# The beginning of kdump-save, and a replacement for the rest.
cat > kdump-save << 'END'
function main() {
	if [[ -n ${KDUMP_TRANSFER} ]]; then
		eval "${KDUMP_TRANSFER}"
		RET=$?
		if [[ ${RET} -ne 0 ]]; then
			echo "Transfer exit code: ${RET}"
			exit ${RET}
		fi
		exit 0
	fi
	echo "kdump's own way"
	exit 0
}
. etc/kdump.conf
main "$@"
END

# The two lines of the README: for kdump now and before 2.1.1.
sed -n 's/^    \(KDUMP_TRANSFER=\)/\1/p' "$srcdir/kdump/suse/README.md" > lines
[ "$(wc -l < lines)" -eq 2 ] || fail 'the README has other lines'
sed -n 1p lines > line
sed -n 2p lines > line.old

# kdump_save SAVEDIR: leaves its output in the files out and err
kdump_save() {
	cp line sysconfig
	echo "KDUMP_SAVEDIR='$1'" >> sysconfig
	bash read-config > etc/kdump.conf
	expect_status 0 bash kdump-save
}

# dump DIRECTORY: prints the dump in it
dump() {
	ls -d "$1"/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]-[0-9][0-9]-[0-9][0-9]
}

kdump_save '/var/crash'
expect_out ''
directory=$(dump mnt/var/crash)
expect_status 0 njoin -q -o copy "$directory/vmcore"
same core copy
absent "$directory/vmcore-incomplete"
[ "$(stat -c '%a %F' "$directory/vmcore" "$directory")" = '600 regular file
700 directory' ] || fail 'others may read it'
rm -r mnt/* copy

# Later crashes in the same minute do not overwrite the first dump.
stub bin/date <<- 'END'
	echo 1970-01-01-00-00
END
mkdir -p mnt/var/crash/1970-01-01-00-00
echo stale > mnt/var/crash/1970-01-01-00-00/vmcore-incomplete
for name in 1970-01-01-00-00.1 1970-01-01-00-00.2; do
	kdump_save /var/crash
	expect_out ''
	expect_status 0 njoin -q -o copy "mnt/var/crash/$name/vmcore"
	same core copy
	rm copy
done
lib_expect mnt/var/crash/1970-01-01-00-00/vmcore-incomplete stale

# Old dumps are kept as KDUMP_KEEP_OLD_DUMPS says, on this machine only, and other directories are
# always kept.  The number does not include the new dump.
mkdir mnt/var/crash/2019-holiday-photos mnt/var/crash/2026-11-22-14-11
echo keep > mnt/var/crash/2026-11-22-14-11/notes
echo keep > mnt/var/crash/2019-holiday-photos/vmcore
mkdir mnt/var/crash/1969-12-31-23:59
echo old > mnt/var/crash/1969-12-31-23:59/vmcore
# kept NUMBER LEFT SAVEDIR DIRECTORY: with this setting, these remain
kept() {
	cp line line.before
	echo "KDUMP_KEEP_OLD_DUMPS=$1" >> line
	kdump_save "$3"
	expect_out ''
	mv line.before line
	[ "$(cd "mnt$4" && echo [12]*)" = "$2" ] || fail "remaining: $(cd "mnt$4" && echo [12]*), and not $2"
}
old='1969-12-31-23:59 1970-01-01-00-00 1970-01-01-00-00.1 1970-01-01-00-00.2'
others='2019-holiday-photos 2026-11-22-14-11'
kept 0 "$old 1970-01-01-00-00.3 $others" /var/crash /var/crash
kept 2 "1970-01-01-00-00.2 1970-01-01-00-00.3 1970-01-01-00-00.4 $others" /var/crash /var/crash
grep -qx "nsplit-kdump-transfer: removing $PWD/mnt/var/crash/1970-01-01-00-00.1 because KDUMP_KEEP_OLD_DUMPS is 2" err ||
	fail "no message: $(cat err)"
kept -1 "1970-01-01-00-00.5 $others" file:///var/crash /var/crash
rm -r mnt/*
kept 0 1970-01-01-00-00 nfs://host/export ''
kept -1 '1970-01-01-00-00 1970-01-01-00-00.1' nfs://host/export ''
rm -r mnt/* bin/date

kdump_save 'file:///var/my dumps'
[ -s "$(dump 'mnt/var/my dumps')/vmcore" ] || fail 'no dump for file:'
rm -r mnt/*

# kdump mounts the remote directory itself.
for url in nfs://host/export cifs://user@host/share smb://host/share; do
	kdump_save "$url"
	[ -s "$(dump mnt)/vmcore" ] || fail "$url: no dump"
	rm -r mnt/*
done

# If space runs out, the incomplete dump keeps another name, and kdump's own collector runs.
(
	# In units of 512 or 1024 bytes, depending on the shell.
	ulimit -f 4000
	kdump_save /var/crash
)
expect_out "kdump's own way"
grep -q "^nsplit-kdump-transfer: saved incompletely: [0-9.]* MiB missing because of full outputs: $PWD/mnt/var/crash\$" err ||
	fail "no message: $(cat err)"
directory=$(dump mnt/var/crash)
absent "$directory/vmcore"
expect_status 1 njoin -q --verify "$directory/vmcore-incomplete"
rm -r mnt/*

# ssh joins its arguments, and a shell on the host parses them; a local shell does the same.
stub bin/ssh <<- 'END'
	echo "$1" > ssh.host
	shift
	sh -c "$*"
END
# The host answers the third ping; and there is a log.
stub bin/ping <<- 'END'
	echo "$*" >> pinged
	[ "$(wc -l < pinged)" -ge 3 ]
END
stub bin/makedumpfile <<- 'END'
	echo 'the log' > "$3"
END
TMPDIR=$PWD kdump_save "ssh://me@host:22$PWD/my dumps"
rm bin/makedumpfile
lib_expect ssh.host 'ssh://me@host:22'
lib_expect pinged '-c 1 -w 3 host
-c 1 -w 3 host
-c 1 -w 3 host'
lib_expect "$(echo 'my dumps'/*/dmesg)" 'the log'
[ "$(stat -c %a 'my dumps'/*/dmesg 'my dumps'/*/vmcore)" = '600
600' ] || fail 'others may read it'
absent 'my dumps'/*/vmcore-incomplete nsplit-dmesg.*
for host_dump in "my dumps"/*; do
	expect_status 0 njoin -q -o copy "$host_dump/vmcore"
	same core copy
done
expr "$host_dump" : "my dumps/$(uname -n)-[0-9]\{4\}-[0-9-]*$" > expr.out ||
	fail "the directory there is $host_dump"
rm -r copy 'my dumps'

# The name is new on the host, too.
stub bin/date <<- 'END'
	echo 1970-01-01-00-00
END
for name in "$(uname -n)-1970-01-01-00-00" "$(uname -n)-1970-01-01-00-00.1"; do
	kdump_save "ssh://me@host$PWD/my dumps"
	expect_status 0 njoin -q -o copy "my dumps/$name/vmcore"
	same core copy
	rm copy
done
rm -r 'my dumps' bin/date

# An incomplete dump keeps its name; and with a time-out of 0, the host is not waited for.
rm pinged
echo 'KDUMP_NET_TIMEOUT=0' >> line
stub bin/nsplit <<- END
	$builddir/nsplit "\$@" && exit 3
END
kdump_save "ssh://me@host$PWD/dumps"
rm bin/nsplit
absent pinged dumps/*/vmcore
[ -s "$(echo dumps/*/vmcore-incomplete)" ] || fail 'no dump'
rm -r dumps
stub bin/ssh <<- 'END'
	exit 255
END
kdump_save ssh://me@host/crash
expect_out "kdump's own way"

# If nothing was saved, or nsplit-kdump-transfer does not support the target, kdump's own collector
# runs.
NSPLIT_SOURCE=$PWD/nothing kdump_save /var/crash
expect_out "kdump's own way"
grep -qx 'nsplit-kdump-transfer: not saved: nsplit failed (exit status 1)' err || fail "it says: $(cat err)"
kdump_save ftp://host/crash
expect_out "kdump's own way"
expect_err "nsplit-kdump-transfer: unsupported KDUMP_SAVEDIR 'ftp://host/crash': neither a directory nor an nfs, cifs, smb or ssh URL"
kdump_save ssh://me:secret@host/crash
expect_out "kdump's own way"
expect_err 'nsplit-kdump-transfer: a password in KDUMP_SAVEDIR is not supported; use an ssh key'

# The older kdump-save, which only splits the setting into words.
sed 's/eval "${KDUMP_TRANSFER}"/${KDUMP_TRANSFER}/' kdump-save > kdump-save.old
mv kdump-save.old kdump-save
mv line.old line
kdump_save /var/crash
expect_out ''
expect_status 0 njoin -q -o copy "$(dump mnt/var/crash)/vmcore"
same core copy
