// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "set/dump.h"
#include "set/dump_codec.h"

bool dump_is_cut(const struct dump *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (dump_file_is_cut(&d->parts[i].file))
			return true;
	return false;
}

bool dump_lacks_files(const struct dump *d)
{
	size_t gaps = 0, unusable = 0;
	uint64_t at = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct dump_part *p = &d->parts[i];

		unusable += p->unusable != NULL;
		gaps += p->first_rank > at;
		at = max_u64(at, p->end_rank);
	}
	return gaps + (at < d->pages) > unusable;
}

bool dump_is_complete(const struct dump *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].unusable)
			return false;
	return !dump_is_cut(d) && !(d->flags & KDUMP_INCOMPLETE);
}

bool dump_is_intact(const struct dump *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].file.findings.count)
			return false;
	return dump_is_complete(d) && !d->findings.count;
}

const char *dump_codec_name(const struct dump *d)
{
	enum codec_id id;

	return kdump_codec_in(d->flags, &id) ? codec_id_name(id) : codec_raw.name;
}

uint64_t dump_stored(const struct dump *d)
{
	uint64_t stored = 0;

	for (size_t i = 0; i < d->count; i++)
		stored += d->parts[i].file.stored;
	return stored;
}

void dump_free(struct dump *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->count; i++) {
		dump_file_close(&d->parts[i].file);
		free(d->parts[i].unusable);
	}
	names_free(&d->findings);
	free(d->parts);
	free(d->head);
	free(d);
}
