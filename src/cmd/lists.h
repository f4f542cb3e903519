// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists on a command line: 1,2,4-8 and 4K,64K and 50M,50M,5M. */
#ifndef NSPLIT_CMD_LISTS_H
#define NSPLIT_CMD_LISTS_H

#include "bench/settings.h"

struct list_kind {
	const char *option;		/* for the error */
	uint64_t least, most;
	bool sizes;			/* with suffixes; no ranges */
	const char *word;		/* stands for 0; NULL: none does */
};

/* In place of what the list held. */
enum status list_parse(struct numbers *list, const char *text, const struct list_kind *kind,
		       struct error *e);
enum status list_append(struct numbers *list, uint64_t value, struct error *e);
void list_free(struct numbers *list);

/* NAME[:LEVEL],... likewise. */
enum status codecs_parse(struct bench_settings *settings, const char *text, struct error *e);
void codecs_free(struct bench_settings *settings);

#endif
