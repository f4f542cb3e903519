// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the granules of sets with layers are:
 *
 *	layer_map DIRECTORY...
 *
 * prints NAME MAP for each set that cook made: a letter for each granule, as in
 * tests/unit/layer_oracle.h; "-" if it finds no set with layers.  Fails if what is stored is not as in
 * the file source.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/helper.h"
#include "../unit/layer_oracle.h"

enum { MEMBERS = 8, NAME = 256 };

/* For the one test, since helpers use the assertions of check. */
static char **directories;

static bool read_file(const char *directory, const char *name, struct oracle_member *m)
{
	char path[NAME];
	FILE *file;
	long length;
	uint8_t *bytes;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "rb");
	if (!file)
		return false;
	ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
	length = ftell(file);
	rewind(file);
	bytes = helper_pages((size_t)length + 1);
	ck_assert_uint_eq(fread(bytes, 1, (size_t)length, file), (size_t)length);
	fclose(file);
	*m = (struct oracle_member){ bytes, (size_t)length };
	return true;
}

/* All that is stored must be right; nothing else may differ from zeros. */
static void compare(const struct oracle *o, const char *directory)
{
	struct oracle_member source;

	ck_assert(read_file(directory, "source", &source));
	for (uint64_t at = 0; at < o->set.source_size; at += GRANULE) {
		uint64_t left = o->set.source_size - at;
		size_t length = left < GRANULE ? left : GRANULE;
		static const uint8_t zeros[GRANULE];
		bool stored = o->map[at / GRANULE] == ORACLE_STORED;

		ck_assert_msg(!stored || at + length <= source.length, "%s: too short", directory);
		ck_assert_msg(!memcmp(o->source + at, stored ? source.bytes + at : zeros, length),
			      "%s: granule %llu differs", directory,
			      (unsigned long long)(at / GRANULE));
	}
	free((void *)(uintptr_t)source.bytes);
}

static void print_map(const char *directory)
{
	struct oracle_member members[MEMBERS];
	const char *name = strrchr(directory, '/');
	unsigned count = 0;
	char file[NAME];
	struct oracle o;

	do
		snprintf(file, sizeof(file), "m%u", count);
	while (read_file(directory, file, &members[count]) && ++count < MEMBERS);
	oracle_read(&o, members, count);
	printf("%s %s\n", name ? name + 1 : directory, o.map ? o.map : "-");
	if (o.map)
		compare(&o, directory);
	oracle_free(&o);
	while (count)
		free((void *)(uintptr_t)members[--count].bytes);
}

START_TEST(test_maps)
{
	for (char **directory = directories; *directory; directory++)
		print_map(*directory);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("layer_map");
	TCase *tcase = tcase_create("layer_map");

	if (argc < 2) {
		fprintf(stderr, "usage: layer_map DIRECTORY...\n");
		return 2;
	}
	directories = argv + 1;
	tcase_add_test(tcase, test_maps);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
