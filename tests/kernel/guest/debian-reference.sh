# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel of the Debian machine, before the dump is saved: the SHA-256 of
# /proc/vmcore, and a copy of it if pages will be left out.

printf 'kernel %s with %s CPUs, %s\n' "$(uname -r)" "$(nproc)" \
	"$(awk '/^MemAvailable/ { print $2, $3, "available" }' /proc/meminfo)" | tee /nsplit-test/capture
systemctl is-active emergency.target > /nsplit-test/emergency || :
sha256sum < /proc/vmcore | cut -d ' ' -f 1 > /nsplit-test/reference
# What was left out cannot be compared otherwise.
grep -q '^dump-level' /etc/nsplit.conf 2> /dev/null || cp /proc/vmcore /nsplit-test/core
# The next boot must be an ordinary one.
[ ! -e /nsplit-test/fstab ] || cp /nsplit-test/fstab /etc/fstab
