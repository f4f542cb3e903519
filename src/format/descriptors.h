// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Descriptors of pages (format/kdump.h) that are gathered to be written together.
 *
 * A disk that loses power has written some of its sectors, and each of them completely.  One descriptor of 64 is in
 * two sectors: its offset in one, length and flags in the next.  With only one of them, readers would show another
 * page, so it is written in three steps, with all of the one before safe: a length that no reader accepts, the
 * offset, the length.
 */
#ifndef NSPLIT_FORMAT_DESCRIPTORS_H
#define NSPLIT_FORMAT_DESCRIPTORS_H

#include "base/error.h"
#include "format/kdump.h"

/* Descriptors of consecutive ranks. */
struct descriptor_run {
	uint64_t rank;			/* of the first one; first, for values_sort() */
	uint32_t first, count;
};

/* One that is in two sectors. */
struct divided_descriptor {
	uint64_t rank;
	uint8_t raw[KDUMP_DESCRIPTOR_LENGTH];
	unsigned steps;			/* that were taken */
};

struct descriptors {
	/* In the order in which they came; until they are written, the last 8 bytes of each are the checksum of its page; owned. */
	uint8_t *raw;
	struct descriptor_run *runs;	/* of those that were not written yet; owned */
	struct divided_descriptor *divided;	/* of which some steps were taken; owned */
	uint32_t count, capacity;	/* of raw */
	uint32_t runs_count, divided_count;
	bool divides;			/* the sectors of a disk matter */
};

/* Writes len bytes at an offset, counted from the first descriptor of the dump. */
struct descriptors_writer {
	enum status (*put)(void *arg, uint64_t offset, const uint8_t *bytes, size_t len, struct error *e);
	void *arg;
	bool skips;			/* what cannot be written is dropped, and no failure */
};

/* Bytes of memory, if at most most descriptors come at once. */
size_t descriptors_memory(uint32_t most);
/* descriptors_free() must be called in any case. */
enum status descriptors_init(struct descriptors *d, uint32_t most, bool divides, struct error *e);
void descriptors_free(struct descriptors *d);

/* The next descriptors are of pages with these ranks and those that follow. */
void descriptors_begin_run(struct descriptors *d, uint64_t rank);
/* d->count is below d->capacity.  checksum: of what it points to, for is_there(); 0 if that need not be checked. */
void descriptors_add(struct descriptors *d, const struct kdump_descriptor *page, uint64_t checksum);
/* Replaces those that were added since d->count was first, and of which none was written. */
void descriptors_cancel(struct descriptors *d, uint32_t first, const struct kdump_descriptor *by);

/* Is the one of this rank in two sectors, with its offset alone in the first? */
bool descriptor_is_divided(uint64_t rank);
/* Is there anything to write? */
bool descriptors_left(const struct descriptors *d);
/*
 * Writes those that were added, by rank; of each one in two sectors, one step.  Everything that was written before,
 * also by an earlier call, is safe by then.  After a failure, the next call continues with what failed.
 */
enum status descriptors_put(struct descriptors *d, const struct descriptors_writer *w, struct error *e);
/*
 * After a sync that failed, what was written since the one before may not be there: steps are taken again.  Nor may the
 * pages of those that were added: each that is_there() does not find becomes the descriptor absent.
 */
typedef bool descriptors_is_there(void *arg, const struct kdump_descriptor *page, uint64_t checksum);
void descriptors_unsafe(struct descriptors *d, descriptors_is_there *is_there, void *arg,
			const struct kdump_descriptor *absent);

#endif
