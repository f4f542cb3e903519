// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/kinds/page_kind.h"
#include "page_core.h"

static void die(const char *what, const struct error *e)
{
	fprintf(stderr, "%s: %s\n", what, e->text);
	exit(2);
}

struct file file_map(const char *name)
{
	struct file f = { 0 };
	struct stat st;
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) || !st.st_size) {
		perror(name);
		exit(2);
	}
	f.size = (uint64_t)st.st_size;
	f.bytes = mmap(NULL, f.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (f.bytes == MAP_FAILED) {
		perror(name);
		exit(2);
	}
	close(fd);
	return f;
}

static enum status read_file(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct file *f = arg;

	if (offset > f->size || len > f->size - offset)
		return error_set(e, STATUS_MISSING, "the core is cut short");
	memcpy(dst, f->bytes + offset, len);
	return STATUS_OK;
}

void page_core_open(struct page_core *c, const char *name)
{
	struct core_bytes bytes = { .read = read_file, .arg = &c->file };
	struct error e;

	c->file = file_map(name);
	bytes.size = c->file.size;
	if (core_open(&c->core, &bytes, &e) || vmcoreinfo_find(&c->core, &c->info, &e) ||
	    page_keys_find(&c->keys, &c->info, &e))
		die(name, &e);
	virt_init(&c->virt, &c->core, &c->info);
	if (page_map_open(&c->map, &c->virt, &c->keys, &e) ||
	    pages_find(&c->pages, &c->core, c->keys.page_size, NULL, &e))
		die(name, &e);
	page_cursor_init(&c->cursor, &c->map, &c->virt);
}

void page_core_close(struct page_core *c)
{
	page_map_close(&c->map);
	pages_free(&c->pages);
	core_close(&c->core);
}

void page_core_kinds(struct page_core *c, uint64_t pfn, size_t count, uint8_t *kinds)
{
	struct error e;

	if (page_range_kinds(&c->cursor, pfn, count, kinds, &e))
		die("kinds of pages", &e);
}

bool page_core_struct(struct page_core *c, uint64_t pfn, uint8_t page[STRUCT_PAGE_MAX])
{
	return page_cursor_copy(&c->cursor, pfn, page);
}

bool page_core_is_off_lists(struct page_core *c, uint64_t pfn)
{
	uint8_t page[STRUCT_PAGE_MAX];
	uint64_t head, reach;

	if (!page_core_struct(c, pfn, page))
		return false;
	if (page_is_tail(&c->keys, page) &&
	    (!page_head(&c->keys, page, pfn, page_map_address(&c->map, pfn), &head, &reach) ||
	     !page_core_struct(c, head, page)))
		return false;
	return !(page_flags(page) & c->keys.flag_lru);
}

bool page_core_is_compound(struct page_core *c, uint64_t pfn)
{
	uint8_t page[STRUCT_PAGE_MAX];

	return page_core_struct(c, pfn, page) && (page_is_tail(&c->keys, page) || page_has_next(&c->keys, page));
}
