// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "set/read/extent.h"

enum status extent_error(const struct extent *x, struct error *e)
{
	if (x->kind == EXTENT_UNREADABLE)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " could not be read during the capture",
				 x->offset);
	return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is not in any member", x->offset);
}

void layer_totals_count(struct layer_totals *totals, const struct extent *x, uint64_t length)
{
	struct class_totals *t = x->second ? &totals->second : &totals->memory;

	switch (x->kind) {
	case EXTENT_STORED:
	case EXTENT_ZERO:
		t->kept[x->class_number] += length;
		break;
	case EXTENT_UNREADABLE:
		t->unreadable += length;
		break;
	case EXTENT_LEFT_OUT:
		t->left_out[x->class_number] += length;
		break;
	case EXTENT_UNKNOWN:
		t->unknown += length;
		break;
	default:
		t->missing[x->class_number] += length;
	}
}

static void add(struct class_totals *sum, const struct class_totals *t)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		sum->kept[i] += t->kept[i];
		sum->left_out[i] += t->left_out[i];
		sum->missing[i] += t->missing[i];
	}
	sum->unreadable += t->unreadable;
	sum->unknown += t->unknown;
}

void layer_totals_add(struct layer_totals *sum, const struct layer_totals *t)
{
	add(&sum->memory, &t->memory);
	add(&sum->second, &t->second);
}

static bool is_complete(const struct layer_totals *t, const struct class_table *classes,
			unsigned layer)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_layer(classes, i) == layer && (t->memory.missing[i] || t->second.missing[i]))
			return false;
	return true;
}

unsigned layer_totals_complete(const struct layer_totals *t, const struct class_table *classes)
{
	unsigned last = 0, complete = 0;

	/* Each granule is in a record of layer 1. */
	if (t->memory.unknown || t->second.unknown)
		return 0;
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_layer(classes, i) > last)
			last = class_layer(classes, i);
	while (complete < last && is_complete(t, classes, complete + 1))
		complete++;
	return complete;
}

uint64_t layer_totals_sum(const uint64_t of_class[CLASSES])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		sum += of_class[i];
	return sum;
}

uint64_t layer_totals_second(const struct layer_totals *t)
{
	const struct class_totals *s = &t->second;

	return layer_totals_sum(s->kept) + layer_totals_sum(s->left_out) + layer_totals_sum(s->missing) +
	       s->unreadable + s->unknown;
}
