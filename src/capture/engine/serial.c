// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Serial mode: the steps of the threads taken by one thread, one chunk at a time, with the outputs
 * in turn.  This file is the reference for what the threads may do.
 */
#include "config.h"

#include "capture/engine/steps.h"

/* Lets the outputs write the ready chunks in turn, beginning with *next. */
static void write_ready(struct capture *c, unsigned *next)
{
	for (unsigned tried = 0; c->ready.first && tried < c->count; tried++) {
		unsigned output = *next;

		*next = (*next + 1) % c->count;
		if (writer_write(c, output))
			tried = 0;
	}
}

static void do_tasks(struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->phase != PHASE_DONE && writer_has_task(c, i))
			writer_do_task(c, i);
}

void serial_run(struct capture *c)
{
	unsigned next = 0;

	c->source->interrupt_fd = c->watch->watch.fd;
	c->source->interrupted = c->watch->watch.tick;
	c->source->interrupted_arg = c->watch->watch.arg;
	pthread_mutex_lock(&c->lock);
	do_tasks(c);			/* opens the outputs */
	while (c->phase != PHASE_DONE) {
		worker_step(c, 0);
		write_ready(c, &next);
		do_tasks(c);
		pthread_mutex_unlock(&c->lock);
		c->watch->watch.tick(c->watch->watch.arg);
		pthread_mutex_lock(&c->lock);
	}
	for (unsigned i = 0; i < c->count; i++)
		writer_do_task(c, i);	/* closes it */
	pthread_mutex_unlock(&c->lock);
}
