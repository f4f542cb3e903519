# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several collectors in turn, repeatedly, on the same /proc/vmcore; the only check is that they
# succeed.

rm -f /mnt/0/figure /mnt/1/figure
cp='' dump='' one='' two=''
for round in $(seq "$(cat /rounds)"); do
	cp="$cp $(seconds cp /proc/vmcore /mnt/0/figure)"
	rm /mnt/0/figure
	dump="$dump $(seconds makedumpfile --message-level 0 -l -d 0 /proc/vmcore /mnt/0/figure)"
	rm /mnt/0/figure
	one="$one $(seconds nsplit -q -c /proc/vmcore /mnt/0/figure)"
	rm /mnt/0/figure
	two="$two $(seconds nsplit -q -c /proc/vmcore /mnt/0/figure /mnt/1/figure)"
	rm /mnt/0/figure /mnt/1/figure
done
note "seconds of cp:$cp"
note "seconds of makedumpfile -l -d 0:$dump"
note "seconds of nsplit -c to one disk:$one"
note "seconds of nsplit -c to two disks:$two"
# Lists of numbers.
# shellcheck disable=SC2086
{
	cp=$(median $cp)
	dump=$(median $dump)
	one=$(median $one)
	two=$(median $two)
}
note "medians: cp $cp, makedumpfile $dump, nsplit $one and $two"
note "nsplit to two disks takes $(awk -v a="$two" -v b="$dump" \
	'BEGIN { printf "%.2f", a / b }') of makedumpfile's time"
rates /proc/vmcore
