// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets from recipes:
 *
 *	cook DIRECTORY < RECIPES
 *
 * makes DIRECTORY/NAME for each, and in it the members m0, m1...; the bytes of the source
 * as source; the recipe's target as kind; and the map of a dump.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/helper.h"
#include "../unit/recipe.h"

static void put(const char *directory, const char *name, const void *bytes, size_t length)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	helper_write_file(path, bytes, length);
}

static void serve(const struct recipe *r)
{
	ck_assert_int_eq(mkdir(r->name, 0777), 0);
	put(r->name, "kind", r->target, strlen(r->target));
	put(r->name, "source", r->source ? r->source : (const uint8_t *)"", r->source_length);
	if (*r->map)
		put(r->name, "map", r->map, strlen(r->map));
	for (unsigned i = 0; i < r->count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "m%u", i);
		put(r->name, name, r->members[i].bytes, r->members[i].length);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2 || chdir(argv[1]) < 0) {
		fprintf(stderr, "usage: cook DIRECTORY\n");
		return 2;
	}
	return recipe_run(serve);
}
