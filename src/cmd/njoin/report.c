// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/text.h"
#include "cmd/njoin/report.h"

const char records_not_checked[] = "records: not checked; njoin --verify checks them";

enum njoin_finding njoin_failed(const struct error *e)
{
	message("%s", e->text);
	return e->status == STATUS_USAGE ? FOUND_USAGE : FOUND_FAILURE;
}

void njoin_report_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct njoin_findings *f = arg;
	uint64_t last = offset + length - 1;

	if (message_list_next(&f->unreadable) != ENTRY_LISTED)
		return;
	if (f->plain)
		message("unreadable: bytes %" PRIu64 " to %" PRIu64, offset, last);
	else
		message("unreadable when captured: bytes %" PRIu64 " to %" PRIu64, offset, last);
}

void njoin_report_more_unreadable(const struct njoin_findings *f)
{
	unsigned more = message_list_more(&f->unreadable);

	if (more && f->plain)
		message("unreadable: %u more range%s", more, plural(more));
	else if (more)
		message("unreadable when captured: %u more range%s", more, plural(more));
}

void njoin_report_damage(void *arg, const struct error *e)
{
	struct njoin_findings *f = arg;
	enum message_entry entry = message_list_next(&f->damage);

	if (entry == ENTRY_LISTED)
		message("%s", e->text);
	else if (entry == ENTRY_FIRST_OMITTED)
		message("further damage is not listed");
}
