// SPDX-License-Identifier: GPL-2.0-or-later
/* All records of a cell. */
#include "config.h"

#include "set/cell.h"

enum status cell_collect(struct cell *c, uint64_t number,
			 void (*damaged)(void *arg, const struct error *e), void *arg,
			 struct error *e)
{
	cell_begin(c, number);
	for (size_t i = c->first; i < c->end; i++) {
		enum status status = cell_add_head(c, i, e);

		if (status == STATUS_NO_MEMORY)
			return status;
		if (status)
			damaged(arg, e);
	}
	return STATUS_OK;
}

enum status cell_collect_checked(struct cell *c, uint64_t number, struct record_reader *reader,
				 uint8_t *scratch,
				 void (*damaged)(void *arg, const struct error *e), void *arg,
				 struct error *e)
{
	cell_begin(c, number);
	for (size_t i = c->first; i < c->end; i++) {
		enum status status = record_reader_load(reader, c->set, c->set->map[i], e);

		if (!status)
			status = record_reader_prove(reader, scratch, e);
		if (status == STATUS_NO_MEMORY)
			return status;
		if (!status) {
			cell_add(c, i, &reader->record, reader->raw, true);
			continue;
		}
		cell_add_damaged(c, i);
		damaged(arg, e);
	}
	return STATUS_OK;
}
