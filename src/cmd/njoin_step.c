// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/njoin_outputs.h"
#include "cmd/njoin_step.h"
#include "cmd/njoin_walk.h"

enum { STEP_STACK = 512 * 1024 };

struct step {
	struct njoin *njoin;
	enum status (*work)(struct njoin *njoin, struct error *e);
	enum status status;
	struct error error;
};

static void step_main(void *arg, unsigned number)
{
	struct step *step = arg;

	(void)number;
	step->status = step->work(step->njoin, &step->error);
}

/* Fails only if no thread can be created. */
static enum status run(struct step *step, double interval, void (*tick)(void *arg), struct error *e)
{
	struct thread_pool pool = { .count = 1, .stack = STEP_STACK, .work = step_main,
				    .arg = step };
	const struct watch watch = { .fd = step->njoin->signal_fd, .interval = interval,
				     .tick = tick, .arg = step->njoin };

	return thread_pool_run(&pool, &watch, e);
}

static void end_at_once(const struct njoin *njoin)
{
	njoin_abandon_outputs(njoin);
	signals_raise(njoin->stop.latest);
}

/* No output is complete enough to be finished, so a request to stop ends the program at once. */
static void step_tick(void *arg)
{
	struct njoin *njoin = arg;
	enum request request;

	while ((request = signals_next(njoin->signal_fd, &njoin->stop)))
		if (request != REQUEST_REPORT)
			end_at_once(njoin);
}

enum status njoin_run_step(struct njoin *njoin,
			   enum status (*work)(struct njoin *njoin, struct error *e),
			   struct error *e)
{
	struct step step = { .njoin = njoin, .work = work };
	enum status status = run(&step, 1, step_tick, e);

	if (!status && step.status)
		*e = step.error;
	return status ? status : step.status;
}

static void sync_figures(const struct njoin *njoin, struct progress_figures *figures)
{
	njoin_walk_figures(njoin, figures);
	snprintf(figures->stage, sizeof(figures->stage), "syncing %zu output%s",
		 njoin->outputs_count, plural(njoin->outputs_count));
}

/* A process in fsync() mostly cannot end, not even by SIGKILL, so nothing is lost by waiting. */
static void sync_request(struct njoin *njoin, enum request request)
{
	struct progress_figures figures;

	if (request == REQUEST_REPORT) {
		sync_figures(njoin, &figures);
		progress_now(&figures);
		return;
	}
	if (request == REQUEST_STOP_NOW || !njoin_seekable(njoin)) {
		progress_end(&njoin->progress);
		message_settle();
		end_at_once(njoin);
	}
	message("%s: waiting for %zu output%s to be synced; a second signal ends this at once",
		strsignal(njoin->stop.signal), njoin->outputs_count, plural(njoin->outputs_count));
}

static void sync_tick(void *arg)
{
	struct njoin *njoin = arg;
	struct progress_figures figures;
	enum request request;

	while ((request = signals_next(njoin->signal_fd, &njoin->stop)))
		sync_request(njoin, request);
	sync_figures(njoin, &figures);
	progress_tick(&njoin->progress, &figures);
}

enum status njoin_run_sync(struct njoin *njoin,
			   enum status (*work)(struct njoin *njoin, struct error *e),
			   struct error *e)
{
	struct step step = { .njoin = njoin, .work = work };

	/* What was written is not lost because there is no memory for a thread. */
	if (run(&step, progress_interval(&njoin->progress), sync_tick, e))
		step_main(&step, 0);
	progress_end(&njoin->progress);
	if (step.status)
		*e = step.error;
	return step.status;
}
