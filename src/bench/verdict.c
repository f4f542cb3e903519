// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "bench/verdict.h"

static void count(struct verdict *v, enum judged kind, bool there, const struct summary *s)
{
	if (!there)
		return;
	v->kinds[kind].figures++;
	v->kinds[kind].reliable += !summary_is_wide(s);
	v->kinds[kind].rounds = max_u64(v->kinds[kind].rounds, s->count);
	if (s->spread > v->kinds[kind].widest)
		v->kinds[kind].widest = s->spread;
	v->few &= s->count < COUNT_FEW;
}

static void count_rate(struct verdict *v, enum judged kind, const struct cell *cell,
		       enum measure what)
{
	struct summary s;

	count(v, kind, samples_summary(&cell->rate[what], &s), &s);
}

static void count_share(struct verdict *v, const struct cell *cell, enum measure what)
{
	struct summary s;

	count(v, JUDGED_SHARES, cell_share(cell, what, &s), &s);
}

struct verdict verdict_of(const struct cell *cells, size_t cells_count)
{
	struct verdict v = { .few = true };

	for (const struct cell *cell = cells; cell < cells + cells_count; cell++) {
		count_rate(&v, JUDGED_CAPTURES, cell, MEASURE_CAPTURE);
		count_rate(&v, JUDGED_VERIFIES, cell, MEASURE_VERIFY);
		count_rate(&v, JUDGED_JOINS, cell, MEASURE_JOIN);
		count_rate(&v, JUDGED_CEILINGS, cell, MEASURE_PACK);
		count_rate(&v, JUDGED_CEILINGS, cell, MEASURE_UNPACK);
		for (int what = MEASURE_CAPTURE; what < MEASURES; what++)
			count_share(&v, cell, what);
	}
	return v;
}

static bool is_reliable(const struct verdict *v, enum judged kind)
{
	return v->kinds[kind].reliable == v->kinds[kind].figures;
}

bool verdict_speeds_reliable(const struct verdict *v)
{
	return is_reliable(v, JUDGED_CAPTURES) && is_reliable(v, JUDGED_VERIFIES) &&
	       is_reliable(v, JUDGED_JOINS);
}

bool verdict_shares_reliable(const struct verdict *v)
{
	return is_reliable(v, JUDGED_SHARES);
}

bool verdict_all_reliable(const struct verdict *v)
{
	return verdict_speeds_reliable(v) && verdict_shares_reliable(v) &&
	       is_reliable(v, JUDGED_CEILINGS);
}
