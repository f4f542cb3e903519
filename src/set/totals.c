// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "set/cell.h"
#include "set/totals.h"

void layer_totals_count(struct layer_totals *t, const struct cell_part *part, uint64_t length)
{
	unsigned number = part->class_number;

	switch (part->content) {
	case CONTENT_ALIAS:
		t->aliased += length;
		t->kept[number] += length;
		break;
	case CONTENT_STORED:
		t->kept[number] += length;
		break;
	case CONTENT_UNREADABLE:
		t->unreadable += length;
		break;
	case CONTENT_LEFT_OUT:
		t->left_out[number] += length;
		break;
	default:
		*(part->state == GRANULE_UNKNOWN ? &t->unknown : &t->missing[number]) += length;
	}
}

void layer_totals_add(struct layer_totals *sum, const struct layer_totals *t)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		sum->kept[i] += t->kept[i];
		sum->left_out[i] += t->left_out[i];
		sum->missing[i] += t->missing[i];
	}
	sum->aliased += t->aliased;
	sum->unreadable += t->unreadable;
	sum->unknown += t->unknown;
}

static bool is_complete(const struct layer_totals *t, const struct class_table *classes,
			unsigned layer)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_layer(classes, i) == layer && t->missing[i])
			return false;
	return true;
}

unsigned layer_totals_complete(const struct layer_totals *t, const struct class_table *classes)
{
	unsigned last = 0, complete = 0;

	/* Each granule is in a record of layer 1. */
	if (t->unknown)
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
