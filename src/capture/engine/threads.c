// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/thread_pool.h"
#include "capture/auto/auto_codec.h"
#include "capture/engine/fail_output.h"
#include "capture/engine/phases.h"
#include "capture/engine/read_back.h"
#include "capture/engine/serial.h"
#include "capture/engine/threads.h"
#include "capture/engine/workers.h"
#include "capture/engine/writers.h"

/* Abandoning outputs that hang: see engine.h.  For the watching thread, without the lock. */

/*
 * Seconds that a call may take once the capture was asked to stop.  Whatever sent the request, as
 * systemd and kdump scripts do, sends SIGKILL after a while.
 */
static const double STOP_PATIENCE = 30;
/* Seconds between two looks, at most. */
static const double WATCH_INTERVAL = 1;
enum { LOOKS_AT_LEAST = 10 };	/* before an output is abandoned */

/* Seconds that a call may take; 0: any time. */
static double patience(const struct capture *c)
{
	double timeout = c->settings.sink_timeout;

	if (c->stopping && (!timeout || timeout > STOP_PATIENCE))
		return STOP_PATIENCE;
	return timeout;
}

/*
 * Returns the chunk to write in place of the one that a hung call uses: a copy, because the call
 * keeps its chunk.  If no other chunk is free, or too few would be left to read back what full
 * outputs give up, it is the same chunk: the call only reads it, and what it writes does not count.
 */
static struct chunk *substitute(struct capture *c, const struct output *o)
{
	struct chunk *copy;

	if (!c->free.first || !read_back_spares_chunk(c))
		return o->writing;
	c->chunks_lost++;
	copy = chunk_list_remove(&c->free, &c->free.first);
	chunk_copy(copy, o->writing);
	return copy;
}

/*
 * A form that shares nothing reads a chunk again after it has written it, and nobody needs the chunk: the next output
 * begins anew.
 */
static void take_chunk_back(struct capture *c, struct output *o)
{
	bool spares = c->pool.count - c->chunks_lost > 1;

	if (o->writing && !o->form->ops->shares && spares) {
		engine_drop_chunk(c, o->writing);
		c->chunks_lost++;
	} else if (o->writing) {
		chunk_list_prepend(&c->ready, substitute(c, o));
	}
	o->writing = NULL;
}

static void abandon(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	struct error e;

	error_set(&e, STATUS_SYSTEM, "%s: no answer for %g s", o->form->sink->name, patience(c));
	o->stats.hung = true;
	sink_abandon(o->form->sink);
	thread_pool_abandon(&c->threads, output);
	/* It was only being closed: what it holds is safe, or does not count in any case. */
	if (c->phase == PHASE_DONE || engine_is_finished(o)) {
		o->stats.closing = e;
		return;
	}
	take_chunk_back(c, o);
	read_back_drop(c, o);
	if (o->reading_back) {
		engine_drop_chunk(c, o->reading_back);
		c->chunks_lost++;
	}
	/* Without any chunk the capture could not continue. */
	assert(c->chunks_lost < c->pool.count);
	if (!read_back_ever_possible(c))
		read_back_drop_all(c);
	fail_output(c, output, &e);
}

/* Before the first look; sets watch_interval. */
static void watch_begin(struct capture *c)
{
	double timeout = c->settings.sink_timeout;

	c->watch_interval = min_double(c->watch->watch.interval, WATCH_INTERVAL);
	if (timeout)
		c->watch_interval = min_double(c->watch_interval, timeout / LOOKS_AT_LEAST);
	c->watched = clock_seconds();
}

/* What the pages of a dump are is asked within calls of its output. */
static bool waits_for_source(const struct capture *c)
{
	const struct dump_layout *dump = c->settings.dump;

	return dump && dump->waits && dump->waits(dump->arg);
}

/* Every watch_interval seconds. */
static void watch_outputs(struct capture *c)
{
	double now = clock_seconds();
	/*
	 * More time may have passed because this process was stopped (SIGSTOP), its virtual machine
	 * was, or too many threads share its CPUs.  That is not the outputs' fault and does not
	 * count.
	 */
	double passed = min_double(now - c->watched, c->watch_interval);

	c->watched = now;
	if (waits_for_source(c))
		return;
	pthread_mutex_lock(&c->lock);
	for (unsigned i = 0; i < c->count; i++) {
		struct output *o = &c->outputs[i];

		if (!o->busy || o->stats.hung)
			continue;
		o->waited += passed;
		if (patience(c) && o->waited >= patience(c)) {
			abandon(c, i);
			phases_advance(c);
		}
	}
	pthread_mutex_unlock(&c->lock);
}

static void worker_main(struct capture *c, unsigned worker)
{
	while (c->phase != PHASE_DONE)
		if (!worker_step(c, worker))
			pthread_cond_wait(&c->can_fill, &c->lock);
}

static void writer_main(struct capture *c, unsigned output)
{
	for (;;) {
		if (writer_write(c, output))
			continue;
		if (!writer_has_task(c, output))
			pthread_cond_wait(engine_is_reserved(c, output) ? &c->needed
									: &c->can_write,
					  &c->lock);
		else if (!writer_do_task(c, output))
			return;
	}
}

/*
 * Writers have the lowest numbers and are created first: all are needed, but one worker is enough.
 */
static void thread_main(void *arg, unsigned number)
{
	struct capture *c = arg;

	pthread_mutex_lock(&c->lock);
	if (number < c->count)
		writer_main(c, number);
	else
		worker_main(c, number - c->count);
	pthread_mutex_unlock(&c->lock);
}

static void tick(void *arg)
{
	struct capture *c = arg;

	watch_outputs(c);
	c->watch->watch.tick(c->watch->watch.arg);
}

/* Before any chunk is filled. */
static void use_fewer(struct capture *c, unsigned workers, int errnum)
{
	if (c->auto_codec)
		auto_codec_fewer_workers(c, workers);
	if (c->watch->fewer_threads)
		c->watch->fewer_threads(c->watch->watch.arg, c->workers, workers, errnum);
}

static void fewer(void *arg, unsigned made, int errnum)
{
	struct capture *c = arg;

	use_fewer(c, made - c->count, errnum);
}

void threads_run(struct capture *c)
{
	struct watch watch = { .fd = c->watch->watch.fd, .tick = tick, .arg = c };
	struct error why;

	watch_begin(c);
	watch.interval = c->watch_interval;
	c->threads = (struct thread_pool){
		.count = c->count + c->workers,
		.stack = ENGINE_STACK,
		.touched = STACK_TOUCHED,
		.work = thread_main,
		.arg = c,
		.least = c->count + 1,
		.fewer = fewer,
	};
	/* A dump by one thread beats none. */
	if (thread_pool_run(&c->threads, &watch, &why)) {
		use_fewer(c, 0, why.errnum);
		serial_run(c);
	}
}
