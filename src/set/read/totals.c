// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "set/read/extent.h"
#include "set/read/totals.h"

void layer_totals_count(struct layer_totals *t, const struct extent *x, uint64_t length)
{
	switch (x->kind) {
	case EXTENT_STORED:
	case EXTENT_ZERO:
		t->second += x->second ? length : 0;
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

void layer_totals_add(struct layer_totals *sum, const struct layer_totals *t)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		sum->kept[i] += t->kept[i];
		sum->left_out[i] += t->left_out[i];
		sum->missing[i] += t->missing[i];
	}
	sum->second += t->second;
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
