// SPDX-License-Identifier: GPL-2.0-or-later
/* A walk over a set, whose result is compared with the expected one. */
#ifndef NSPLIT_TESTS_UNIT_WALKED_H
#define NSPLIT_TESTS_UNIT_WALKED_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "set/read/walk.h"
#include "set_maker.h"

enum {
	WALKED_CHUNKS = 20,
	WALKED_SIZE = WALKED_CHUNKS * MAKER_CHUNK + 5001,
	WALKED_MEMBERS = 3,
	WALKED_DAMAGE_MAX = 32,
	WALKED_WAYS = 8,
};

struct walked {
	struct set set;
	struct walk_settings settings;
	struct walk *walk;
	enum status status;
	struct error error;

	pthread_mutex_t lock;		/* covers the following fields */
	uint8_t *bytes;			/* WALKED_SIZE of them, */
	uint8_t *times;			/* and how often each was delivered */
	uint64_t next;			/* ordered: where the next range may begin */
	unsigned deliveries;
	unsigned fail_at;		/* this delivery and all after it fail; 0: none */
	unsigned stop_at;		/* the walk is stopped at this delivery; 0: never */
	unsigned damaged, unreadable;
	struct error damage[WALKED_DAMAGE_MAX];
	uint64_t bad_offset, bad_length;	/* of the latest unreadable range */
};

/*
 * Makes a set of the files below; returns its source of WALKED_SIZE bytes, which the caller frees.
 */
uint8_t *walked_make_set(void);
extern const char *const walked_files[WALKED_MEMBERS];

/* Opens the set; then a test may change the settings. */
void walked_open(struct walked *t, const char *const *names, size_t count, unsigned threads);
/* The same for a damaged set, past all damage. */
void walked_salvage(struct walked *t, const char *const *names, size_t count, unsigned threads);
void walked_run(struct walked *t);
void walked_close(struct walked *t);

/* Numbers of threads, ordered or not: each test over files runs with all of these. */
extern const struct walked_way {
	unsigned threads;
	bool ordered;
} walked_ways[WALKED_WAYS];

/* Opens all files, for one of these ways. */
void walked_open_files(struct walked *t, int way);

/* Each byte of [from, to) was delivered once and is correct, and no other byte was delivered. */
void walked_assert_range(const struct walked *t, const uint8_t *source, uint64_t from,
			 uint64_t to);
/*
 * Each byte from there on was delivered once and is correct, except the chunks in the bits of lost.
 */
void walked_assert_all_but(const struct walked *t, const uint8_t *source, uint64_t from,
			   uint32_t lost);

/* Expects this hole as the first one from there on; or none. */
void walked_assert_hole(const struct walked *t, uint64_t from, uint64_t want, uint64_t length);
void walked_assert_no_hole(const struct walked *t, uint64_t from);

#endif
