// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A capture under test: a source in memory or any other, sinks in memory, one run, and checks of
 * the result.
 */
#ifndef NSPLIT_TESTS_UNIT_TRIAL_H
#define NSPLIT_TESTS_UNIT_TRIAL_H

#include <stdatomic.h>

#include "capture/engine/capture.h"
#include "member_check.h"
#include "trial_sink.h"

enum { TRIAL_OUTPUTS = 8, TRIAL_CHUNK = 16384 };

struct trial {
	/* Set by trial_init(), and by the test before trial_run(). */
	struct capture_settings settings;
	unsigned outputs;
	struct source *source;		/* the test's own */
	struct sink sinks[TRIAL_OUTPUTS];
	struct trial_sink memory[TRIAL_OUTPUTS];
	unsigned chunks;		/* of the pool; 0: as planned */
	double interval;		/* of the ticks */
	int fd;				/* ticks when it is readable; -1: none */
	void (*on_tick)(struct trial *t);
	void *arg;			/* for the test's own on_tick */

	/* The result. */
	struct memory_plan plan;
	struct capture *capture;
	enum status status;
	struct error error;
	_Atomic unsigned failed;	/* sinks reported as failed */
	_Atomic unsigned called;	/* fallbacks reported */
	_Atomic unsigned ranges;	/* unreadable ranges reported */
	_Atomic uint64_t unreadable;	/* bytes in them */
	const char *why_unreadable;	/* the reason to be given for each; NULL: any */
	unsigned ticks;
};

/*
 * Chunks of TRIAL_CHUNK bytes, blocks of 4096, LZO, one thread a CPU of two, no sink that fails.
 */
void trial_init(struct trial *t, struct source *source, unsigned outputs);
/* 0: serial mode. */
void trial_set_threads(struct trial *t, unsigned threads);
/* Plans, creates and runs the capture; the status is in t. */
void trial_run(struct trial *t);
void trial_free(struct trial *t);

/* Reads the members of all sinks that count; copy is to be freed. */
void trial_read(struct trial *t, const uint8_t *bytes, uint64_t size, struct copy *copy,
		struct member_facts facts[TRIAL_OUTPUTS]);
void trial_free_facts(struct trial *t, struct member_facts facts[TRIAL_OUTPUTS]);
/* The run was perfect, and so is the copy; and nothing is missing. */
void trial_assert_perfect(struct trial *t, const uint8_t *bytes, uint64_t size);

/* Bytes that no member holds: the sum over capture_missing(). */
uint64_t trial_missing(struct trial *t);

enum sink_state trial_state(struct trial *t, unsigned sink);

/*
 * A positioned source in memory; before() is called before each read.  If source.sparse is set, pages of zeros
 * are holes.
 */
struct trial_source {
	struct source source;
	const uint8_t *bytes;
	void (*before)(void *arg, uint64_t offset);
	void *arg;
};

void trial_source_init(struct trial_source *s, const uint8_t *bytes, uint64_t size);

/* Sources of some size: zeros, random bytes, and all kinds of blocks in turn. */
enum trial_bytes { TRIAL_ZERO, TRIAL_RANDOM, TRIAL_MIXED, TRIAL_BYTES };
uint8_t *trial_bytes_new(enum trial_bytes kind, size_t len);

#endif
