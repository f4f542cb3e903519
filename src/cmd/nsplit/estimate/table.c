// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows and columns of the table of sizes: dump levels, and codecs. */
#include "config.h"

#include "cmd/nsplit/estimate/estimate.h"
#include "core/kinds/page_class.h"

const char *nsplit_estimate_preset(const struct nsplit_estimate *n, unsigned preset, char text[PRESET_TEXT_LENGTH])
{
	return preset_format(&n->pages.settings.presets[preset], text);
}

bool nsplit_estimate_level(const struct nsplit_estimate *n, unsigned number, unsigned *level)
{
	/* Nothing is left out; free pages; also those of processes; also those of files. */
	static const unsigned usual[] = { 0, 16, 24, 31 };
	const unsigned count = sizeof(usual) / sizeof(usual[0]);
	unsigned shown = 0;
	bool own = false;

	for (unsigned i = 0; i < count; i++) {
		if (dump_level_classes(usual[i]) == dump_level_classes(n->level))
			own = true;
		if (shown++ == number) {
			*level = usual[i];
			return true;
		}
	}
	*level = n->level;
	return !own && number == count;
}
