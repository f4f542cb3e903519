#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SOURCE and at least one OUTPUT are required.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

echo data > core

expect_usage nsplit "no SOURCE given"
expect_usage nsplit "no SOURCE given" -c -j2
expect_usage nsplit "no OUTPUT given" core
expect_usage nsplit "the name of the SOURCE is empty" '' one
expect_usage nsplit "outputs: '' results in an empty name" core one ''
expect_usage nsplit "outputs: too many names; at most 254" core 'm{1..255}'
expect_usage nsplit "outputs: too many names; at most 254" core one 'm{1..254}'
absent one m1
expect_status 0 nsplit -q core 'm{1..254}'
closed m1 m254

# After --, a word that looks like an option is an operand.
cp core ./-q
expect_status 0 nsplit -q -- -q -f
closed ./-f

# A level after the option of a codec is taken for the source.
for check in '' --check-params; do
	# shellcheck disable=SC2086 # no word or one
	expect_status 1 nsplit $check -C zlib 3 new
	expect_err "nsplit: 3: No such file or directory; use -C zlib:3 for a level of the codec"
	# shellcheck disable=SC2086
	expect_status 1 nsplit $check -r 3 new
	expect_err "nsplit: 3: No such file or directory"
done
absent new

# What is done before a crash has the operands of the crash: the first of several is the source, and so is one that exists.
for mode in --check-params '--drill --drill-memory=60M'; do
	# shellcheck disable=SC2086 # words
	nsplit -q $mode nowhere/a nowhere/b 2> err && fail "$mode: status 0"
	grep -q '^nsplit: \(drill: \)\{0,1\}nowhere/a: No such file or directory' err || fail "$mode: $(cat err)"
	# shellcheck disable=SC2086
	expect_usage nsplit "no OUTPUT given" $mode core
done
for operands in 'nowhere/a nowhere/b' 'core new' core; do
	# shellcheck disable=SC2086
	expect_usage nsplit "${operands%% *}: is the SOURCE, but --estimate is about this machine; write /proc/vmcore before the OUTPUTs" \
		--estimate $operands
done
# Before a single output that is new, the source may be left out.
for mode in --check-params --estimate '--drill --drill-size=1M --drill-memory=60M'; do
	for source in '' /proc/vmcore; do
		# shellcheck disable=SC2086
		nsplit -q $mode $source nowhere/b > out 2> err && fail "$mode: status 0"
		grep -q '^nsplit: .*nowhere/b[.dril]*: the directory nowhere does not exist' err || fail "$mode: $(cat err)"
		# shellcheck disable=SC2086
		expect_usage nsplit "nul:: unknown kind of output; use null: to discard all data, or ./nul: for a file" $mode $source nul:
	done
done
absent new

# Names for scp are not outputs on other machines.
hint="use '|ssh root@host \"umask 077; cat > /x\"'"
said="root@host:/x: the directory root@host: does not exist; for a file on another machine, $hint"
expect_status 0 nsplit -q core root@host:/x new
expect_err "nsplit: $said; given up, continuing on 1 output"
closed new
rm new
expect_status 1 nsplit --check-params core root@host:/x
expect_err "nsplit: $said"
# Nor are names as for NFS, and URLs.
expect_status 1 nsplit --check-params core nfs:/export/x ssh://root@host:22/y/x s3://bucket/x
expect_err "nsplit: nfs:/export/x: the directory nfs:/export does not exist; for a file on another machine, use '|ssh nfs \"umask 077; cat > /export/x\"'
nsplit: ssh://root@host:22/y/x: the directory ssh://root@host:22/y does not exist; for a file on another machine, use '|ssh ssh://root@host:22 \"umask 077; cat > /y/x\"'
nsplit: s3://bucket/x: the directory s3://bucket does not exist; for object storage, use '|rclone rcat s3:bucket/x'"
# These are local names, or no command is known for them.
expect_status 1 nsplit --check-params core "$PWD/root@host:/x" ./host:/x 2026-11-29T12:30/x file:///y/x ssh://host
expect_err "nsplit: $PWD/root@host:/x: the directory $PWD/root@host: does not exist
nsplit: ./host:/x: the directory ./host: does not exist
nsplit: 2026-11-29T12:30/x: the directory 2026-11-29T12:30 does not exist
nsplit: file:///y/x: the directory file:///y does not exist
nsplit: ssh://host: the directory ssh:/ does not exist"
mkdir root@host:
expect_status 0 nsplit -q core root@host:/x
closed root@host:/x
