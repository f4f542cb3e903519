// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/auto/auto_codec.h"
#include "capture/fill/fill.h"
#include "capture/fill/ledger.h"
#include "capture/form/dump_writer.h"
#include "capture/form/member_writer.h"
#include "capture/memory/memory_plan.h"

/* Resident size of the program without what the plan counts; measured as THREAD_STACK was. */
enum { PROGRAM_MEMORY = 5 << 20 };

uint64_t source_chunks(const struct source *source, uint32_t chunk_size)
{
	return source->is_stream ? UINT64_MAX : divide_up(source->size, chunk_size);
}

unsigned capture_workers(const struct capture_settings *settings)
{
	return settings->serial ? 1 : settings->threads;
}

/* Does the thread that fills a chunk also write it?  One worker does if no write waits (writers.c). */
static bool one_thread_writes(const struct capture_settings *settings, const struct sink *sinks, unsigned ordinary)
{
	bool waits = settings->threads > 1;

	for (unsigned i = 0; i < ordinary; i++)
		waits |= sinks[i].throttle || (sinks[i].kind != SINK_NULL && !sinks[i].in_memory[0]);
	return settings->serial || !waits;
}

/*
 * Each worker fills one chunk, each writer writes one, and a few wait between them.  More would
 * only make the queue longer, and more than the source has would never be used.
 */
static unsigned chunks_wanted(const struct capture_settings *settings, const struct sink *sinks, unsigned ordinary,
			      uint64_t in_source)
{
	unsigned waiting = one_thread_writes(settings, sinks, ordinary) ? 0 : CHUNKS_WAITING;

	return (unsigned)max_u64(min_u64(capture_workers(settings) + ordinary + waiting, in_source), 1);
}

/* The sum, for these numbers of workers, sinks and chunks. */
static uint64_t memory_plan_sum(const struct memory_plan *p, unsigned workers, unsigned sinks,
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
	const struct layer_policy *policy = layer_policy_of(settings, source);
	uint32_t cell_size = fill_cell_size(policy, settings->chunk_size);
	size_t most = 0;

	if (!settings->dump)
		return member_writer_memory(!layer_policy_is_plain(policy));
	for (unsigned i = 0; i < count; i++)
		most = max_u64(most, dump_writer_memory(&sinks[i], settings->dump, source->size, cell_size));
	return most;
}

enum status capture_plan(const struct capture_settings *settings, const struct source *source,
			 const struct sink *sinks, unsigned count, struct memory_plan *plan,
			 struct error *e)
{
	uint64_t chunks = source_chunks(source, settings->chunk_size);
	const struct layer_policy *policy = layer_policy_of(settings, source);
	unsigned workers = capture_workers(settings);
	uint32_t block_size = fill_block_size_max(policy, settings->block_size, settings->chunk_size);
	enum status status;
	struct packers packers;

	/* Before packers reserve memory for the first time: what they free must be theirs again. */
	memory_keep();
	status = packers_init(&packers, &settings->presets, block_size, &settings->id, false, false, e);
	if (status)
		return status;
	*plan = (struct memory_plan){
		/* Fallbacks write only when the others do not. */
		.chunks = chunks_wanted(settings, sinks, count - settings->fallbacks, chunks),
		.chunk = chunk_capacity(packers.bound, block_size, settings->chunk_size,
					fill_runs_max(policy, settings->chunk_size)) +
			 (settings->dump ? ALIGNMENT : 0),
		.worker = filler_memory(settings, source, &packers) + STACK_TOUCHED,
		.sink = form_memory(settings, source, sinks, count) + STACK_TOUCHED,
		.pipes = pipes_memory(sinks, count, settings->fallbacks),
		.ledger = ledger_memory(source->is_stream ? chunks : chunks * policy->layers),
		.headers = settings->headers * settings->header_memory,
		.program = PROGRAM_MEMORY,
	};
	if (policy->memory)
		plan->program += policy->memory(policy->arg, settings->chunk_size);
	if (settings->presets.count > 1)
		plan->worker += auto_codec_worker_memory(&packers);
	packers_free(&packers);
	if (settings->memory_limit &&
	    (status = fit_to_limit(plan, settings,
				   memory_plan_sum(plan, workers, count, 0), e)))
		return status;
	plan->total = memory_plan_sum(plan, workers, count, plan->chunks);
	return STATUS_OK;
}

