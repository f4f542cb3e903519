// SPDX-License-Identifier: GPL-2.0-or-later
/* fakevmcore: a file like /proc/vmcore, without a crash. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/proc_fs.h>

#include "params.h"
#include "serve.h"

#define FILE_NAME "fakevmcore"

/* Initialized before the file is created, freed after it is removed. */
static struct fakevmcore instance;

/*
 * The kernel allows a module to be removed while its /proc file is open, so each open file
 * holds a reference.  Neither open nor release can race with rmmod: remove_proc_entry() waits
 * for calls in progress, including an open that finds the module being removed, and for a
 * release to return, even the one that drops the last reference.
 */
static int fakevmcore_open(struct inode *inode, struct file *file)
{
	if (!try_module_get(THIS_MODULE))
		return -ENOENT;
	file->private_data = &instance;
	/* An inode that was looked up before proc_set_size() would keep a size of 0. */
	inode_lock(inode);
	i_size_write(inode, instance.pool.size);
	inode_unlock(inode);
	return 0;
}

static int fakevmcore_release(struct inode *inode, struct file *file)
{
	module_put(THIS_MODULE);
	return 0;
}

static const struct proc_ops fakevmcore_proc_ops = {
	.proc_open = fakevmcore_open,
	.proc_release = fakevmcore_release,
#ifdef HAVE_PROC_READ_ITER
	.proc_read_iter = serve_read,
#else
	.proc_read = serve_read,
#endif
	.proc_lseek = default_llseek,
	.proc_mmap = serve_mmap,
};

static int make_file(void)
{
	struct proc_dir_entry *entry;

	entry = proc_create(FILE_NAME, 0400, NULL, &fakevmcore_proc_ops);
	if (!entry) {
		pr_err("cannot create /proc/" FILE_NAME "\n");
		return -ENOMEM;
	}
	proc_set_size(entry, instance.pool.size);
	return 0;
}

static int make_bad(const char *list)
{
	int err = bad_make(&instance.bad, list);

	if (err)
		pr_err("fakevmcore_bad: not enough memory for the list\n");
	return err;
}

static int make_pool(const struct settings *settings)
{
	int err = pool_make(&instance.pool, settings);

	if (err == -EINTR)
		pr_err("interrupted by a signal before the pool was filled\n");
	else if (err)
		pr_err("fakevmcore_pool: not enough memory for a pool of %llu bytes\n",
		       min(settings->pattern.pool_size, settings->size));
	return err;
}

static int __init fakevmcore_init(void)
{
	struct settings settings;
	int err = params_read(&settings);

	if (err)
		return err;
	err = make_bad(settings.bad);
	if (err)
		return err;
	err = make_pool(&settings);
	if (err)
		goto no_pool;
	err = make_file();
	if (err)
		goto no_file;
	return 0;

no_file:
	pool_free(&instance.pool);
no_pool:
	bad_free(&instance.bad);
	return err;
}

static void __exit fakevmcore_exit(void)
{
	remove_proc_entry(FILE_NAME, NULL);
	pool_free(&instance.pool);
	bad_free(&instance.bad);
}

module_init(fakevmcore_init);
module_exit(fakevmcore_exit);
MODULE_DESCRIPTION("A file like /proc/vmcore, to measure capture without a crash");
MODULE_LICENSE("GPL");
