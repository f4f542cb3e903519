// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

#include "base/size.h"
#include "cmd/message.h"
#include "cmd/njoin_layers.h"

enum { CLASSES_TEXT = CLASSES * (SIZE_TEXT_LENGTH + 16) };

/* "clean 1.2 GiB, free 512 MiB"; returns the sum. */
static uint64_t describe(const uint64_t *of_class, char text[CLASSES_TEXT])
{
	char size[SIZE_TEXT_LENGTH];
	uint64_t sum = 0;
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < CLASSES; i++) {
		if (!of_class[i])
			continue;
		at += (size_t)snprintf(text + at, CLASSES_TEXT - at, "%s%s %s", at ? ", " : "",
				       layer_class_name(i), size_format(of_class[i], size));
		sum += of_class[i];
	}
	return sum;
}

void njoin_report_layers(const struct njoin *njoin)
{
	char text[CLASSES_TEXT], size[SIZE_TEXT_LENGTH];
	uint64_t sum;

	if (!set_has_layers(&njoin->set) || njoin->options.quiet)
		return;
	sum = describe(walk_totals(njoin->walk)->left_out, text);
	if (sum)
		message("left out: %s (%s)", size_format(sum, size), text);
}
