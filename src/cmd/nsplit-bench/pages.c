// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/nsplit-bench/pages.h"

/* Nobody needs the result of a benchmark that leaves out nothing although it should, so that is an error. */
static const struct layer_policy *begin(void *arg, struct source *source, struct error *e)
{
	struct pages_left_out *p = arg;
	const struct layer_policy *policy = page_policy_try(&p->policy, source, p->classes, e);

	if (policy)
		return policy;
	page_policy_close(&p->policy);
	if (!p->classes)
		return layer_policy_plain();
	error_prefix(e, "%s: nothing can be left out: ", source->name);
	e->status = STATUS_UNSUPPORTED;
	return NULL;
}

static void end(void *arg)
{
	struct pages_left_out *p = arg;

	page_policy_close(&p->policy);
}

struct bench_pages bench_pages_of(struct pages_left_out *p, unsigned classes)
{
	p->classes = classes;
	return (struct bench_pages){ .begin = begin, .end = end, .arg = p };
}
