// SPDX-License-Identifier: GPL-2.0-or-later
/* The threaded engine: the lives of workers and writers that engine.h tells of. */
#include "config.h"

#include "base/cpus.h"
#include "base/thread_pool.h"
#include "capture/engine.h"

static void worker_main(struct capture *c, unsigned worker)
{
	while (c->phase != PHASE_DONE) {
		if (engine_can_fill(c))
			engine_fill(c, &c->fillers[worker]);
		else
			pthread_cond_wait(&c->can_fill, &c->lock);
	}
}

static void writer_main(struct capture *c, unsigned output)
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

/* Writers come first, since each is needed; of workers one is enough. */
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

	engine_watch(c);
	c->watch->watch.tick(c->watch->watch.arg);
}

static void report_fewer(const struct capture *c, unsigned workers, int errnum)
{
	if (c->watch->fewer_threads)
		c->watch->fewer_threads(c->watch->watch.arg, c->workers, workers, errnum);
}

/* Before any of them works. */
static void fewer(void *arg, unsigned made, int errnum)
{
	struct capture *c = arg;

	choice_init(&c->choice, &c->settings.presets, made - c->count, cpus_allowed(), false);
	report_fewer(c, made - c->count, errnum);
}

/* A dump by one thread beats none. */
static enum status run_in_one(struct capture *c, const struct error *why, struct error *e)
{
	choice_init(&c->choice, &c->settings.presets, 1, cpus_allowed(), true);
	report_fewer(c, 0, why->errnum);
	return engine_run_serial(c, e);
}

enum status engine_run_threads(struct capture *c, struct error *e)
{
	struct watch watch = { .fd = c->watch->watch.fd, .tick = tick, .arg = c };
	struct error why;

	engine_begin_watch(c);
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
	if (thread_pool_run(&c->threads, &watch, &why))
		return run_in_one(c, &why, e);
	return STATUS_OK;
}
