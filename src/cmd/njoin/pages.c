// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd/njoin/pages.h"

/* The kinds that are unavailable when a test is disabled. */
static const char *const kinds_of_test[PAGE_TESTS] = {
	[PAGE_TEST_TAIL] = "pages of several frames",
	[PAGE_TEST_SLAB] = "slab",
	[PAGE_TEST_FREE] = "free and unaccepted",
	[PAGE_TEST_CACHE] = "cache",
	[PAGE_TEST_USER] = "anonymous and hugetlb",
};

static uint64_t all_pages(const struct page_filter *filter)
{
	uint64_t all = 0;

	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
		all += filter->of_kind[kind];
	return all;
}

/* The pages that a dump of this level would have. */
static uint64_t kept_by_level(const struct page_filter *filter, unsigned level)
{
	unsigned classes = dump_level_classes(level) & page_trust_classes(&filter->trust);
	uint64_t kept = all_pages(filter);

	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (classes & PAGE_CLASS_BIT(c))
			kept -= page_filter_count(filter, c);
	return kept;
}

/* --- text ------------------------------------------------------------------------------ */

static void print_count(const struct page_filter *filter, uint64_t count, uint32_t page_size)
{
	uint64_t all = all_pages(filter);
	const double mib = 1 << 20;

	printf("  %12" PRIu64 "  %12.1f MiB  %5.1f %%\n", count, (double)count * page_size / mib,
	       all ? 100 * (double)count / (double)all : 0);
}

static void print_kinds(const struct page_filter *filter, uint32_t page_size)
{
	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++) {
		if (!filter->of_kind[kind])
			continue;
		printf("pages: %-13s", page_kind_name(kind));
		print_count(filter, filter->of_kind[kind], page_size);
	}
	for (enum page_test test = 0; test < PAGE_TESTS; test++)
		if (filter->off[test][0])
			printf("pages: not recognised: %s: %s\n", kinds_of_test[test], filter->off[test]);
}

static void print_classes(const struct page_filter *filter, uint32_t page_size)
{
	for (enum page_class c = 0; c < PAGE_CLASSES; c++) {
		printf("class: %-13s", page_class_name(c));
		print_count(filter, page_filter_count(filter, c), page_size);
	}
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (filter->trust.why[c][0])
			printf("class: %s: kept by every dump level: %s\n", page_class_name(c),
			       filter->trust.why[c]);
}

/* Those that are used most; --json has all of them. */
static void print_levels(const struct page_filter *filter, unsigned absent, uint32_t page_size)
{
	static const unsigned levels[] = { 1, 17, 23, 25, 31 };

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (absent & ~dump_level_classes(levels[i]))
			continue;
		printf("kept: level %-7u", levels[i]);
		print_count(filter, kept_by_level(filter, levels[i]), page_size);
	}
}

void pages_print(const struct page_filter *filter, unsigned absent, uint32_t page_size)
{
	if (filter->no_kinds[0]) {
		printf("pages: kinds unknown: %s\n", filter->no_kinds);
		return;
	}
	print_kinds(filter, page_size);
	print_classes(filter, page_size);
	print_levels(filter, absent, page_size);
}

/* --- JSON ------------------------------------------------------------------------------ */

static void json_kinds(struct json *json, const struct page_filter *filter)
{
	json_object(json, "page_kinds");
	json_bool(json, "known", !filter->no_kinds[0]);
	if (filter->no_kinds[0])
		json_text(json, "why", filter->no_kinds);
	else
		for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
			json_number(json, page_kind_name(kind), filter->of_kind[kind]);
	json_close_object(json);
	json_array(json, "not_recognised");
	for (enum page_test test = 0; test < PAGE_TESTS; test++)
		if (filter->off[test][0]) {
			json_object(json, NULL);
			json_text(json, "kinds", kinds_of_test[test]);
			json_text(json, "why", filter->off[test]);
			json_close_object(json);
		}
	json_close_array(json);
}

static void json_classes(struct json *json, const struct page_filter *filter)
{
	json_array(json, "page_classes");
	for (enum page_class c = 0; c < PAGE_CLASSES; c++) {
		json_object(json, NULL);
		json_text(json, "name", page_class_name(c));
		json_number(json, "level", dump_level_of_classes(PAGE_CLASS_BIT(c)));
		json_number(json, "pages", page_filter_count(filter, c));
		json_bool(json, "trusted", !filter->trust.why[c][0]);
		if (filter->trust.why[c][0])
			json_text(json, "why", filter->trust.why[c]);
		json_close_object(json);
	}
	json_close_array(json);
}

static void json_levels(struct json *json, const struct page_filter *filter)
{
	json_array(json, "kept_by_level");
	for (unsigned level = 0; level <= DUMP_LEVEL_ALL; level++)
		json_number(json, NULL, kept_by_level(filter, level));
	json_close_array(json);
}

void pages_json(struct json *json, const struct page_filter *filter)
{
	json_kinds(json, filter);
	if (filter->no_kinds[0])
		return;
	json_classes(json, filter);
	json_levels(json, filter);
}
