// SPDX-License-Identifier: GPL-2.0-or-later
/* io/storage.c with a fake sysfs: two disks with partitions, RAID, LVM, loop devices. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "helper.h"
#include "io/storage.h"

static void make_directory(const char *name)
{
	ck_assert_msg(mkdir(name, 0700) == 0, "%s", name);
}

static void write_text(const char *directory, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	helper_write_file(path, text, strlen(text));
}

/* Creates a device in sys/devices. */
static void make_device(const char *name, const char *number)
{
	char path[256], link[256], text[64];

	snprintf(path, sizeof(path), "sys/devices/%s", name);
	make_directory(path);
	snprintf(text, sizeof(text), "%s\n", number);
	write_text(path, "dev", text);
	snprintf(path, sizeof(path), "sys/devices/%s/slaves", name);
	make_directory(path);
	snprintf(path, sizeof(path), "../../devices/%s", name);
	snprintf(link, sizeof(link), "sys/dev/block/%s", number);
	ck_assert_int_eq(symlink(path, link), 0);
}

static void make_partition(const char *name, const char *number, const char *start,
			   const char *size)
{
	char path[256];

	make_device(name, number);
	snprintf(path, sizeof(path), "sys/devices/%s", name);
	write_text(path, "partition", "1\n");
	write_text(path, "start", start);
	write_text(path, "size", size);
}

/* Stores the device upper on lower. */
static void make_slave(const char *upper, const char *lower)
{
	char path[256], link[256];

	snprintf(link, sizeof(link), "sys/devices/%s/slaves/%s", upper,
		 strrchr(lower, '/') ? strrchr(lower, '/') + 1 : lower);
	snprintf(path, sizeof(path), "../../%s", lower);
	ck_assert_int_eq(symlink(path, link), 0);
}

static void make_loop(const char *name, const char *number, const char *file, const char *offset,
		      const char *limit)
{
	char path[256];

	make_device(name, number);
	snprintf(path, sizeof(path), "sys/devices/%s/loop", name);
	make_directory(path);
	write_text(path, "backing_file", file);
	write_text(path, "offset", offset);
	write_text(path, "sizelimit", limit);
}

/*
 * sda has the partitions sda1 and sda2, and sdb has sdb1.  md0 consists of sda2 and sdb1, and holds
 * the volumes dm-0 and dm-1; dm-2 is an encrypted volume on one of them.  The loop devices, whose
 * numbers no driver here uses, are on the file "image": two of them each on one half of it, and
 * 250:3 on one of these.
 */
static void make_sysfs(void)
{
	char cwd[128], file[256];

	ck_assert_ptr_nonnull(getcwd(cwd, sizeof(cwd)));
	make_directory("sys");
	make_directory("sys/dev");
	make_directory("sys/dev/block");
	make_directory("sys/devices");
	make_device("sda", "240:0");
	make_partition("sda/sda1", "240:1", "2048\n", "4096\n");
	make_partition("sda/sda2", "240:2", "6144\n", "4096\n");
	make_device("sdb", "240:16");
	make_partition("sdb/sdb1", "240:17", "2048\n", "4096\n");
	make_device("sdc", "240:32");
	make_device("md0", "241:0");
	make_slave("md0", "sda/sda2");
	make_slave("md0", "sdb/sdb1");
	make_device("dm-0", "242:0");
	make_slave("dm-0", "md0");
	make_device("dm-1", "242:1");
	make_slave("dm-1", "md0");
	make_device("dm-2", "242:2");
	make_slave("dm-2", "dm-1");
	helper_write_file("image", "", 0);
	helper_write_file("file", "", 0);
	snprintf(file, sizeof(file), "%s/image\n", cwd);
	make_loop("loop0", "250:0", file, "0\n", "0\n");
	make_loop("loop1", "250:1", file, "0\n", "1048576\n");
	make_loop("loop2", "250:2", file, "1048576\n", "1048576\n");
	make_device("dm-3", "242:3");
	make_slave("dm-3", "loop2");
	make_loop("loop3", "250:3", "/nowhere/image (deleted)\n", "0\n", "0\n");
}

/* "240:0", or the name of a file that may not exist. */
static struct identity identify(const char *what)
{
	struct identity id = { .type = S_IFBLK };
	unsigned major, minor;
	struct stat st;

