// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "cmd/captured.h"
#include "cmd/class_amounts.h"
#include "cmd/njoin_layers.h"
#include "cmd/njoin_report.h"

static void report_damage(void *arg, size_t location, const struct error *e)
{
	(void)location;
	njoin_report_damage(arg, e);
}

enum status njoin_find_absent(struct njoin *njoin, struct error *e)
{
	const struct missing_watch watch = { .damaged = report_damage, .arg = njoin };
	/* Without layers, a walk reports all damage, and so does the first one of --salvage. */
	bool silent = !set_has_layers(&njoin->set) ||
		      (njoin->options.mode == NJOIN_WRITE && njoin->options.salvage);
	enum status status = STATUS_OK;

	if (!njoin->absent_known)
		status = set_absent_find(&njoin->absent, &njoin->set, silent ? NULL : &watch, e);
	njoin->absent_known = !status;
	return status;
}

bool njoin_next_missing(const struct njoin *njoin, uint64_t *offset, uint64_t *length)
{
	const struct range_list *missing = &njoin->absent.contents.missing;
	size_t i = ranges_find(missing->ranges, missing->count, *offset);
	uint64_t end;

	if (i == missing->count)
		return false;
	end = missing->ranges[i].offset + missing->ranges[i].length;
	*offset = max_u64(*offset, missing->ranges[i].offset);
	*length = end - *offset;
	return true;
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

/* Are the totals those of the whole source?  If only records are left, its end is not known. */
static bool is_whole_source(const struct njoin *njoin)
{
	return !njoin->set.assumed && !njoin->from && njoin->to >= njoin->set.source_size;
}

void njoin_report_missing_classes(const struct njoin *njoin)
{
	const struct layer_totals *totals = njoin->walk ? walk_totals(njoin->walk) :
							  &njoin->absent.contents.totals;
	char text[CLASS_AMOUNTS_LENGTH];
	unsigned complete = 0;

	if (!set_has_layers(&njoin->set))
		return;
	if (class_amounts_format(totals->missing, text))
		message("missing of known classes: %s", text);
	if (is_whole_source(njoin))
		complete = layer_totals_complete(totals, &njoin->set.classes);
	if (complete)
		message("complete: layers up to %u", complete);
}

void njoin_report_layers(const struct njoin *njoin)
{
	if (set_has_layers(&njoin->set) && !njoin->options.quiet)
		captured_report(walk_totals(njoin->walk));
}
