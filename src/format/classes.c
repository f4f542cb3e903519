// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "format/classes.h"

enum { LAYER_MASK = 0x0f, STATE_SHIFT = 4 };

const char *layer_class_name(unsigned number)
{
	static const char *const names[CLASSES] = {
		[CLASS_KERNEL] = "kernel",
		[CLASS_MAP] = "map",
		[CLASS_PRIVATE] = "private",
		[CLASS_DIRTY] = "dirty",
		[CLASS_CLEAN] = "clean",
		[CLASS_ANONYMOUS] = "anonymous",
		[CLASS_HUGETLB] = "hugetlb",
		[CLASS_CPU_FREE] = "cpu-free",
		[CLASS_FREE] = "free",
		[CLASS_UNACCEPTED] = "unaccepted",
		[CLASS_OFFLINE] = "offline",
		[CLASS_POISONED] = "poisoned",
		[CLASS_SECOND] = "second place",
		"class 13", "class 14", "class 15",
	};

	return names[number];
}

uint8_t class_entry(enum class_state state, unsigned layer)
{
	return (uint8_t)((unsigned)state << STATE_SHIFT | layer);
}

enum class_state class_state(const struct class_table *table, unsigned number)
{
	return (enum class_state)(table->of[number] >> STATE_SHIFT);
}

unsigned class_layer(const struct class_table *table, unsigned number)
{
	return table->of[number] & LAYER_MASK;
}

struct class_table class_table_plain(void)
{
	struct class_table table;

	memset(table.of, class_entry(CLASS_SAVED, 1), sizeof(table.of));
	return table;
}

bool class_table_is_plain(const struct class_table *table)
{
	struct class_table plain = class_table_plain();

	return !memcmp(table->of, plain.of, sizeof(plain.of));
}

static bool entry_valid(const struct class_table *table, unsigned number)
{
	unsigned layer = class_layer(table, number);

	switch (class_state(table, number)) {
	case CLASS_SAVED:
		return layer >= 1;
	case CLASS_PLANNED_OUT:
	case CLASS_LEFT_OUT:
		return layer == 0;
	case CLASS_SAVED_AFTER_ALL:
		return layer >= 2;
	case CLASS_TWICE:
		return layer == 0 && number == CLASS_SECOND;
	default:
		return false;
	}
}

bool class_table_valid(const struct class_table *table)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (!entry_valid(table, i))
			return false;
	return table->of[CLASS_KERNEL] == class_entry(CLASS_SAVED, 1);
}

void class_table_merge(struct class_table *table, const struct class_table *other)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (other->of[i] > table->of[i])
			table->of[i] = other->of[i];
}