/* --- fitting it to the memory available ------------------------------------- */

/* Bytes that the kernel takes for a thread, which the plan does not count: stack, page tables. */
enum { KERNEL_THREAD = 32 * 1024 };
/* Bytes that a command may take, such as a shell and ssh. */
enum { COMMAND_MEMORY = 4 << 20 };
/* Smaller chunks save less than they cost. */
enum { CHUNK_LEAST = 128 * 1024 };

/* What a capture leaves free: bytes, and a part of what is available. */
enum { KEPT_FREE = 4 << 20, KEPT_FREE_SHARE = 16 };

/* A capture that is being fitted. */
struct fit {
	struct capture_settings *settings;
	const struct source *source;
	const struct sink *sinks;
	unsigned count;
	struct limit usable;
	struct memory_plan *plan;
	unsigned most_chunks;		/* of the first plan */
};

static unsigned ordinary_sinks(const struct fit *f)
{
	return f->count - f->settings->fallbacks;
}

/* Bytes of memory that the capture needs with these numbers of workers and chunks. */
static uint64_t memory_of(const struct fit *f, unsigned workers, unsigned chunks)
{
	uint64_t threads = f->settings->serial ? 0 : workers + f->count, commands = 0;

	for (unsigned i = 0; i < ordinary_sinks(f); i++)
		commands += f->sinks[i].kind == SINK_COMMAND;
	return memory_plan_sum(f->plan, workers, f->count, chunks) + threads * KERNEL_THREAD + commands * COMMAND_MEMORY;
}

static bool fits(const struct fit *f, unsigned workers, unsigned chunks)
{
	return memory_of(f, workers, chunks) <= f->usable.bytes;
}

/* One chunk for each thread, and some that wait in between; never more than in the first plan. */
static unsigned chunks_for(const struct fit *f, unsigned workers, unsigned waiting)
{
	return (unsigned)min_u64(workers + ordinary_sinks(f) + waiting, f->most_chunks);
}

/*
 * Finds the most workers that fit with the chunks that they need, and then the most chunks that
 * fit. False: not even one of each fits.
 */
static bool fit_threads(struct fit *f)
{
	unsigned workers = capture_workers(f->settings), chunks;

	while (workers > 1 && !fits(f, workers, chunks_for(f, workers, 0)))
		workers--;
	chunks = chunks_for(f, workers, CHUNKS_WAITING);
	while (chunks > 1 && !fits(f, workers, chunks))
		chunks--;
	if (!f->settings->serial)
		f->settings->threads = workers;
	f->plan->chunks = chunks;
	return fits(f, workers, chunks);
}

/*
 * Makes the settings smaller by a step: halves the chunk size, in whole blocks, and then takes another codec, with the
 * chunk size that was wanted.  False: they are as small as possible.
 */
static bool give_way(struct capture_settings *s, uint32_t chunk_size)
{
	uint32_t half = (uint32_t)round_down(s->chunk_size / 2, s->block_size);
	const struct codec *codec = presets_single(&s->presets);

	if (half >= s->block_size && half >= CHUNK_LEAST) {
		s->chunk_size = half;
		return true;
	}
	/* Codecs with levels take much memory, and auto has several codecs.  The others differ little. */
	if (codec && !codec->has_levels)
		return false;
	s->chunk_size = chunk_size;
	s->codec_text = codec_lzo.name;
	s->presets = presets_of(&codec_lzo, 0);
	return true;
}

enum { WAY_LENGTH = 160 };

