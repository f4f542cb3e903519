#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An output that is a command: it receives a member, and its exit status says whether it was stored.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
mkfakevmcore -s 3000000 -p random core

for engine in --serial -j1 -j3; do
	expect_status 0 nsplit -q "$engine" core '|cat > a' '|cat > b'
	expect_err ""
	joined a b
	expect_status 0 nsplit -q "$engine" --stripe --chunksize=64K core '|cat > a' b '|cat > c'
	expect_err ""
	joined a b c

	# It fails at its end; the other output takes over then.
	expect_status 0 nsplit -q "$engine" core '|cat > a' '|cat > b; exit 1'
	expect_err "nsplit: |cat > b; exit 1: exited with status 1; given up, continuing on 1 output"
	joined a
	# In another order, and beside a file.  Commands that succeeded count as outputs.
	expect_status 0 nsplit -q "$engine" core '|cat > b; exit 1' c '|cat > a'
	expect_err "nsplit: |cat > b; exit 1: exited with status 1; given up, continuing on 2 outputs"
	joined a c
	expect_status 0 nsplit -q "$engine" core '|cat > d' '|cat > a' '|cat > b; exit 1' c
	expect_err "nsplit: |cat > b; exit 1: exited with status 1; given up, continuing on 3 outputs"
	joined a c d

	# In the middle.
	expect_status 0 nsplit -q "$engine" --stripe --chunksize=64K core a \
		'|head -c 200000 > b; kill -9 $$'
	expect_err "nsplit: |head -c 200000 > b; kill -9 \$\$: was killed by signal 9 (Killed); given up, continuing on 1 output"
	[ "$(wc -c < b)" -eq 200000 ] || fail "b has $(wc -c < b) bytes"
	joined a

	# At once, with a message of the shell, and a status that the shell also uses.
	expect_status 0 nsplit -q "$engine" --stripe core a '|exit 127'
	expect_err "nsplit: |exit 127: exited with status 127 before reading all of its input; given up, continuing on 1 output"
	joined a
	expect_status 0 nsplit -q "$engine" --stripe core a '|head -c 9000 > b'
	expect_err "nsplit: |head -c 9000 > b: exited with status 0 before reading all of its input; given up, continuing on 1 output"
	joined a

	# Most shells do not report the status of a pipeline's parts except the last.
	expect_status 0 nsplit -q "$engine" core a '|{ cat; exit 3; } | cat > b'
	expect_err ""
	joined a b
	if command -v bash > bash.path; then
		expect_status 0 nsplit -q "$engine" core a '|bash -o pipefail -c "{ cat; exit 3; } | cat > b"'
		expect_err "nsplit: |bash -o pipefail -c \"{ cat; exit 3; } | cat > b\": exited with status 3; given up, continuing on 1 output"
		joined a
		expect_status 0 nsplit -q "$engine" core a '|bash -o pipefail -c "cat | cat > b"'
		expect_err ""
		joined a b
	fi

	# All of them.
	expect_status 1 nsplit -q "$engine" core '|cat > b; exit 3'
	expect_err "nsplit: |cat > b; exit 3: exited with status 3; given up, no output is left
nsplit: nothing was captured: every output failed"
	# Of two outputs, the one that should take over also fails.
	expect_status 3 nsplit -q "$engine" --stripe --chunksize=2M core '|cat > b; exit 3' '|cat > a'
	expect_err "nsplit: |cat > b; exit 3: exited with status 3; given up, no other output accepts more
nsplit: part of the source was not written to any output
nsplit: missing: bytes 0 to 2097151 (2.0 MiB)
nsplit: missing: 2.0 MiB in total"
	closed a
done

