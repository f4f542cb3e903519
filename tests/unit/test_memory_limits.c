// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory that may be used, from simulated /proc and cgroup file systems. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/memory/memory_limits.h"
#include "helper.h"

#define MIB *(UINT64_C(1) << 20)

/* The test's own directory. */
static const char root[] = ".";

/* A file below root, with the directories that it is in. */
static void put(const char *name, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0700);
	}
	helper_write_file(path, text, strlen(text));
}

static void put_machine(void)
{
	put("proc/meminfo", "MemTotal: 1009012 kB\nMemFree: 1 kB\nMemAvailable:   524288 kB\n");
}

static void assert_memory(uint64_t bytes, const char *what)
{
	struct limit limit = limit_of(root, UINT64_MAX, UINT64_MAX);

	ck_assert_uint_eq(limit.bytes, bytes);
	ck_assert_str_eq(limit.what, what);
}

static const char of_cgroup[] = "the limit of the memory cgroup";

static void put_version2(const char *path, const char *top)
{
	char line[512];

	put_machine();
	snprintf(line, sizeof(line), "1:name=systemd:/elsewhere\n0::%s\n", path);
	put("proc/self/cgroup", line);
	snprintf(line, sizeof(line),
		 "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		 "30 21 0:26 %s /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n", top);
	put("proc/self/mountinfo", line);
}

/* The group has a limit, and holds page cache, most of which can be dropped. */
START_TEST(test_version2)
{
	put_version2("/a/b", "/");
	put("sys/fs/cgroup/a/b/memory.max", "104857600\n");
	put("sys/fs/cgroup/a/b/memory.high", "max\n");
	put("sys/fs/cgroup/a/b/memory.current", "73400320\n");
	assert_memory(30 MIB, of_cgroup);
	put("sys/fs/cgroup/a/b/memory.stat",
	    "anon 1\nfile 62914560\ninactive_file 41943040\nactive_file 20971520\n"
	    "file_dirty 1048576\nfile_writeback 1048576\ntotal_inactive_file 12345678\n");
	assert_memory((30 + 40 + 10 - 2) * 1 MIB, of_cgroup);
	put("sys/fs/cgroup/a/b/memory.high", "94371840\n");
	assert_memory((30 + 40 + 10 - 2 - 10) * 1 MIB, of_cgroup);
	put("sys/fs/cgroup/a/b/memory.max", "1048576\n");
	assert_memory(0, of_cgroup);
	put("sys/fs/cgroup/a/b/memory.max", "max\n");
	put("sys/fs/cgroup/a/b/memory.high", "max\n");
	assert_memory(512 MIB, "this machine");
}
END_TEST

/* The limit of any group that it is in counts. */
START_TEST(test_above)
{
	put_version2("/a/b/c", "/");
	put("sys/fs/cgroup/a/memory.max", "104857600\n");
	put("sys/fs/cgroup/a/memory.current", "94371840\n");
	put("sys/fs/cgroup/a/b/c/memory.max", "104857600\n");
	put("sys/fs/cgroup/a/b/c/memory.current", "1048576\n");
	assert_memory(10 MIB, of_cgroup);
	/* In a container only a part is mounted, or it is seen from a namespace. */
	put_version2("/docker/1/a/b/c", "/docker/1");
	assert_memory(10 MIB, of_cgroup);
	put_version2("/docker/12/a/b/c", "/docker/1");
	assert_memory(512 MIB, "this machine");
	put_version2("/../../a", "/");
	assert_memory(512 MIB, "this machine");
	put("sys/fs/cgroup/memory.max", "2097152\n");
	put("sys/fs/cgroup/memory.current", "1048576\n");
	assert_memory(1 MIB, of_cgroup);
	put_version2("/", "/");
	assert_memory(1 MIB, of_cgroup);
}
END_TEST

START_TEST(test_version1)
{
	put_machine();
	put("proc/self/cgroup", "5:cpu,memory:/a\n4:name=memory-like:/a/b\n0::/a/b\n");
	put("proc/self/mountinfo",
	    "31 21 0:27 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n"
	    "32 21 0:28 / /cg/memory rw - cgroup cgroup rw,cpu,memory\n");
	put("cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("cg/memory/memory.usage_in_bytes", "9223372036854771712\n");
	put("cg/memory/a/memory.limit_in_bytes", "62914560\n");
	put("cg/memory/a/memory.usage_in_bytes", "52428800\n");
	put("cg/memory/a/memory.stat",
	    "inactive_file 1\ntotal_inactive_file 20971520\ntotal_active_file 2097152\n"
	    "total_dirty 1048576\ntotal_writeback 0\n");
	assert_memory((10 + 20 + 1 - 1) * 1 MIB, of_cgroup);
}
END_TEST

START_TEST(test_addresses)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct limit limit;

	put("proc/self/statm", "1000 500 300 10 0 200 0\n");
	limit = limit_of(root, 5000 * page, UINT64_MAX);
	ck_assert_uint_eq(limit.bytes, 2000 * page);
	ck_assert_str_eq(limit.what, "half of ulimit -v");
	limit = limit_of(root, 5000 * page, 3000 * page);
	ck_assert_uint_eq(limit.bytes, 1400 * page);
	ck_assert_str_eq(limit.what, "half of ulimit -d");
	limit = limit_of(root, 10 * page, UINT64_MAX);
	ck_assert_uint_eq(limit.bytes, 0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("limits");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_version2);
	tcase_add_test(tcase, test_above);
	tcase_add_test(tcase, test_version1);
	tcase_add_test(tcase, test_addresses);
	return helper_run_case("limits", tcase);
}
