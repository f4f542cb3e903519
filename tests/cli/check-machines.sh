#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of doc/fleet.md that ask many machines, with a stub of ssh: of twenty machines, three need
# attention, two have a warning, and on two, no kdump calls nsplit.
# shellcheck source=tests/cli/check-lib.sh
. "${srcdir:?}/tests/cli/check-lib.sh"

# documented COMMAND: it is a line of the document; runs it
documented() {
	grep -qxF "    $1" "$srcdir/doc/fleet.md" || fail "not in doc/fleet.md: $1"
	sh -c "$1"
}

fedora
mv root well
for machine in app7 app8 db17 db18 web042 web113; do
	cp -R well $machine.root
done
rm image/usr/libexec/nsplit/nsplit image/usr/bin/nsplit
tar cf "db17.root$initramfs" -C image .
echo 'core_collector makedumpfile -l -d 31' > app7.root/etc/kdump.conf
: > app7.root/usr/sbin/makedumpfile
chmod +x app7.root/usr/sbin/makedumpfile
rm app8.root/usr/bin/kdumpctl
echo 'threads = 2' >> db18.root/etc/nsplit.conf
echo 0 > web042.root/sys/kernel/kexec_crash_loaded
echo 'compres = lzo' > web113.conf
# The arguments are: -n -o BatchMode=yes -o ConnectTimeout=10 root@HOST COMMAND...
stub ssh << END
for option in -n -o BatchMode=yes -o ConnectTimeout=10; do
	[ "\$1" = "\$option" ] || exit 99
	shift
done
host=\${1#root@}
shift
NSPLIT_ROOT=$PWD/well
[ ! -d $PWD/\$host.root ] || NSPLIT_ROOT=$PWD/\$host.root
[ ! -e $PWD/\$host.conf ] || set -- "\$@" --config=$PWD/\$host.conf
export NSPLIT_ROOT
"\$@" > $PWD/\$host.out
status=\$?
cat $PWD/\$host.out
exit \$status
END
mkdir asked
{
	printf '%s\n' db17 db18 web042 web113
	n=0
	while [ $((n += 1)) -le 16 ]; do
		echo "app$n"
	done
} > asked/machines
cd asked

status=0
# shellcheck disable=SC2016 # for the other shell
documented 'xargs -P 20 -I HOST sh -c '\''ssh -n -o BatchMode=yes -o ConnectTimeout=10 root@HOST nsplit --check-params --json > HOST.json 2> HOST.err || echo "HOST: status $?"'\'' < machines' > out || status=$?
[ $status -eq 0 ] || fail "xargs: status $status"
sort out > attention
printf '%s\n' 'db17: status 1' 'web042: status 1' 'web113: status 2' > want
same attention want
while read -r line; do
	grep -qxF "    $line" "$srcdir/doc/fleet.md" || fail "not in doc/fleet.md: $line"
done < want
cat ./*.err > out
[ "$(sed "s|$lib_dir/web113.conf|/etc/nsplit.conf|" out)" = "$(sed -n 's/^    \(nsplit: .*: unknown key .*\)/\1/p' "$srcdir/doc/fleet.md")" ] ||
	fail "the message is: $(cat out)"

command -v jq > /dev/null || skip 'jq is not installed'
# shellcheck disable=SC2016 # for jq
documented 'jq -r '\''(input_filename | rtrimstr(".json")) as $host | .findings[] | select(.severity == "error" or .severity == "warning") | "\($host): \(.severity): \(.id): \(.text)"'\'' *.json' > out
sed -n 's/^    \([a-z0-9]*: \(error\|warning\): .*\)/\1/p' "$srcdir/doc/fleet.md" > want
[ "$(wc -l < want)" -eq 4 ] || fail "doc/fleet.md shows: $(cat want)"
same out want
# shellcheck disable=SC2016 # for jq
documented 'jq -r '\''select(any(.findings[]; .id == "collector-not-nsplit" or .id == "kdump-none")) | input_filename | rtrimstr(".json")'\'' *.json' > out
sed -n 's/^    \(app[0-9]*\)$/\1/p' "$srcdir/doc/fleet.md" > want
[ "$(wc -l < want)" -eq 2 ] || fail "doc/fleet.md shows: $(cat want)"
same out want
