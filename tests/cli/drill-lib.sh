# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The beginning of scripts about nsplit --drill.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

[ ! -e /proc/vmcore ] || skip 'this is a capture kernel, and the test is for others'
# The module's core would take the place of a made-up one, unless its size is given.
# shellcheck disable=SC2034 # for the scripts
size=--drill-size=8M

# drill STATUS ARGUMENT...: with made-up data in 60 MiB of memory, and without progress.  Makes the messages the same
# on all machines: figures, the cgroup, which not all of them have, and warnings that the test's directory is in memory.
drill() {
	drill_status=$1
	shift
	expect_status "$drill_status" nsplit --drill --drill-memory=60M --progress=never "$@"
	drill_told
	expect_out ''
	no_group_left
}

drill_told() {
	sed -E -i -e '/: the memory is not limited: /d' -e '/^nsplit: warning: .* is in memory /d' \
		-e 's/ in [0-9.]+ s, [0-9.]+ [KMG]?i?B\/s; / in N; /' -e 's/; [0-9.]+ [KMG]?i?B written/; N written/' \
		-e 's/; (at most [0-9.]+ [KM]iB of|within|planned for) 60\.0 MiB of memory/; MEMORY/' \
		-e 's/; CPUs: [0-9]+$/; CPUs: N/' err
}

# The lines of a drill in which all is well, with SIZE of data.
began() {
	echo "nsplit: drill: source: $1 of made-up data; memory: 60.0 MiB; CPUs: N"
}

ended() {
	echo "nsplit: drill: $1 in N; N written; MEMORY; verified and removed"
}

# no_group_left: no cgroup of a drill of this test is there.  Other tests may run drills at the same time, which end
# after they have removed theirs.
no_group_left() {
	find /sys/fs/cgroup -name 'nsplit-drill.*' > lib.groups 2> lib.find || :
	while read -r drill_group; do
		[ -e "/proc/${drill_group##*.}" ] || [ ! -e "$drill_group" ] || fail "a cgroup is left: $drill_group"
	done < lib.groups
}