# Names with characters that the shell interprets; numbered.
rm -f ./*a ./*b
expect_status 0 nsplit -q core "|cat > 'it is {a}'" '|cat > "m {1..2}"' '|cat > n"<3..4>"'
expect_err ""
joined 'it is {a}' 'm 1' 'm 2' n3 n4

# What commands print goes where nsplit's standard output does, and not into a member.
status=0
nsplit -q core - '|cat > a; echo noise' 2> err > piped || status=$?
[ $status -eq 0 ] || fail "status $status: $(cat err)"
expect_err ""
joined piped a
# Standard output under other names.
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
	{ nsplit -q core '|cat > a; echo noise' $name 2> err || echo $? > status; } | cat > piped
	[ ! -e status ] || fail "$name: status $(cat status): $(cat err)"
	expect_err ""
	joined piped a
done
expect_status 0 nsplit -q core '|cat > a; echo said; echo told >&2'
expect_out said
expect_err told
joined a

# -n runs no command.
expect_status 0 nsplit -n core a '|touch b'
grep -qx 'output 1: |touch b, command' out || fail "$(cat out)"
absent b
expect_status 2 nsplit -q core a '| '
expect_err "nsplit: | : the command is empty"
expect_status 2 nsplit -q core '|cat > a' b '|cat > a'
expect_err "nsplit: |cat > a: was given twice"
expect_status 2 nsplit -q core '|cat > a' '|cat > a' b
expect_status 0 nsplit -q core '|cat >> a' '|cat > b # |cat > a' '|cat > ./a # two'
absent '|cat > a'
rm -f a b

# A command that looks like an option of the shell.
mkdir bin
for name in -c +x; do
	printf '#!/bin/sh\ncat > b\n' > bin/$name
	chmod +x bin/$name
	expect_status 0 env PATH="$PWD/bin:$PATH" nsplit -q core "|$name"
	expect_err ""
	joined b
	expect_status 0 nsplit --check-params core "|$name"
	expect_err ""
done
rm -r bin

# A file that looks like a command.
expect_status 0 nsplit -q core './|cat'
joined './|cat'

expect_status 0 nsplit -q --stats=stats core '|cat > a' '|exit 5'
python3 -c '
import json
sinks = json.load(open("stats"))["sinks"]
assert [s["kind"] for s in sinks] == ["command"] * 2
assert [s["state"] for s in sinks] == ["whole", "failed"]
assert "reason" not in sinks[0]
assert sinks[1]["reason"] == "|exit 5: exited with status 5 before reading all of its input"
' || fail "stats: $(cat stats)"
expect_status 0 nsplit core '|cat > b'
grep -q '^nsplit:   |cat > b: [0-9.]* MiB, 100 %, [0-9.]* [KMG]iB/s$' err || fail "$(cat err)"

# A command that only prints its member is reported; the exit status cannot show it.  /dev/null stands for a terminal.
# warned COMMAND
warned() {
	nsplit -q core "$1" > /dev/null 2> err || fail "$1: status $?: $(cat err)"
	line="nsplit: warning: $1: writes its member to standard output, which does not store it; add a redirection to a file, as in '$1 > FILE'"
	expect_err "$line"
	# Elsewhere it may be stored, or become part of a log.
	nsplit -q core "$1" > printed 2> err || fail "$1: status $?: $(cat err)"
	line="nsplit: warning: $1: writes its member to standard output, and nsplit cannot tell whether that stores it; add a redirection to a file, as in '$1 > FILE'"
	expect_err "$line"
	{ nsplit -q core "$1" 2> err || fail "$1: status $?: $(cat err)"; } | cat > printed
	expect_err "$line"
	found "warning: $1: writes its member to standard output, which is the console or a log after a crash" "$1"
}

# found FINDING OUTPUT: --check-params finds it; without another output, it is an error
found() {
	status=0
	nsplit --check-params --capture-only core "$2" other > out 2> err || status=$?
	grep -qF "nsplit: $1" err && [ $status -eq 0 ] || fail "$2: status $status: $(cat err)"
	status=0
	nsplit --check-params --capture-only core "$2" > out 2> err || status=$?
	grep -qF "nsplit: ${1#warning: }" err && [ $status -ne 0 ] || fail "$2: status $status: $(cat err)"
}

# silent COMMAND
silent() {
	nsplit -q core "$1" > /dev/null 2> err || fail "$1: status $?: $(cat err)"
	expect_err ""
}

head -c 5000 "$srcdir/COPYING" > core
warned '|cat'
warned '|/bin/cat -u'
warned '|tr a b | cat'
warned '|gzip -9'
warned '|gzip -9 -'
warned '|dd bs=64K status=none'
warned '|cat; true made'
warned '|gzip -9 2> errors'
warned '|gzip -9 2>&1'
warned '|cat > /dev/null'
warned '|gzip > /dev/stdout'
warned '|tee'
warned '|tee /dev/stderr 2> errors'
warned '|dd bs=64K status=none of=/dev/stdout'
warned '|head -c 1G'
warned '|wc -c'
warned '|md5sum'
warned '|tr a b'
warned '|base64 -w 0'
# Whatever runs it.
warned '|sh -c gzip'
warned '|sh -c "gzip -9"'
warned '|nice gzip'
warned '|nice -n 10 /bin/gzip -9'
warned '|env A=b gzip'
warned '|A=b exec gzip'
warned '|timeout 10 gzip'
warned '|(gzip)'
warned '|{ gzip; }'
warned "|sh -c 'tr a b | gzip'"
# An operand may name the output, also by a connection; it may as well be the argument of an option.
silent '|tee printed'
silent '|dd bs=64K status=none of=printed'
silent '|cat > printed'
silent '|cat 2> errors > printed'
silent '|cat >> printed 2> /dev/null'
silent '|gzip -2>printed'
silent '|tee printed > /dev/null'
silent '|cat | tr a b > printed'
silent '|dd of=printed status=none'
silent '|cp /dev/stdin printed'
silent '|tee -a printed > /dev/stdout'
silent '|sh -c "gzip > printed"'
silent "|nice sh -c 'cat | tee printed'"
silent '|env A=b dd status=none of=printed'
silent '|(gzip) > printed'
silent '|{ cat; } > "printed"'
silent '|gzip | tee printed > /dev/null'
# Programs that may not be installed, or have nowhere to send it, are not run to the end.
# not_warned COMMAND
not_warned() {
	nsplit -q core "$1" > /dev/null 2> err || :
	! grep -F 'does not store it' err || fail "$1: a wrong warning"
}
not_warned '|lz4 -q - made.lz4'
not_warned '|mbuffer -q -O 127.0.0.1:1'
not_warned '|mbuffer -q -O127.0.0.1:1'
not_warned '|openssl s_client -quiet -connect 127.0.0.1:1'
not_warned '|gzip -9 | openssl s_client -quiet'
not_warned '|openssl base64 -out printed'
for command in 'ssh host cat' 'gzip | ssh host "umask 077; cat > a"' 'curl -T - http://host/a' 'nc host 1' 'sh ./store' \
	'openssl enc -aes-256-cbc -out a' 'nice openssl s_client'; do
	nsplit -n core "|$command" > out 2> err || fail "$command: $(cat err)"
	expect_err ""
done
expect_status 0 nsplit -n core '|openssl base64'
grep -qF "warning: |openssl base64: writes its member to standard output" err || fail "$(cat err)"
rm -f made.lz4
nsplit -q core '|cat' > printed 2> err || fail "$(cat err)"
closed printed

# Devices that keep nothing, at the start and at the end.  null: was asked for.
for name in null: /dev/null /dev/zero /dev/random; do
	line="nsplit: warning: ${name%:}: keeps nothing of what is written to it; this part of the dump is not stored"
	expect_status 0 nsplit -q core $name
	[ $name = null: ] || expect_err "$line
$line"
	[ $name != null: ] || expect_err ""
	expect_status 0 nsplit core $name
	grep -qE "^nsplit:   ${name%:}: [0-9.]* [KM]iB, 100 %, [0-9.]* [KMGT]iB/s, not stored\$" err || fail "$(cat err)"
	[ $name = null: ] || found "warning: $name: keeps nothing of what is written to it" $name
done
nsplit -q core - 2> err > /dev/null || fail "$(cat err)"
line="nsplit: warning: standard output: keeps nothing of what is written to it; this part of the dump is not stored"
expect_err "$line
$line"
