// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --stats: what a capture did, as JSON.  nsplit-check(1), JSON OBJECTS, describes the keys. */
#ifndef NSPLIT_CMD_NSPLIT_STATS_H
#define NSPLIT_CMD_NSPLIT_STATS_H

#include "cmd/common/page_policy.h"
#include "cmd/nsplit/options.h"
#include "io/existing.h"

struct nsplit_digest;

/* "file", "block device", ... */
const char *nsplit_sink_kind(const struct sink *sink);

/* The file of --stats. */
struct side_file nsplit_stats_file(const struct nsplit_options *o);
/* Writes it. */
enum status nsplit_stats_write(const struct nsplit_options *o, struct capture *c,
			       const struct page_policy *layers, const struct source *source,
			       const struct sink *sinks, const struct nsplit_digest *digests,
			       enum status outcome, struct error *e);

#endif