	if (sscanf(what, "%u:%u", &major, &minor) == 2)
		id.device = makedev(major, minor);
	else if (stat(what, &st) == 0)
		id = identity_of(&st);
	else
		ck_assert(identity_of_new(&id, what));
	return id;
}

static struct storage find(const char *what)
{
	struct identity id = identify(what);
	struct storage s;
	struct error e;

	ck_assert_int_eq(storage_find(&s, &id, "sys", &e), STATUS_OK);
	return s;
}

static const struct {
	const char *a, *b;
	bool shared;
} pairs[] = {
	{ "240:0", "240:0", true },
	{ "240:0", "240:16", false },
	{ "240:0", "240:1", true },		/* a disk and its partition */
	{ "240:1", "240:2", false },
	{ "240:1", "240:17", false },
	{ "241:0", "240:0", true },		/* RAID */
	{ "241:0", "240:2", true },
	{ "241:0", "240:1", false },
	{ "241:0", "240:17", true },
	{ "241:0", "240:32", false },
	{ "242:0", "241:0", true },		/* LVM */
	{ "242:0", "240:2", true },
	{ "242:0", "240:16", true },
	{ "242:0", "240:1", false },
	{ "242:0", "242:1", false },
	{ "242:2", "242:1", true },
	{ "242:2", "242:0", false },
	{ "242:2", "240:0", true },
	{ "250:0", "image", true },		/* loop devices */
	{ "250:0", "250:1", true },
	{ "250:1", "250:2", false },
	{ "250:1", "image", true },
	{ "250:2", "image", true },
	{ "250:1", "file", false },
	{ "242:3", "250:2", true },
	{ "242:3", "image", true },
	{ "242:3", "250:0", true },
	{ "242:3", "250:1", false },
	{ "file", "image", false },
	{ "file", "new", false },
	{ "new", "newer", false },
	{ "250:0", "new", false },
};

START_TEST(test_pairs)
{
	struct storage a, b;

	make_sysfs();
	a = find(pairs[_i].a);
	b = find(pairs[_i].b);
	ck_assert_int_eq(storage_shared(&a, &b), pairs[_i].shared);
	ck_assert_int_eq(storage_shared(&b, &a), pairs[_i].shared);
	storage_free(&a);
	storage_free(&b);
}
END_TEST

/* Files here share storage with the block device of their file system, if it has one. */
START_TEST(test_file_system)
{
	struct storage device, file, new_file;
	struct stat st;
	char number[32];

	make_sysfs();
	ck_assert_int_eq(stat(".", &st), 0);
	file = find("file");
	new_file = find("new");
	ck_assert(file.unknown == (major(st.st_dev) != 0));
	snprintf(number, sizeof(number), "%u:%u", major(st.st_dev), minor(st.st_dev));
	device = find(number);
	ck_assert_int_eq(storage_shared(&device, &file), major(st.st_dev) != 0);
	ck_assert_int_eq(storage_shared(&device, &new_file), major(st.st_dev) != 0);
	storage_free(&device);
	storage_free(&file);
	storage_free(&new_file);
}
END_TEST

static const struct {
	const char *what;
	bool unknown;
} devices[] = {
	{ "240:0", false },
	{ "242:2", false },
	{ "249:0", true },		/* not in sysfs */
	{ "250:3", true },		/* its file was removed, and no driver knows the device */
};

START_TEST(test_unknown)
{
	struct storage s;

	make_sysfs();
	s = find(devices[_i].what);
	ck_assert_int_eq(s.unknown, devices[_i].unknown);
	storage_free(&s);
}
END_TEST

/* An invalid stack: a device stored on itself, each time a sector further on. */
START_TEST(test_endless)
{
	struct storage s;

	make_sysfs();
	make_slave("sdc", "sdc");
	s = find("240:32");
	storage_free(&s);
	make_device("odd", "240:48");
	make_partition("odd/odd1", "240:49", "1\n", "1000000000\n");
	ck_assert_int_eq(unlink("sys/devices/odd/dev"), 0);
	write_text("sys/devices/odd", "dev", "240:49\n");
	s = find("240:49");
	ck_assert(s.unknown);
	storage_free(&s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("storage");
	TCase *tcase = tcase_create("storage");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_pairs, 0, LENGTH(pairs));
	tcase_add_test(tcase, test_file_system);
	tcase_add_loop_test(tcase, test_unknown, 0, LENGTH(devices));
	tcase_add_test(tcase, test_endless);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