/* "23 threads and 30 chunks", and what else differs from the settings wanted. */
static const char *format_way(const struct fit *f, const struct capture_settings *wanted,
			      char text[WAY_LENGTH])
{
	const struct capture_settings *s = f->settings;
	char chunk[SIZE_TEXT_LENGTH];
	unsigned workers = capture_workers(f->settings), chunks = f->plan->chunks;
	int length = snprintf(text, WAY_LENGTH, "%u thread%s and %u chunk%s", workers,
			      plural(workers), chunks, plural(chunks));

	if (s->chunk_size != wanted->chunk_size)
		length += snprintf(text + length, WAY_LENGTH - (size_t)length, " of %s",
				   size_format(s->chunk_size, chunk));
	if (strcmp(s->codec_text, wanted->codec_text) != 0)
		snprintf(text + length, WAY_LENGTH - (size_t)length, ", %s instead of %s",
			 s->codec_text, wanted->codec_text);
	return text;
}

static void describe(const struct fit *f, const struct capture_settings *wanted, uint64_t needed, bool fitted,
		     struct error *note)
{
	char need[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH], way[WAY_LENGTH];
	unsigned workers = capture_workers(wanted);

	error_set(note, STATUS_NO_MEMORY, "%u thread%s need%s %s of memory and %s is available (%s); "
		  "%s %s", workers, plural(workers), workers == 1 ? "s" : "",
		  size_format(needed, need), size_format(f->usable.bytes, have), f->usable.what,
		  fitted ? "using" : "trying", format_way(f, wanted, way));
}

/* Takes settings and plan as wanted; afterwards they fit, or are as small as possible. */
static enum status make_fit(struct fit *f, struct fit_note *note, struct error *e)
{
	const struct capture_settings wanted = *f->settings;
	uint64_t needed = memory_of(f, capture_workers(f->settings), f->plan->chunks);
	bool fitted;

	note->outcome = FIT_AS_WANTED;
	if (needed <= f->usable.bytes)
		return STATUS_OK;
	f->most_chunks = f->plan->chunks;
	while (!(fitted = fit_threads(f)) && give_way(f->settings, wanted.chunk_size))
		if (capture_plan(f->settings, f->source, f->sinks, f->count, f->plan, e))
			return e->status;
	f->plan->total = memory_plan_sum(f->plan, capture_workers(f->settings), f->count,
					 f->plan->chunks);
	note->outcome = fitted ? FIT_WITH_LESS : FIT_NOT;
	describe(f, &wanted, needed, fitted, &note->text);
	return STATUS_OK;
}

uint64_t fit_usable(uint64_t available)
{
	uint64_t kept = KEPT_FREE + available / KEPT_FREE_SHARE;

	return available > kept ? available - kept : 0;
}

enum status capture_fit(struct capture_settings *settings, const struct source *source,
			const struct sink *sinks, unsigned count, const struct limit *limit,
			struct memory_plan *plan, struct fit_note *note, struct error *e)
{
	struct fit f = {
		.settings = settings, .source = source, .sinks = sinks, .count = count,
		.usable = *limit, .plan = plan,
	};
	enum status status = capture_plan(settings, source, sinks, count, plan, e);

	if (status)
		return status;
	/* A limit set by the user is used in full; otherwise some of the available memory stays free. */
	if (!settings->memory_limit && limit->bytes != UINT64_MAX)
		f.usable.bytes = fit_usable(limit->bytes);
	return make_fit(&f, note, e);
}

bool capture_fit_again(struct capture_settings *settings, const struct source *source,
		       const struct sink *sinks, unsigned count, struct memory_plan *plan,
		       struct fit_note *note)
{
	struct fit f = { .settings = settings, .source = source, .sinks = sinks, .count = count, .plan = plan };
	uint64_t had = memory_of(&f, capture_workers(settings), plan->chunks);
	struct error ignored;

	f.usable = (struct limit){ had / 4 * 3, "the system refuses more" };
	return make_fit(&f, note, &ignored) == STATUS_OK &&
	       memory_of(&f, capture_workers(settings), plan->chunks) < had;
}
