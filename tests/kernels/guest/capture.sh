# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel: captures /proc/vmcore to two disks, and uses the result here; then the host
# gets what each command said.

mkdir /tmp/results

# try NAME COMMAND...: /tmp/results/NAME is "ok", or what the command said
try() {
	name=$1
	shift
	if "$@" > /tmp/said 2>&1; then
		echo ok
	else
		echo "status $?: $*"
		tail -n 5 /tmp/said
	fi > "/tmp/results/$name"
}

mounted_is_vmcore() {
	mkdir /tmp/mnt
	nsplit-mount /disk/member0 /disk/member1 /tmp/mnt || return
	cmp /proc/vmcore /tmp/mnt/vmcore
	status=$?
	umount /tmp/mnt
	return $status
}

nproc > /tmp/results/cpus
cat /proc/meminfo > /tmp/results/meminfo
try capture nsplit -f -C lzo --stats=/tmp/results/stats /proc/vmcore /disk/member0 /disk/member1
try verify njoin -q --verify /disk/member0 /disk/member1
njoin -q --dmesg /disk/member0 /disk/member1 > /tmp/results/dmesg 2>&1 || :
sha256sum < /proc/vmcore | cut -d ' ' -f 1 > /tmp/results/sha256
stat -c %s /proc/vmcore > /tmp/results/size
try mount mounted_is_vmcore
# shellcheck source=tests/kernels/guest/layers.sh
. /layers.sh
# shellcheck source=tests/kernels/guest/dumps.sh
. /dumps.sh
dmesg > /tmp/results/capture-dmesg
# shellcheck source=/dev/null
[ ! -e /figures.sh ] || . /figures.sh
tar -C /tmp/results -cf /disk/results .
