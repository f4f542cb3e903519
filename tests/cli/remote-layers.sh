#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of doc/remote.md with -d 31, whose members njoin copies before it reads them.  Programs of
# others are stubs here; tests/remote has the real ones, without -d.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

need bash

mkdir bin h1 h2 h1/dumps h2/dumps disk0 disk1 dumps@host
stub bin/ssh <<- 'END'
	cd "$1" && shift && exec sh -c "$*"
END
stub bin/rclone <<- 'END'
	file=$(printf '%s\n' "$2" | sed 's|:|/|')
	case $1 in rcat) cat > "$file" ;; *) cat "$file" ;; esac
END
# In place of encryption.
stub bin/age <<- 'END'
	case $*,$# in *,4) set -- "$4" ;; *) set -- ;; esac
	cat "$@" | tr a-z n-za-m
END
PATH=$PWD/bin:$PATH
export PATH

make_core kinds
mv kinds core
nsplit -q -c -d 31 --chunksize=64K core local
njoin -q --zero-left-out -o want local

# changed COMMAND EDIT: prints a command of doc/remote.md as it is run here
changed() {
	grep -qxF "    $1" "$srcdir/doc/remote.md" || fail "not in doc/remote.md: $1"
	printf '%s\n' "$1" >> used
	printf '%s\n' "$1" | sed "s|/proc/vmcore|core|; s|PUBLIC|public|g; s|^nsplit -c|nsplit -q -c -d 31 --chunksize=64K|; ${2-}"
}

# captured COMMAND
captured() {
	rm -f h?/a* disk?/* h?/dumps/* dumps@host/*
	expect_status 0 bash -c "$(changed "$1")"
	expect_err ''
}

# in_layers COMMAND: as doc/remote.md says for -d 31, and all bytes
in_layers() {
	expect_status 0 bash -c "$(changed "$1" 's|^njoin -o copy|njoin -q --format=kdump -o copy.kdump|')"
	expect_err ''
	[ "$(head -c 5 copy.kdump)" = KDUMP ] || fail "no dump: $1"
	expect_status 0 bash -c "$(changed "$1" 's|^njoin|njoin -q --zero-left-out|')"
	expect_err ''
	same copy want
	rm copy copy.kdump
}

: > used
captured "nsplit -c /proc/vmcore - | ssh dumps@host 'umask 077; cat > a'"
expect_status 0 njoin -q --verify dumps@host/a
captured "nsplit -c /proc/vmcore '|ssh h1 \"umask 077; cat > a\"' '|ssh h2 \"umask 077; cat > a\"'"
in_layers 'njoin -o copy <(ssh h1 cat a) <(ssh h2 cat a)'
captured "nsplit -c --filter='ssh \"\${FILE%%:*}\" \"umask 077; cat > \${FILE#*:}\"' /proc/vmcore h1:a h2:a"
in_layers 'njoin -o copy <(ssh h1 cat a) <(ssh h2 cat a)'
captured "nsplit -c --fallback='|ssh h1 \"umask 077; cat > a\"' /proc/vmcore disk0/a"
mv disk0/a h1/
in_layers 'njoin -o copy <(ssh h1 cat a)'
captured "nsplit -c /proc/vmcore '|rclone rcat h1:dumps/a' '|rclone rcat h2:dumps/a'"
in_layers 'njoin -o copy <(rclone cat h1:dumps/a) <(rclone cat h2:dumps/a)'
for command in "nsplit -c /proc/vmcore '|age -r PUBLIC > disk0/a.age' '|age -r PUBLIC > disk1/a.age'" \
	"nsplit -c --filter='age -r PUBLIC > \"\$FILE\"' /proc/vmcore 'disk{0..1}/a.age'"; do
	captured "$command"
	in_layers 'njoin -o copy <(age -d -i key disk0/a.age) <(age -d -i key disk1/a.age)'
done
captured 'nsplit -c /proc/vmcore '"'"'|bash -o pipefail -c "age -r PUBLIC | ssh h1 \"umask 077; cat > a.age\""'"'"
in_layers 'njoin -o copy <(ssh h1 cat a.age | age -d -i key)'
captured 'nsplit -c --filter='"'"'age -r PUBLIC > "$FILE"'"'"' --fallback=disk0/b.age /proc/vmcore '"'"'|bash -o pipefail -c "age -r PUBLIC | ssh h{1..2} \"umask 077; cat > a.age\""'"'"''
expect_status 0 bash -c 'njoin -q --verify <(ssh h1 cat a.age | age -d -i key) <(ssh h2 cat a.age | age -d -i key)'

# A dump in the flattened form, which njoin turns into a file.
captured "nsplit -c -d 31 --format=kdump /proc/vmcore '|ssh h1 \"umask 077; cat > vmcore.flat\"'"
mv h1/vmcore.flat .
expect_status 0 bash -c "$(changed 'njoin -o vmcore.kdump vmcore.flat' 's|^njoin|njoin -q|')"
expect_err ''
expect_status 0 njoin -q --verify vmcore.kdump
[ "$(head -c 5 vmcore.kdump)" = KDUMP ] || fail 'no dump'

# No command was left out.
sed -n 's/^    \(n[a-z]* .*\)/\1/p' "$srcdir/doc/remote.md" | grep '^nsplit \|^njoin ' | sort -u > all
sort -u used > tried
same tried all
