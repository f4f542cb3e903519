// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "export/set_filter.h"

/* The core as one thread reads it.  Must not be moved: the parts point to each other. */
struct thread_core {
	struct set_core source;
	struct virt virt;
};

struct thread_cores {
	struct thread_core *cores;	/* owned */
	const struct virt **virts;	/* one for each of them; owned */
	unsigned count;
};

/* thread_cores_free() must be called in any case. */
static enum status thread_cores_open(struct thread_cores *all, const struct set_core *source,
				     const struct vmcoreinfo *info, unsigned threads,
				     struct error *e)
{
	enum status status = STATUS_OK;

	*all = (struct thread_cores){
		.cores = calloc(threads, sizeof(*all->cores)),
		.virts = calloc(threads, sizeof(*all->virts)),
	};
	if (!all->cores || !all->virts)
		return error_system(e, ENOMEM, "%u threads", threads);
	while (all->count < threads && !status) {
		struct thread_core *t = &all->cores[all->count];

		all->virts[all->count++] = &t->virt;
		status = set_core_share(&t->source, source, e);
		if (!status)
			virt_init(&t->virt, &t->source.core, info);
	}
	return status;
}

static void thread_cores_free(struct thread_cores *all)
{
	for (unsigned i = 0; i < all->count; i++)
		set_core_free_reader(&all->cores[i].source);
	free(all->cores);
	free(all->virts);
}

enum status set_filter_apply(struct page_filter *filter, struct pages *pages,
			     const struct set_core *source, const struct vmcoreinfo *info,
			     unsigned threads, unsigned asked, struct error *e)
{
	struct thread_cores all;
	enum status status = thread_cores_open(&all, source, info, threads, e);

	if (!status)
		status = page_filter_apply(filter, pages, all.virts, threads, asked, e);
	thread_cores_free(&all);
	return status;
}
