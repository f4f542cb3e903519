// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "core/kinds/page_class.h"
#include "export/set_absent.h"
#include "set/dump.h"

static void ignore_damage(void *arg, size_t location, const struct error *e)
{
	(void)arg;
	(void)location;
	(void)e;
}

enum status set_absent_find(struct set_absent *a, const struct set *set,
			    const struct contents_watch *watch, struct error *e)
{
	const struct contents_watch silent = { .damaged = ignore_damage };
	struct range_list list = { 0 };
	enum status status;

	*a = (struct set_absent){ 0 };
	status = contents_find(&a->contents, set, watch ? watch : &silent, e);
	if (!status && set_is_dump(set))
		status = dump_absent_find(set->members[0].dump, &a->contents.unreadable, e);
	if (!status && !contents_not_there(&a->contents, &list))
		status = error_system(e, ENOMEM, "list of missing ranges");
	a->missing = list.ranges;
	a->missing_count = list.count;
	return status;
}

void set_absent_free(struct set_absent *a)
{
	free(a->missing);
	contents_free(&a->contents);
	*a = (struct set_absent){ 0 };
}

static bool next_left_out(const void *arg, uint64_t *offset, uint64_t *length)
{
	return contents_next_left_out(arg, offset, length);
}

struct absent set_absent_view(const struct set_absent *a)
{
	return (struct absent){
		.missing = a->missing,
		.missing_count = a->missing_count,
		.next_left_out = next_left_out,
		.arg = &a->contents,
	};
}

struct absent set_absent_holes(const struct set_absent *a)
{
	struct absent absent = set_absent_view(a);

	absent.missing = a->contents.missing.ranges;
	absent.missing_count = a->contents.missing.count;
	return absent;
}

unsigned set_absent_classes(const struct set *set)
{
	unsigned classes = 0;

	if (set_is_dump(set))
		return dump_level_classes(set->members[0].dump->level);
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(&set->classes, i) == CLASS_LEFT_OUT && !page_captured_is_never_read(i))
			classes |= page_class_of_captured(i);
	return classes;
}

bool set_absent_next_missing(const struct set *set, const struct set_absent *absent, uint64_t *offset,
			     uint64_t *length)
{
	const struct range_list *missing = &absent->contents.missing;
	size_t i = ranges_find(missing->ranges, missing->count, *offset);
	uint64_t end;

	if (!set_has_layers(set))
		return set_hole(set, offset, length);
	if (i == missing->count)
		return false;
	end = missing->ranges[i].offset + missing->ranges[i].length;
	*offset = max_u64(*offset, missing->ranges[i].offset);
	*length = end - *offset;
	return true;
}

uint64_t set_absent_unreadable(const struct set *set, const struct set_absent *absent)
{
	uint64_t blocks = 0;

	if (set_has_layers(set))
		return divide_up(absent->contents.totals.memory.unreadable, GRANULE);
	for (size_t i = 0; i < set->locations; i++)
		if (!set->map[i]->follows)
			blocks += set->map[i]->entry.unreadable;
	return blocks;
}
