// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_below.h"
#include "estimate/kcore.h"
#include "io/transfer.h"

static const char kcore_file[] = "proc/kcore";

enum { STRUCT_PAGE_USUAL = 64 };

/* As many as any machine has, but no more than this process has memory for. */
static const struct core_limits limits = { .headers = 1 << 14, .notes = 4 << 20 };

static enum status read_at(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct kcore *k = arg;

	if (k->until && clock_seconds() > k->until)
		return error_set(e, STATUS_STOPPED, "reading takes too long");
	if (transfer_pread(k->fd, dst, len, offset) == len)
		return STATUS_OK;
	return error_set(e, STATUS_MISSING, "%zu bytes cannot be read", len);
}

/* Without the map, the contents of pages can still be read. */
static void find_map(struct kcore *k)
{
	struct error e;

	if (vmcoreinfo_find(&k->core, &k->info, &e) || page_keys_find(&k->keys, &k->info, &e))
		return;
	virt_init(&k->virt, &k->core, &k->info);
	k->has_map = page_map_open(&k->map, &k->virt, &k->keys, &e) == STATUS_OK && k->map.own.count;
}

enum status kcore_open(struct kcore *k, const char *root, double seconds, struct error *e)
{
	/* The size of the file is that of the kernel's addresses. */
	const struct core_bytes bytes = { .size = INT64_MAX, .read = read_at, .arg = k };
	enum status status;

	*k = (struct kcore){ .fd = -1, .until = clock_seconds() + seconds };
	k->fd = file_below_open(root, kcore_file, O_RDONLY);
	if (k->fd < 0)
		return error_system(e, errno, "%s/%s", root, kcore_file);
	status = core_open_within(&k->core, &bytes, &limits, e);
	if (status)
		return error_prefix(e, "%s/%s: ", root, kcore_file);
	find_map(k);
	k->until = 0;
	return STATUS_OK;
}

void kcore_close(struct kcore *k)
{
	page_map_close(&k->map);
	core_close(&k->core);
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

bool kcore_read(const struct kcore *k, uint64_t address, size_t length, uint8_t *bytes)
{
	struct error ignored;

	return memory_read(&k->core, address, length, bytes, &ignored) == STATUS_OK;
}

uint32_t kcore_struct_page(const struct kcore *k)
{
	return k->has_map ? k->keys.size : STRUCT_PAGE_USUAL;
}
