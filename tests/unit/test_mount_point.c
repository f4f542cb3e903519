// SPDX-License-Identifier: GPL-2.0-or-later
/* The mount point of a directory in a table such as /etc/fstab. */
#include "config.h"

#include <mntent.h>
#include <string.h>

#include "helper.h"
#include "io/path.h"

static const char table[] =
	"# a comment\n"
	"/dev/sda1 / ext4 defaults 0 1\n"
	"swap none swap sw 0 0\n"
	"LABEL=crash1 /mnt/disk1 ext4 nofail 0 2\n"
	"LABEL=in /mnt/disk1/in xfs nofail 0 2\n"
	"LABEL=space /mnt/a\\040disk btrfs nofail 0 2\n"
	"LABEL=end /mnt/end/ vfat nofail 0 2\n"
	"LABEL=old /mnt/twice ext3 nofail 0 2\n"
	"LABEL=new /mnt/twice ext4 nofail 0 2\n"
	"short\n";

static const struct {
	const char *directory;
	const char *mounted;
	const char *type;
} expected[] = {
	{ "/", "/", "ext4" },
	{ "/var/crash", "/", "ext4" },
	{ "/mnt", "/", "ext4" },
	{ "/mnt/disk1", "/mnt/disk1", "ext4" },
	{ "/mnt/disk1/crash/deep", "/mnt/disk1", "ext4" },
	{ "/mnt/disk12", "/", "ext4" },
	{ "/mnt/disk1/in", "/mnt/disk1/in", "xfs" },
	{ "/mnt/disk1/in/side", "/mnt/disk1/in", "xfs" },
	{ "/mnt/disk1/inside", "/mnt/disk1", "ext4" },
	{ "/mnt/a disk/crash", "/mnt/a disk", "btrfs" },
	{ "/mnt/end", "/mnt/end", "vfat" },
	{ "/mnt/end/crash", "/mnt/end", "vfat" },
	{ "/mnt/twice", "/mnt/twice", "ext4" },
};

START_TEST(test_find)
{
	struct mount_point mount;
	FILE *file = fmemopen((char *)table, strlen(table), "r");

	ck_assert_ptr_nonnull(file);
	ck_assert(mount_point_in(file, expected[_i].directory, &mount));
	ck_assert_str_eq(mount.directory, expected[_i].mounted);
	ck_assert_str_eq(mount.type, expected[_i].type);
	fclose(file);
}
END_TEST

START_TEST(test_none)
{
	static const char text[] = "LABEL=crash1 /mnt/disk1 ext4 nofail 0 2\n";
	struct mount_point mount;
	FILE *file = fmemopen((char *)text, strlen(text), "r");

	ck_assert_ptr_nonnull(file);
	ck_assert(!mount_point_in(file, "/mnt", &mount));
	fclose(file);
}
END_TEST

/* In a plain chroot, as builders of packages use, it may be none. */
static bool root_is_mount(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	const struct mntent *mount;
	bool found = false;

	ck_assert_ptr_nonnull(mounts);
	while (!found && (mount = getmntent(mounts)) != NULL)
		found = strcmp(mount->mnt_dir, "/") == 0;
	endmntent(mounts);
	return found;
}

START_TEST(test_of_file)
{
	struct mount_points points;

	ck_assert(!mount_points_of("nowhere/a", &points));
	ck_assert(mount_points_of("new", &points));
	ck_assert(points.is_mounted || !root_is_mount());
	ck_assert_int_eq(*points.directory, '/');
	ck_assert(mount_points_of("/proc/new", &points));
	ck_assert_str_eq(points.mounted.directory, "/proc");
	ck_assert_str_eq(points.mounted.type, "proc");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("tables");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_find, 0, LENGTH(expected));
	tcase_add_test(tcase, test_none);
	tcase_add_test(tcase, test_of_file);
	return helper_run_case("mount_point", tcase);
}
