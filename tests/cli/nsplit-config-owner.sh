#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A configuration file that others may write runs no commands: it is refused, and in the capture kernel the dump is made.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_root "giving files away"
user=$(awk -F : '$3 == 65534 { print " (" $1 ")"; exit }' /etc/passwd)
mkfakevmcore -s 100000 core
here=$(pwd -P)
mkdir d

# conf: writes the file, whose commands leave a trace
conf() {
	rm -f d/conf d/link
	cat > d/conf << END
compress = raw
filter = touch run-filter; cat > "\$FILE"
also = |touch run-also; cat > /dev/null
fallback = |touch run-fallback; cat > /dev/null
drill-remove = touch run-remove
END
}

# refused WHAT: as above, with this sentence about what others may change
refused() {
	for file in d/conf "$here/d/conf"; do
		expect_status 2 nsplit -q --config="$file" core new
		expect_err "nsplit: $file: others may change it: $(echo "$1" | sed "s|FILE|$file|g"); its commands could be those of others, so it is not used"
		expect_status 2 env NSPLIT_CONFIG="$file" nsplit -q core new
		expect_status 2 nsplit -n --config="$file" core new
		absent new run-*
	done
	# The finding: what is in the file is read, but for its commands, which nobody looks at either.
	expect_status 1 nsplit --check-params --config=d/conf core new
	grep -qxF "nsplit: d/conf: others may change it: $(echo "$1" | sed "s|FILE|d/conf|g"); after a crash, its commands are not run" err ||
		fail "no finding: $(cat err)"
	expect_status 1 nsplit --check-params --json --config=d/conf core new
	grep -q '"config-unsafe"' out || fail "no finding: $(cat out)"
	absent new run-*
}

conf
expect_status 0 nsplit -q --config=d/conf core new
[ -e run-filter ] || fail 'the test does not notice commands'
rm -f new run-*

conf
chmod 666 d/conf
refused 'FILE has the owner 0 (root) and the mode 0666'
chmod 664 d/conf
expect_status 0 nsplit -q --config=d/conf core new
rm -f new run-*
chgrp 65534 d/conf
refused 'FILE has the owner 0 (root) and the mode 0664'
chgrp 0 d/conf
chmod 600 d/conf
chown 65534 d/conf
refused "FILE has the owner 65534$user and the mode 0600"
# A directory, in which others could replace the file.
conf
chmod 777 d
refused "$here/d has the owner 0 (root) and the mode 0777"
chmod 1777 d
expect_status 0 nsplit -q --config=d/conf core new
rm -f new run-*
chmod 755 d
chown 65534 d
refused "$here/d has the owner 65534$user and the mode 0755"
chown 0 d
# A symbolic link of another user, to a file that is safe.
mv d/conf d/safe
ln -s safe d/conf
expect_status 0 nsplit -q --config=d/conf core new
rm -f new run-*
chown -h 65534 d/conf
expect_status 2 nsplit -q --config=d/conf core new
grep -q '^nsplit: d/conf: others may change it: .*d/conf has the owner 65534' err || fail "$(cat err)"
absent new run-*

# A program that a command names.
conf
printf '#!/bin/sh\ntouch run-program\ncat > "$FILE"\n' > d/program
chmod 777 d/program
echo "filter = $here/d/program \"\$FILE\"" > d/conf
expect_status 2 nsplit -q --config=d/conf core new
expect_err "nsplit: d/conf:1: filter: $here/d/program: others may change it: $here/d/program has the owner 0 (root) and the mode 0777"
absent new run-program
chmod 755 d/program
expect_status 0 nsplit -q --config=d/conf core new
[ -e run-program ] || fail 'a program that is safe is not run'
rm -f new run-program

# Without commands, too: it could name outputs that others read.
echo 'threads = 2' > d/conf
chmod 666 d/conf
expect_status 2 nsplit -q --config=d/conf core new
expect_status 0 nsplit --check-params --config=d/conf core new
grep -q '^nsplit: warning: d/conf: others may change it: ' err || fail "no finding: $(cat err)"

# Under the name makedumpfile: no command of the file is ever run, and the dump is made.
ln -s "$(command -v nsplit)" makedumpfile
conf
chmod 666 d/conf
expect_status 1 env NSPLIT_CONFIG=d/conf ./makedumpfile --check-params -d 31 core new
grep -qF 'makedumpfile: d/conf: others may change it' err || fail "$(cat err)"

# In the capture kernel.
unshare -m true 2> /dev/null || skip 'no mount namespace may be made here'
mkdir proc real
# crashed COMMAND...: runs it where core is /proc/vmcore
crashed() {
	# shellcheck disable=SC2016 # for the other shell
	expect_status 0 unshare -m sh -c '
	mount -t proc proc real && mount -t tmpfs tmpfs proc || exit
	here=$PWD
	cp core proc/vmcore
	for file in real/*; do
		[ "$file" = real/vmcore ] || ln -s "$here/$file" proc/
	done
	mount --move proc /proc && exec "$@"' sh "$@"
	sed -i '/may be out of memory\|is in memory/d' err
}

chmod 666 d/conf
crashed nsplit -q --config=d/conf /proc/vmcore new
expect_err 'nsplit: ignored: d/conf: others may change it: d/conf has the owner 0 (root) and the mode 0666; its commands are not run, and without the filter the dump is in plain text'
expect_status 0 njoin -q -o copy new
same copy core
absent run-*
# Without a filter, none.
rm new copy
sed -i /filter/d d/conf
crashed nsplit -q --config=d/conf /proc/vmcore new
expect_err 'nsplit: ignored: d/conf: others may change it: d/conf has the owner 0 (root) and the mode 0666; its commands are not run'
absent run-*
# A filter whose program others may write.
rm new
chmod 600 d/conf
chmod 777 d/program
echo "filter = $here/d/program \"\$FILE\"" > d/conf
crashed nsplit -q --config=d/conf /proc/vmcore new
expect_err "nsplit: ignored: d/conf:1: filter: $here/d/program: others may change it: $here/d/program has the owner 0 (root) and the mode 0777"
absent run-*

# Under the name makedumpfile, a log is written to a file that the mount gives to somebody else, with a warning.
make_core log
mv ring core
echo old > log
chown 65534 log
crashed ./makedumpfile --dump-dmesg -f /proc/vmcore log
grep -qxF "makedumpfile: warning: log: is a file owned by user 65534$user, who could read what is written to it; continuing, since this may be the only copy" err ||
	fail "$(cat err)"
grep -q '^\[' log || fail "no log: $(cat log)"
