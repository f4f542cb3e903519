// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "cmd/njoin_pages.h"
#include "core/page_range.h"

static enum status count_range(struct page_counts *counts, struct page_cursor *cursor,
			       const struct page_range *range, struct error *e)
{
	uint8_t kinds[4096];

	for (uint64_t at = 0; at < range->count; at += sizeof(kinds)) {
		size_t count = min_u64(sizeof(kinds), range->count - at);
		enum status status = page_range_kinds(cursor, range->pfn + at, count, kinds, e);

		if (status)
			return status;
		for (size_t i = 0; i < count; i++)
			counts->of_kind[kinds[i]]++;
		counts->all += count;
	}
	return STATUS_OK;
}

static enum status count_all(struct page_counts *counts, const struct page_map *map,
			     const struct virt *virt, const struct pages *pages, struct error *e)
{
	struct page_cursor cursor;
	enum status status = STATUS_OK;

	page_cursor_init(&cursor, map, virt);
	for (size_t i = 0; i < pages->ram_count && !status; i++)
		status = count_range(counts, &cursor, &pages->ram[i], e);
	return status;
}

enum status page_counts_make(struct page_counts *counts, const struct virt *virt,
			     const struct pages *pages, struct error *e)
{
	struct page_keys keys;
	struct page_map map = { 0 };
	enum status status = page_keys_find(&keys, virt->info, e);

	*counts = (struct page_counts){ 0 };
	if (!status) {
		memcpy(counts->off, keys.off, sizeof(counts->off));
		status = page_map_open(&map, virt, &keys, e);
	}
	if (!status)
		status = count_all(counts, &map, virt, pages, e);
	else if (!core_bytes_end(status))
		snprintf(counts->why, sizeof(counts->why), "%s", e->text);
	page_map_close(&map);
	return core_bytes_end(status) ? status : STATUS_OK;
}

/* What is not told if a test is not made. */
static const char *const kinds_of_test[PAGE_TESTS] = {
	[PAGE_TEST_TAIL] = "pages of several frames",
	[PAGE_TEST_SLAB] = "slab",
	[PAGE_TEST_FREE] = "free and unaccepted",
	[PAGE_TEST_CACHE] = "cache",
	[PAGE_TEST_USER] = "anonymous and hugetlb",
};

void page_counts_print(const struct page_counts *counts, uint32_t page_size)
{
	const double mib = 1 << 20;

	if (counts->why[0]) {
		printf("pages: kinds unknown: %s\n", counts->why);
		return;
	}
	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
		if (counts->of_kind[kind])
			printf("pages: %-13s  %12" PRIu64 "  %12.1f MiB  %5.1f %%\n",
			       page_kind_name(kind), counts->of_kind[kind],
			       (double)counts->of_kind[kind] * page_size / mib,
			       100 * (double)counts->of_kind[kind] / (double)counts->all);
	for (enum page_test test = 0; test < PAGE_TESTS; test++)
		if (counts->off[test][0])
			printf("pages: not recognised: %s: %s\n", kinds_of_test[test], counts->off[test]);
}

void page_counts_json(struct json *json, const struct page_counts *counts)
{
	json_object(json, "page_kinds");
	json_bool(json, "known", !counts->why[0]);
	if (counts->why[0])
		json_text(json, "why", counts->why);
	else
		for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
			json_number(json, page_kind_name(kind), counts->of_kind[kind]);
	json_close_object(json);
	json_array(json, "not_recognised");
	for (enum page_test test = 0; test < PAGE_TESTS; test++)
		if (counts->off[test][0]) {
			json_object(json, NULL);
			json_text(json, "kinds", kinds_of_test[test]);
			json_text(json, "why", counts->off[test]);
			json_close_object(json);
		}
	json_close_array(json);
}
