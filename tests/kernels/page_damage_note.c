// SPDX-License-Identifier: GPL-2.0-or-later
/* VMCOREINFO with keys removed, altered and repeated, and cut at each line. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "page_damage.h"

enum { TEXT_MAX = 65536 };

struct line {
	const char *text;
	size_t length;			/* with the line feed */
	size_t key;			/* up to and with "=" */
};

/* A note that is made of parts of another one. */
struct made {
	char text[TEXT_MAX];
	size_t size;
};

static void add(struct made *m, const char *text, size_t length)
{
	if (length > TEXT_MAX - m->size)
		damage_die("a note", "is too large");
	memcpy(m->text + m->size, text, length);
	m->size += length;
}

static void add_value(struct made *m, const struct line *line, const char *value)
{
	add(m, line->text, line->key);
	add(m, value, strlen(value));
	add(m, "\n", 1);
}

static void run_made(struct damage *d, const struct made *m, const struct line *line, const char *what)
{
	const struct vmcoreinfo info = { .text = m->text, .size = m->size };
	char name[128];

	snprintf(name, sizeof(name), "%.*s %s", (int)line->key - 1, line->text, what);
	damage_case(d, name, &info);
}

/* Replaces the value of a line; NULL removes the line. */
static void run_note(struct damage *d, const struct line *line, const char *value)
{
	const char *begin = d->info.text, *end = begin + d->info.size, *after = line->text + line->length;
	static struct made m;

	m.size = 0;
	add(&m, begin, (size_t)(line->text - begin));
	if (value)
		add_value(&m, line, value);
	add(&m, after, (size_t)(end - after));
	run_made(d, &m, line, value ? value : "removed");
}

/* The same key with another value, before and after the right one. */
static void repeat(struct damage *d, const struct line *line)
{
	const char *begin = d->info.text, *end = begin + d->info.size, *after = line->text + line->length;
	static struct made m;

	for (int first = 0; first < 2; first++) {
		m.size = 0;
		add(&m, begin, (size_t)((first ? line->text : after) - begin));
		add_value(&m, line, "8");
		add(&m, first ? line->text : after, (size_t)(end - (first ? line->text : after)));
		run_made(d, &m, line, first ? "is there twice, first with 8" : "is there twice, then with 8");
	}
}

/* Values that a number in another note could have. */
static void alter(struct damage *d, const struct line *line)
{
	const long long add[] = { 1, -1, 2, -2, 4, -4, 8, -8, 16, -16, 64, 4096, -4096 };
	const long long set[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				  22, 23, 24, 32, 40, 48, 56, 63, 64, 128, 255, 256, -1, -2, -128, -129,
				  -257, 0x7fffffff };
	bool hex = strncmp(line->text, "SYMBOL", 6) == 0;
	char value[64], *end;
	unsigned long long old;

	memcpy(value, line->text + line->key, min_u64(line->length - line->key, sizeof(value) - 1));
	value[min_u64(line->length - line->key - 1, sizeof(value) - 1)] = '\0';
	old = strtoull(value, &end, hex ? 16 : 0);
	if (end == value || *end)
		return;
	for (size_t i = 0; i < sizeof(add) / sizeof(add[0]); i++) {
		snprintf(value, sizeof(value), hex ? "%llx" : "%lld", old + (unsigned long long)add[i]);
		run_note(d, line, value);
	}
	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]) && !hex; i++) {
		snprintf(value, sizeof(value), "%lld", set[i]);
		run_note(d, line, value);
	}
}

/* Page types as other types of the same kernel are. */
static void alter_type(struct damage *d, const struct line *line)
{
	char value[64];

	if (!memmem(line->text, line->key, "_MAPCOUNT_VALUE", 15))
		return;
	for (unsigned type = 0xe0; type <= 0xff; type++) {
		snprintf(value, sizeof(value), "%d", (int)(type << 24));
		run_note(d, line, value);
	}
	for (unsigned bit = 2; bit < 32; bit++) {
		snprintf(value, sizeof(value), "%d", (int)~(1U << bit));
		run_note(d, line, value);
	}
}

static void cut(struct damage *d, size_t size)
{
	const struct vmcoreinfo info = { .text = d->info.text, .size = size };
	char name[64];

	snprintf(name, sizeof(name), "cut after %zu bytes", size);
	damage_case(d, name, &info);
}

/* Lines that no reader of pages uses change nothing; they are removed, but not altered. */
static bool is_used(const struct line *line)
{
	const char *const others[] = { "prb", "printk", "dev_", "kallsyms", "latched", "atomic", "clear_seq",
				       "BUILD-ID", "CRASHTIME", "OSRELEASE", "vmap", "log_" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (memmem(line->text, line->key, others[i], strlen(others[i])))
			return false;
	return true;
}

void damage_note(struct damage *d)
{
	const char *at = d->info.text, *end = at + d->info.size;

	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at)), *equal;
		struct line line = { .text = at };

		if (!feed)
			break;
		line.length = (size_t)(feed - at) + 1;
		equal = memchr(at, '=', line.length);
		at = feed + 1;
		if (!equal)
			continue;
		line.key = (size_t)(equal - line.text) + 1;
		cut(d, (size_t)(line.text - d->info.text));
		run_note(d, &line, NULL);
		if (!is_used(&line))
			continue;
		repeat(d, &line);
		alter(d, &line);
		alter_type(d, &line);
	}
}
