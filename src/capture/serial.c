// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The serial twin: the same steps in one thread, one chunk at a time, the sinks in
 * turn.  What the threaded engine does must be explainable by this file.
 */
#include "config.h"

#include "capture/engine.h"

/* The ready chunks to the outputs in turn, beginning with *turn. */
static void write_ready(struct capture *c, unsigned *turn)
{
	for (unsigned tried = 0; c->ready.first && tried < c->count; tried++) {
		unsigned output = *turn;
		struct chunk *chunk = engine_take_ready(c, output);

		*turn = (*turn + 1) % c->count;
		if (chunk) {
			engine_write(c, output, chunk);
			tried = 0;
		}
	}
}

static void do_duties(struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->phase != PHASE_DONE && engine_has_duty(c, i))
			engine_do_duty(c, i);
}

enum status engine_run_serial(struct capture *c, struct error *e)
{
	unsigned turn = 0;

	(void)e;
	c->source->interrupt_fd = c->watch->watch.fd;
	c->source->interrupted = c->watch->watch.tick;
	c->source->interrupted_arg = c->watch->watch.arg;
	pthread_mutex_lock(&c->lock);
	do_duties(c);			/* the sinks are opened */
	while (c->phase != PHASE_DONE) {
		if (engine_can_fill(c))
			engine_fill(c, &c->fillers[0]);
		write_ready(c, &turn);
		do_duties(c);
		pthread_mutex_unlock(&c->lock);
		c->watch->watch.tick(c->watch->watch.arg);
		pthread_mutex_lock(&c->lock);
	}
	for (unsigned i = 0; i < c->count; i++)
		engine_do_duty(c, i);		/* closes it */
	pthread_mutex_unlock(&c->lock);
	return STATUS_OK;
}
