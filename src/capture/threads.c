// SPDX-License-Identifier: GPL-2.0-or-later
/* The threaded engine: the lives of workers and writers that engine.h tells of. */
#include "config.h"

#include "base/crew.h"
#include "capture/engine.h"

static void worker_life(struct capture *c, unsigned worker)
{
	while (c->phase != PHASE_DONE) {
		if (engine_can_fill(c))
			engine_fill(c, &c->fillers[worker]);
		else
			pthread_cond_wait(&c->can_fill, &c->lock);
	}
}

static void writer_life(struct capture *c, unsigned output)
{
	for (;;) {
		struct chunk *chunk = engine_take_ready(c, output);

		if (chunk)
			engine_write(c, output, chunk);
		else if (!engine_has_duty(c, output))
			pthread_cond_wait(engine_is_reserved(c, output) ? &c->needed
									: &c->can_write,
					  &c->lock);
		else if (!engine_do_duty(c, output))
			return;
	}
}

static void thread_life(void *arg, unsigned number)
{
	struct capture *c = arg;

	pthread_mutex_lock(&c->lock);
	if (number < c->workers)
		worker_life(c, number);
	else
		writer_life(c, number - c->workers);
	pthread_mutex_unlock(&c->lock);
}

static void tick(void *arg)
{
	struct capture *c = arg;

	engine_watch(c);
	c->watch->watch.tick(c->watch->watch.arg);
}

enum status engine_run_threads(struct capture *c, struct error *e)
{
	struct watch watch = { .fd = c->watch->watch.fd, .tick = tick, .arg = c };

	engine_begin_watch(c);
	watch.interval = c->watch_interval;
	c->crew = (struct crew){
		.count = c->workers + c->count,
		.stack = ENGINE_STACK,
		.touched = STACK_TOUCHED,
		.work = thread_life,
		.arg = c,
	};
	return crew_run(&c->crew, &watch, e);
}
