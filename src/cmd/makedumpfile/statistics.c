// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "cmd/makedumpfile/say.h"
#include "cmd/makedumpfile/statistics.h"

/* Numbers of pages. */
struct statistics {
	uint64_t original, remaining, zero, cache, private, user, free, poisoned, offline, end;
	uint64_t written;		/* bytes */
};

static void count_left_out(struct statistics *s, const struct capture_progress *p, uint32_t page_size)
{
	struct class_amounts amounts;
	const uint64_t *of = amounts.left_out;

	capture_class_amounts(p, &amounts);
	s->cache = (of[CLASS_CLEAN] + of[CLASS_DIRTY]) / page_size;
	s->private = of[CLASS_PRIVATE] / page_size;
	s->user = (of[CLASS_ANONYMOUS] + of[CLASS_HUGETLB]) / page_size;
	s->free = (of[CLASS_FREE] + of[CLASS_CPU_FREE] + of[CLASS_UNACCEPTED]) / page_size;
	s->poisoned = of[CLASS_POISONED] / page_size;
	s->offline = of[CLASS_OFFLINE] / page_size;
}

static void count(struct statistics *s, struct nsplit *nsplit)
{
	const struct pages *pages = &nsplit->dump.pages;
	struct capture_progress p;

	capture_get_progress(nsplit->capture, &p);
	*s = (struct statistics){
		.original = pages->in_core, .end = pages->end, .written = p.member_bytes,
		/* They are in the dump, but share one page: makedumpfile counts them as excluded, too. */
		.zero = nsplit->options.left_out.zero ? min_u64(p.blocks[BLOCK_ZERO], pages->count) : 0,
	};
	s->remaining = pages->count - s->zero;
	if (p.layers > 1)
		count_left_out(s, &p, pages->page_size);
}

void statistics_print(const struct makedumpfile_options *o, struct nsplit *nsplit)
{
	struct statistics s;

	if (!makedumpfile_says(o, SAY_REPORT))
		return;
	count(&s, nsplit);
	say(o, SAY_REPORT, "\nOriginal pages  : 0x%016" PRIx64 "\n", s.original);
	say(o, SAY_REPORT, "  Excluded pages   : 0x%016" PRIx64 "\n", s.original - s.remaining);
	say(o, SAY_REPORT, "    Pages filled with zero  : 0x%016" PRIx64 "\n", s.zero);
	say(o, SAY_REPORT, "    Non-private cache pages : 0x%016" PRIx64 "\n", s.cache);
	say(o, SAY_REPORT, "    Private cache pages     : 0x%016" PRIx64 "\n", s.private);
	say(o, SAY_REPORT, "    User process data pages : 0x%016" PRIx64 "\n", s.user);
	say(o, SAY_REPORT, "    Free pages              : 0x%016" PRIx64 "\n", s.free);
	say(o, SAY_REPORT, "    Hwpoison pages          : 0x%016" PRIx64 "\n", s.poisoned);
	say(o, SAY_REPORT, "    Offline pages           : 0x%016" PRIx64 "\n", s.offline);
	say(o, SAY_REPORT, "  Remaining pages  : 0x%016" PRIx64 "\n", s.remaining);
	say(o, SAY_REPORT, "  (The number of pages is reduced to %" PRIu64 "%%.)\n",
	    s.original ? s.remaining * 100 / s.original : 100);
	say(o, SAY_REPORT, "Memory Hole     : 0x%016" PRIx64 "\n", s.end - min_u64(s.original, s.end));
	say(o, SAY_REPORT, "--------------------------------------------------\n");
	say(o, SAY_REPORT, "Total pages     : 0x%016" PRIx64 "\n", s.end);
	say(o, SAY_REPORT, "Write bytes     : %" PRIu64 "\n", s.written);
}
