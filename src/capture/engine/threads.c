// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/thread_pool.h"
#include "capture/auto/auto_codec.h"
#include "capture/engine/serial.h"
#include "capture/engine/threads.h"
#include "capture/engine/watch_outputs.h"
#include "capture/engine/workers.h"
#include "capture/engine/writers.h"

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
