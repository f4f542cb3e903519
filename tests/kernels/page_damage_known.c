// SPDX-License-Identifier: GPL-2.0-or-later
/* The damage by which pages are lost, although all that can be checked is; doc/pages.md has the figures. */
#include "config.h"

#include <string.h>

#include "page_damage.h"

static const struct {
	const char *name;		/* how the names of the cases begin */
	uint64_t most;			/* pages */
	const char *why;
} known[] = {
	{ "none", 0, "" },
};

const char *damage_known(const char *name, uint64_t lost)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(name, known[i].name, strlen(known[i].name)) && lost <= known[i].most)
			return known[i].why;
	return NULL;
}
