// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/njoin/report.h"
#include "set/dump.h"

const char records_not_checked[] = "records: not checked; njoin --verify checks them";

enum njoin_finding njoin_failed(const struct error *e)
{
	message("%s", e->text);
	return e->status == STATUS_USAGE ? FOUND_USAGE : FOUND_FAILURE;
}

/* Where the pages are in memory. */
static void report_pages(struct njoin_findings *f, uint64_t offset, uint64_t length)
{
	uint64_t some;

	for (uint64_t end = offset + length; offset < end; offset += some) {
		uint64_t address = dump_address(f->dump, offset, &some);

		some = min_u64(some, end - offset);
		if (message_list_next(&f->unreadable) == ENTRY_LISTED)
			message("missing: physical 0x%" PRIx64 " to 0x%" PRIx64, address, address + some - 1);
	}
}

void njoin_report_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct njoin_findings *f = arg;
	uint64_t last = offset + length - 1;

	if (f->dump) {
		report_pages(f, offset, length);
		return;
	}
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

	if (more && f->dump)
		message("missing: %u more range%s", more, plural(more));
	else if (more && f->plain)
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
