// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	classify CORE
 *
 * Seconds that it takes to find the class of each page of a core, as a capture at dump level 31 does it,
 * in one thread: to open the filter, to classify all units, and to judge the classes.  Exit status 2: there
 * are no figures.
 */
#include "config.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "core/kinds/page_class.h"
#include "die.h"
#include "filter/filter.h"
#include "format/format.h"
#include "io/source.h"

enum { UNIT_SIZE = 1 << 20 };

static void classify_all(struct filter *filter, const struct source *source)
{
	struct value_run list[UNIT_SIZE / GRANULE];

	for (uint64_t offset = 0; offset < source->size; offset += UNIT_SIZE)
		filter_classify(filter, 0, offset,
				(uint32_t)divide_up(min_u64(UNIT_SIZE, source->size - offset), GRANULE),
				&(struct runs){ .list = list });
}

int main(int argc, char **argv)
{
	char reason[FILTER_REASON_LENGTH] = "";
	double began, opened, classified;
	struct class_table plan;
	struct source *source;
	struct filter *filter;
	const struct filter_wishes wishes = { .classes = dump_level_classes(31) };
	unsigned layers;
	struct error e;

	if (argc != 2)
		die("usage", "classify CORE");
	if (source_open(&source, argv[1], MMAP_AUTO, &e))
		die("the core", e.text);
	began = clock_seconds();
	if (filter_open(&filter, source, &wishes, &e) || filter_start(filter, 1, UNIT_SIZE, true, &e))
		die("nothing can be left out", e.text);
	opened = clock_seconds();
	classify_all(filter, source);
	classified = clock_seconds();
	layers = filter_plan(source, &wishes, &plan);
	filter_judge(filter, 0, layers - 1, &plan, reason);
	printf("open: %.6f\nclassify: %.6f\njudge: %.6f\n", opened - began, classified - opened,
	       clock_seconds() - classified);
	if (reason[0])
		die("a class is not believed", reason);
	filter_close(filter);
	source_close(source);
	return 0;
}
