// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptions on standard output, as text or JSON: njoin --info of a set, and --list of the core in it. */
#ifndef NSPLIT_CMD_NJOIN_DESCRIBE_H
#define NSPLIT_CMD_NJOIN_DESCRIBE_H

#include "base/json.h"
#include "cmd/njoin/njoin.h"
#include "export/set_absent.h"
#include "set/read/extent.h"

/* With layers, absent is what njoin_find_absent() found.  Returns whether the set is complete. */
bool info_print(const struct njoin_options *o, const struct set *set, const struct set_absent *absent);

/*
 * absent is what njoin_find_absent() found.  *complete: nothing is missing from the source or from the
 * core in it.
 */
enum status list_print(const struct njoin_options *o, const struct set *set,
		       const struct set_absent *absent, bool *complete, struct error *e);

/*
 * Prints a line for each class of pages that a capture with layers kept or left out.
 */
void captured_print(const struct set *set, const struct layer_totals *totals);
/* The same as one member of a JSON object. */
void captured_json(struct json *json, const struct set *set, const struct layer_totals *totals);

/* What makedumpfile has erased, as notes of the core say: lines, of which so many are listed; and strings. */
void erased_print(const struct core *core, unsigned limit);
void erased_json(struct json *json, const struct core *core);

/* Lines that describe a dump, and the members of a JSON object. */
void dump_print(const struct dump *d);
void dump_json(struct json *json, const struct dump *d);

/* --info of a dump: as info_print(). */
bool dump_info_print(const struct njoin_options *o, const struct set *set, const struct set_absent *absent);

#endif
