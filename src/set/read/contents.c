// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "set/read/contents.h"

void contents_init(struct contents *c, const struct set *set)
{
	*c = (struct contents){
		.left_out = { .cell_size = set->cell_size, .source_size = set->source_size },
	};
}

void contents_free(struct contents *c)
{
	left_out_free(&c->left_out);
	range_list_free(&c->missing);
	range_list_free(&c->unreadable);
	*c = (struct contents){ 0 };
}

void contents_clear(struct contents *c)
{
	left_out_clear(&c->left_out);
	c->missing.count = c->unreadable.count = 0;
	c->totals = (struct layer_totals){ 0 };
}

static bool append_ranges(struct range_list *list, const struct range_list *more)
{
	for (size_t i = 0; i < more->count; i++)
		if (!range_list_extend(list, more->ranges[i].offset, more->ranges[i].length))
			return false;
	return true;
}

bool contents_append(struct contents *c, const struct contents *more)
{
	layer_totals_add(&c->totals, &more->totals);
	return left_out_append(&c->left_out, &more->left_out) &&
	       append_ranges(&c->missing, &more->missing) &&
	       append_ranges(&c->unreadable, &more->unreadable);
}

bool contents_next_left_out(const struct contents *c, uint64_t *offset, uint64_t *length)
{
	return left_out_next(&c->left_out, offset, length);
}

bool contents_not_there(const struct contents *c, struct range_list *list)
{
	const struct range_list *parts[] = { &c->missing, &c->unreadable };

	*list = (struct range_list){ 0 };
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (size_t n = 0; n < parts[i]->count; n++)
			if (!range_list_add(list, parts[i]->ranges[n].offset, parts[i]->ranges[n].length))
				return false;
	range_list_sort(list);
	range_list_merge(list);
	return true;
}
