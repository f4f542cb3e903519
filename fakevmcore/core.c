// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "fakevmcore/core.h"
#include "fakevmcore/elfhead.h"

struct core core_default(void)
{
	return (struct core){
		.pattern = {
			.kind = PATTERN_MIXED,
			.block_size = PATTERN_BLOCK_DEFAULT,
			.pool_size = PATTERN_POOL_DEFAULT,
		},
	};
}

enum status core_pattern(const char *text, const char *what, enum pattern_kind *kind,
			 struct error *e)
{
	for (unsigned i = 0; pattern_name(i); i++) {
		if (strcmp(text, pattern_name(i)) == 0) {
			*kind = (enum pattern_kind)i;
			return STATUS_OK;
		}
	}
	return error_set(e, STATUS_USAGE, "%s '%s' is not one of random, zero, same, text, mixed",
			 what, text);
}

enum status core_check(const struct core *core, struct error *e)
{
	const char *problem = pattern_problem(&core->pattern);

	if (!problem)
		problem = elfhead_problem(core->size);
	return problem ? error_set(e, STATUS_USAGE, "%s", problem) : STATUS_OK;
}

size_t core_make(const struct core *core, uint64_t offset, uint8_t *piece)
{
	const struct pattern *p = &core->pattern;
	uint64_t left = core->size - offset;
	size_t len = left < CORE_PIECE ? left : CORE_PIECE;

	for (size_t done = 0; done < len; done += p->block_size)
		pattern_fill(p, (offset + done) / p->block_size, piece + done);
	if (offset == 0)
		elfhead_build(core->size, piece);
	return len;
}
