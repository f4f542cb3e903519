// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/alignment.h"
#include "capture/form/core_writer.h"
#include "capture/form/dump_writer.h"
#include "capture/form/member_writer.h"
#include "capture/auto/auto_codec.h"
#include "capture/fill/fill.h"
#include "capture/memory/memory_plan.h"

/* Resident size of the program without what the plan counts; measured as ENGINE_STACK was. */
enum { PROGRAM_MEMORY = 5 << 20 };

/* Of a thread's stack, with its guard page. */
enum { STACK_UNUSED = ENGINE_STACK - STACK_TOUCHED + ALIGNMENT };

uint64_t source_chunks(const struct source *source, uint32_t chunk_size)
{
	return source->is_stream ? UINT64_MAX : divide_up(source->size, chunk_size);
}

/*
 * Each worker fills one chunk, each writer writes one, and a few wait between them.  More would
 * only make the queue longer, and more than the source has would never be used.
 */
static unsigned chunks_wanted(unsigned workers, unsigned sinks, unsigned waiting, uint64_t in_source)
{
	unsigned most = workers + sinks + waiting;

	return (unsigned)max_u64(min_u64(most, in_source), 1);
}

unsigned capture_workers(const struct capture_settings *settings)
{
	return settings->serial ? 1 : settings->threads;
}

const struct layer_policy *plan_policy(const struct capture_settings *settings, const struct source *source)
{
	/* An empty source has nothing to leave out. */
	return source->size && !source->is_stream && settings->policy ? settings->policy : layer_policy_plain();
}

/* Layers come one after another, so a stream of them has no order. */
bool plan_keeps_order(const struct layer_policy *policy, const struct sink *sinks, unsigned ordinary)
{
	return ordinary == 1 && layer_policy_is_plain(policy) &&
	       (sinks[0].kind == SINK_STREAM || sinks[0].kind == SINK_COMMAND);
}

static unsigned chunks_waiting(bool keeps_order, unsigned workers)
{
	return CHUNKS_WAITING + (keeps_order && workers > 1 ? CHUNKS_ORDERED * workers : 0);
}

uint64_t memory_plan_sum(const struct memory_plan *p, unsigned workers, unsigned sinks,
			 unsigned chunks)
{
	return (uint64_t)workers * p->worker + (uint64_t)sinks * p->sink +
	       (uint64_t)chunks * p->chunk + p->pipes + p->ledger + p->headers + p->program;
}

static enum status fit_to_limit(struct memory_plan *plan, const struct capture_settings *settings, uint64_t fixed,
				struct error *e)
{
	uint64_t limit = settings->memory_limit, fits;

	if (limit < fixed + plan->chunk) {
		error_set(e, STATUS_USAGE, "--mem-limit=%" PRIu64 " is too small; these options "
			  "need at least %" PRIu64 " bytes", limit, fixed + plan->chunk);
		return plan->headers < HEADERS_MANY ? STATUS_USAGE :
		       error_suffix(e, ", %zu of them for the %" PRIu64 " program headers of the source", plan->headers,
				    settings->headers);
	}
	fits = (limit - fixed) / plan->chunk;
	plan->chunks = (unsigned)min_u64(plan->chunks, fits);
	return STATUS_OK;
}

/* Fallbacks are open one at a time, so the largest of their pipes counts. */
static size_t pipes_memory(const struct sink *sinks, unsigned count, unsigned fallbacks)
{
	size_t sum = 0, fallback = 0;

	for (unsigned i = 0; i < count - fallbacks; i++)
		sum += sink_memory(&sinks[i]);
	for (unsigned i = count - fallbacks; i < count; i++)
		fallback = max_u64(fallback, sink_memory(&sinks[i]));
	return sum + fallback;
}

static size_t form_memory(const struct capture_settings *settings, const struct source *source,
			  const struct sink *sinks, unsigned count)
{
	const struct layer_policy *policy = plan_policy(settings, source);
	uint32_t cell_size = fill_cell_size(policy, settings->chunk_size);
	size_t most = 0;

	if (!settings->dump)
		return member_writer_memory(!layer_policy_is_plain(policy));
	for (unsigned i = 0; i < count; i++)
		most = max_u64(most, settings->dump->elf ? core_writer_memory(&sinks[i], source->size) :
					    dump_writer_memory(&sinks[i], source->size, cell_size));
	return most;
}

enum status capture_plan(const struct capture_settings *settings, const struct source *source,
			 const struct sink *sinks, unsigned count, struct memory_plan *plan,
			 struct error *e)
{
	uint64_t chunks = source_chunks(source, settings->chunk_size);
	const struct layer_policy *policy = plan_policy(settings, source);
	unsigned workers = capture_workers(settings), ordinary = count - settings->fallbacks;
	unsigned waiting = chunks_waiting(plan_keeps_order(policy, sinks, ordinary), workers);
	uint32_t block_size = fill_block_size_max(policy, settings->block_size, settings->chunk_size);
	enum status status;
	struct packers packers;

	/* Before packers reserve memory for the first time: what they free must be theirs again. */
	memory_keep();
	status = packers_init(&packers, &settings->presets, block_size, &settings->id, e);
	if (status)
		return status;
	*plan = (struct memory_plan){
		/* Fallbacks write only when the others do not. */
		.chunks = chunks_wanted(workers, ordinary, waiting, chunks),
		.chunk = chunk_capacity(packers_bound(&packers, block_size), block_size, settings->chunk_size,
					fill_runs_max(policy, settings->chunk_size)) +
			 (settings->dump ? ALIGNMENT : 0),
		.worker = filler_memory(source, &packers, policy, settings->block_size,
					settings->chunk_size) + STACK_TOUCHED,
		.sink = form_memory(settings, source, sinks, count) + STACK_TOUCHED,
		.pipes = pipes_memory(sinks, count, settings->fallbacks),
		.ledger = ledger_memory(source->is_stream ? chunks : chunks * policy->layers),
		.headers = settings->headers * settings->header_memory,
		.program = PROGRAM_MEMORY,
		.worker_unused = STACK_UNUSED + source->ops->map_size(settings->chunk_size),
		.sink_unused = STACK_UNUSED,
	};
	if (policy->memory)
		plan->program += policy->memory(policy->arg, settings->chunk_size);
	if (settings->presets.count > 1)
		plan->worker += auto_codec_worker_memory(&packers, settings->block_size);
	packers_free(&packers);
	if (settings->memory_limit &&
	    (status = fit_to_limit(plan, settings,
				   memory_plan_sum(plan, workers, count, 0), e)))
		return status;
	plan->total = memory_plan_sum(plan, workers, count, plan->chunks);
	return STATUS_OK;
}
