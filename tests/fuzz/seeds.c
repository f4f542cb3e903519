// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes inputs for the fuzz targets from recipes:
 *
 *	seeds DIRECTORY < RECIPES	into DIRECTORY/TARGET/NAME
 *	seeds -d < INPUT		the recipe of these bytes
 *
 * tests/unit/recipe.h describes recipes.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/helper.h"
#include "../unit/recipe.h"
#include "base/bytes.h"

/* An input of fuzz_set begins with the offsets of the second and third member. */
static void note_cuts(const struct recipe *r, uint8_t head[RECIPE_HEAD])
{
	size_t end = 0;

	memcpy(head, r->head, RECIPE_HEAD);
	for (unsigned i = 0; i < r->count && i < 2; i++) {
		end += r->members[i].length;
		head[2 + 2 * i] = (uint8_t)(end / ALIGNMENT);
		head[3 + 2 * i] = (uint8_t)(end / ALIGNMENT >> 8);
	}
}

static void serve(const struct recipe *r)
{
	uint8_t head[RECIPE_HEAD];
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", r->target, r->name);
	mkdir(r->target, 0777);
	f = fopen(path, "wb");
	ck_assert_msg(f != NULL, "%s cannot be written", path);
	note_cuts(r, head);
	if (r->has_head)
		fwrite(head, 1, sizeof(head), f);
	for (unsigned i = 0; i < r->count; i++)
		fwrite(r->members[i].bytes, 1, r->members[i].length, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* Runs of zeros are counted, since a member consists mostly of zeros. */
static void describe(void)
{
	size_t zeros = 0;
	bool in_bytes = false;
	int byte;

	while ((byte = getchar()) != EOF) {
		if (byte == 0) {
			zeros++;
			continue;
		}
		if (zeros >= 16) {
			printf(" zeros=%zu", zeros);
			in_bytes = false;
			zeros = 0;
		}
		if (!in_bytes)
			printf(" bytes=");
		in_bytes = true;
		for (; zeros; zeros--)
			printf("00");
		printf("%02x", (unsigned)byte);
	}
	if (zeros)
		printf(" zeros=%zu", zeros);
	printf("\n");
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-d")) {
		describe();
		return 0;
	}
	if (argc != 2 || chdir(argv[1]) < 0) {
		fprintf(stderr, "usage: seeds DIRECTORY | -d\n");
		return 2;
	}
	return recipe_run(serve);
}
