// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare CORE FILE...: reads every page of an ELF core and of a kdump-compressed file, or split
 * set, with libkdumpfile, and prints how many are the same, how many only one of them has, and how
 * many differ.  Exit status 1: some differ, or only the file has some; 2: a file cannot be opened
 * or read.  Pages of zeros that only the core has are not counted: libkdumpfile 0.5 returns one
 * before each segment, although the headers have none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libkdumpfile/kdumpfile.h>

enum { FILES_MAX = 16 };

struct dump {
	kdump_ctx_t *context;
	uint8_t *page;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "compare: %s: %s\n", what, why);
	exit(2);
}

static struct dump open_dump(char **names, unsigned count)
{
	struct dump d = { .context = kdump_new() };
	int fds[FILES_MAX];

	if (!d.context)
		die(names[0], "no memory");
	for (unsigned i = 0; i < count; i++) {
		fds[i] = open(names[i], O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0)
			die(names[i], strerror(errno));
	}
	if (kdump_open_fdset(d.context, count, fds) != KDUMP_OK)
		die(names[0], kdump_get_err(d.context));
	return d;
}

static uint64_t number_of(const struct dump *d, const char *key)
{
	kdump_num_t n = 0;

	if (kdump_get_number_attr(d->context, key, &n) != KDUMP_OK)
		die(key, kdump_get_err(d->context));
	return n;
}

/* Returns false if the dump does not have the page. */
static bool read_page(const struct dump *d, uint64_t pfn, size_t size, const char *name)
{
	size_t len = size;
	kdump_status status = kdump_read(d->context, KDUMP_MACHPHYSADDR, pfn * size, d->page, &len);

	if (status == KDUMP_OK)
		return true;
	if (status != KDUMP_ERR_NODATA)
		die(name, kdump_get_err(d->context));
	return false;
}

static bool is_zero(const uint8_t *page, size_t size)
{
	return !page[0] && !memcmp(page, page + 1, size - 1);
}

static void check_size(const struct dump *d, uint64_t size)
{
	if (number_of(d, KDUMP_ATTR_PAGE_SIZE) != size)
		die("page size", "not the same");
}

int main(int argc, char **argv)
{
	unsigned long same = 0, differ = 0, only_core = 0, only_file = 0;
	struct dump core, file;
	uint64_t size, end;

	if (argc < 3 || argc - 2 > FILES_MAX)
		die("usage", "compare CORE FILE...");
	core = open_dump(argv + 1, 1);
	file = open_dump(argv + 2, (unsigned)argc - 2);
	size = number_of(&file, KDUMP_ATTR_PAGE_SIZE);
	check_size(&core, size);
	end = number_of(&file, "max_pfn");
	core.page = malloc(size);
	file.page = malloc(size);
	if (!core.page || !file.page)
		die("page", "no memory");
	for (uint64_t pfn = 0; pfn < end; pfn++) {
		bool in_core = read_page(&core, pfn, size, argv[1]);
		bool in_file = read_page(&file, pfn, size, argv[2]);
		bool equal = in_core && in_file && !memcmp(core.page, file.page, size);

		same += equal;
		differ += in_core && in_file && !equal;
		only_core += in_core && !in_file && !is_zero(core.page, size);
		only_file += in_file && !in_core;
		if (in_core && in_file && !equal)
			fprintf(stderr, "compare: page %#lx differs\n", (unsigned long)pfn);
	}
	printf("%lu the same, %lu differ, %lu only in the core, %lu only in the file\n", same, differ,
	       only_core, only_file);
	kdump_free(core.context);
	kdump_free(file.context);
	free(core.page);
	free(file.page);
	return differ || only_file ? 1 : 0;
}
