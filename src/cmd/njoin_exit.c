// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/njoin_exit.h"
#include "cmd/njoin_outputs.h"

/* njoin(1), EXIT STATUS, describes this table. */
static const struct {
	enum exit_status usual;
	enum exit_status lenient;	/* --salvage, --info, --list, --dmesg */
} exit_statuses[] = {
	[FOUND_PERFECT]    = { EXIT_PERFECT,    EXIT_PERFECT },
	[FOUND_UNREADABLE] = { EXIT_INCOMPLETE, EXIT_INCOMPLETE },
	[FOUND_INCOMPLETE] = { EXIT_FAILED,     EXIT_INCOMPLETE },
	[FOUND_FAILURE]    = { EXIT_FAILED,     EXIT_FAILED },
	[FOUND_USAGE]      = { EXIT_USAGE,      EXIT_USAGE },
};

static bool is_lenient(const struct njoin_options *o)
{
	return o->salvage || o->mode == NJOIN_INFO || o->mode == NJOIN_LIST || o->mode == NJOIN_DMESG;
}

enum exit_status njoin_exit_status(const struct njoin_options *o, enum njoin_finding worst)
{
	return is_lenient(o) ? exit_statuses[worst].lenient : exit_statuses[worst].usual;
}

enum njoin_finding njoin_failed(const struct error *e)
{
	message("%s", e->text);
	return e->status == STATUS_USAGE ? FOUND_USAGE : FOUND_FAILURE;
}

void njoin_die(struct njoin *njoin)
{
	njoin_free_outputs(njoin);
	message_settle();
	signals_raise(njoin->stop.signal);
}
