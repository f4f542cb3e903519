// SPDX-License-Identifier: GPL-2.0-or-later
/* What njoin does differently if the set is a dump (set/dump.h). */
#ifndef NSPLIT_CMD_NJOIN_DUMP_H
#define NSPLIT_CMD_NJOIN_DUMP_H

#include "base/json.h"
#include "cmd/njoin/njoin.h"

/*
 * Called once the set is open: a dump is written as a dump unless --format says otherwise.
 * STATUS_USAGE: the dump level needs pages that it does not have, or an option does not go with a
 * dump.
 */
enum status njoin_check_dump(const struct set *set, struct njoin_options *o, struct error *e);

/* Reports why pages of a file may be missing.  Returns whether it has reported anything. */
bool njoin_report_file(const struct dump_file *f);
/* Reports why a dump is incomplete, and how many pages are missing. */
void njoin_report_dump(const struct njoin_findings *f);

/* Lines that describe a dump, and the members of a JSON object. */
void dump_print(const struct dump *d);
void dump_json(struct json *json, const struct dump *d);

/* --info: as info_print(). */
bool dump_info_print(const struct njoin_options *o, const struct set *set, const struct set_absent *absent);

#endif
