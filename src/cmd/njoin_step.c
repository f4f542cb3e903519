// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/njoin_outputs.h"
#include "cmd/njoin_step.h"

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

/* No output is complete enough to be finished, so a request to stop ends the program at once. */
static void step_tick(void *arg)
{
	struct njoin *njoin = arg;
	enum request request;

	while ((request = signals_next(njoin->signal_fd, &njoin->stop))) {
		if (request == REQUEST_REPORT)
			continue;
		njoin_abandon_outputs(njoin);
		signals_raise(njoin->stop.latest);
	}
}

enum status njoin_run_step(struct njoin *njoin,
			   enum status (*work)(struct njoin *njoin, struct error *e),
			   struct error *e)
{
	struct step step = { .njoin = njoin, .work = work };
	struct thread_pool pool = { .count = 1, .stack = STEP_STACK, .work = step_main,
				    .arg = &step };
	const struct watch watch = { .fd = njoin->signal_fd, .interval = 1, .tick = step_tick,
				     .arg = njoin };
	enum status status = thread_pool_run(&pool, &watch, e);

	if (!status && step.status)
		*e = step.error;
	return status ? status : step.status;
}
