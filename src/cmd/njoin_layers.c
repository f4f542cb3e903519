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

enum status njoin_find_absent(struct njoin *njoin, struct error *e)
{
	enum status status = STATUS_OK;

	if (!njoin->absent_known)
		status = set_absent_find(&njoin->absent, &njoin->set, NULL, e);
	njoin->absent_known = !status;
	return status;
}

bool njoin_must_be_complete(const struct njoin *njoin)
{
	const struct njoin_options *o = &njoin->options;

	if (!set_has_layers(&njoin->set) || o->mode != NJOIN_WRITE || o->salvage)
		return false;
	for (size_t i = 0; i < njoin->outputs_count; i++)
		if (njoin->outputs[i].kind != OUTPUT_FILE)
			return true;
	return o->format == NJOIN_KDUMP;
}

void njoin_report_layers(const struct njoin *njoin)
{
	char text[CLASSES_TEXT], size[SIZE_TEXT_LENGTH];
	uint64_t sum;

	if (!set_has_layers(&njoin->set) || njoin->options.quiet)
		return;
	sum = describe(walk_totals(njoin->walk)->left_out, text);
	if (sum)
		message("left out when captured: %s (%s)", size_format(sum, size), text);
}
