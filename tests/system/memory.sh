#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In 64 MiB of memory, including the page cache, a much larger capture succeeds.
#	CHECK_MEMORY_SIZE=8G srcdir=.. sh ../tests/system/memory.sh
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3
need_root "a cgroup"

# In version 1 of cgroups, the controller has a mount point of its name; in version 2, the root of
# the tree must enable it.
hierarchy=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
limit=memory.limit_in_bytes peak=memory.max_usage_in_bytes
if [ -z "$hierarchy" ]; then
	hierarchy=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	limit=memory.max peak=memory.peak
	[ -n "$hierarchy" ] && grep -qw memory "$hierarchy/cgroup.subtree_control" ||
		skip "no memory cgroup"
fi
cgroup=$hierarchy/nsplit-test.$$
at_exit "[ ! -d '$cgroup' ] || retry rmdir '$cgroup'"
mkdir "$cgroup" 2> mkdir.err || skip "cannot make a cgroup: $(cat mkdir.err)"
[ -e "$cgroup/$peak" ] || skip "this kernel does not record the peak memory of a cgroup"
echo $((64 << 20)) > "$cgroup/$limit"
# With swap it could use more.
[ ! -e "$cgroup/memory.swap.max" ] || echo 0 > "$cgroup/memory.swap.max"

# within COMMAND...: runs it in the cgroup
within() {
	# shellcheck disable=SC2016 # it is for the inner shell
	sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$cgroup" "$@"
}

# A sparse file with 1 MiB of incompressible data in each 64 MiB.
python3 - "${CHECK_MEMORY_SIZE:-256M}" << 'END'
import random, sys

size = int(sys.argv[1][:-1]) * {"M": 1 << 20, "G": 1 << 30}[sys.argv[1][-1]]
chance = random.Random(1)
with open("core", "wb") as f:
    for offset in range(5 << 20, size, 64 << 20):
        f.seek(offset)
        f.write(chance.randbytes(1 << 20))
    f.truncate(size)
END

make_ext4 disk0 1G
make_ext4 disk1 1G
for direct in auto never; do
	rm -f disk0/a disk1/b
	expect_status 0 within nsplit -q -c --direct=$direct --stats=stats core disk0/a disk1/b
	expect_err ""
	expect_status 0 within njoin -q --verify disk0/a disk1/b
	expect_err ""
	python3 - "$direct" "$(cat "$cgroup/$peak")" << 'END'
import json, sys

stats = json.load(open("stats"))
print("--direct=%s: %d MiB captured; peak of the cgroup %.1f MiB of 64, resident %.1f MiB" %
      (sys.argv[1], stats["source_bytes"] >> 20, int(sys.argv[2]) / 2**20,
       stats["peak_memory"] / 2**20))
END
done
njoin -q -o - disk0/a disk1/b | cmp - core || fail "the copy differs"
