// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "capture/engine/engine.h"
#include "capture/form/dump_writer.h"

/* --- the phases ------------------------------------------------------------ */

static bool all_are(const struct capture *c, bool sealed)
{
	for (unsigned i = 0; i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		if (engine_is_open(o) && !(sealed ? o->sealed : o->synced))
			return false;
	}
	return true;
}

static enum phase next_phase(const struct capture *c)
{
	if (c->phase == PHASE_DONE)
		return PHASE_DONE;
	if (engine_has_work(c) || c->ledger.in_flight || engine_layers_undecided(c))
		return PHASE_CAPTURING;
	if (c->phase == PHASE_CAPTURING)
		return PHASE_SYNCING;
	/* A full member may have to give up records even for its footer. */
	if (!all_are(c, false))
		return PHASE_SYNCING;
	if (c->phase == PHASE_SYNCING)
		return PHASE_ENDING;
	if (c->phase == PHASE_ENDING && !engine_commands_running(c))
		return PHASE_SEALING;
	/* A fallback command was activated for an empty source, which leaves no work. */
	if (c->phase == PHASE_SEALING && engine_commands_running(c))
		return PHASE_ENDING;
	if (c->phase == PHASE_SEALING && all_are(c, true))
		return PHASE_DONE;
	return c->phase;
}

static void enter(struct capture *c, enum phase phase)
{
	assert(phase == PHASE_CAPTURING ||
	       (!c->ledger.in_flight && !c->ready.first && !c->given_up));
	/* No file has a footer before all data is safe. */
	assert(phase < PHASE_ENDING || all_are(c, false));
	assert(phase < PHASE_SEALING || !engine_commands_running(c));
	assert(phase != PHASE_DONE || all_are(c, true));
	c->phase = phase;
	pthread_cond_broadcast(&c->can_fill);
	engine_wake_writers(c);
}

/*
 * To be called at the end of each step of a thread: advances the phase as far as possible, or returns it to CAPTURING.
 * Wakes all threads when it changes, and writers for which a checkpoint is due.  Reports outputs that have failed, and
 * releases the lock meanwhile.
 */
static void phases_advance(struct capture *c)
{
	enum phase phase;

	assert(engine_is_locked(c));
	checkpoints_wake(c);
	if (!engine_takers(c)) {
		/* No output is left to write these. */
		while (c->ready.first) {
			struct chunk *chunk = chunk_list_remove(&c->ready, &c->ready.first);

			engine_drop_chunk(c, chunk);
			engine_free_chunk(c, chunk);
		}
		read_back_drop_all(c);
	}
	while ((phase = next_phase(c)) != c->phase)
		enter(c, phase);
#ifdef NSPLIT_CHECKS
	assert(!engine_check(c));
#endif
	fail_report(c);
}

/* --- outputs that hang: see engine.h; for the watching thread, without the lock --- */

/*
 * Seconds that a call may take once the capture was asked to stop.  Whatever sent the request, as
 * systemd and kdump scripts do, sends SIGKILL after a while.
 */
static const double STOP_PATIENCE = 30;
/* Seconds between two looks, at most. */
static const double WATCH_INTERVAL = 1;
enum { LOOKS_AT_LEAST = 10 };	/* before an output is abandoned */
enum { TIME_LOOKS = 100 };	/* before the time is up, at least */

/* Seconds that a call may take; 0: any time. */
static double patience(const struct capture *c)
{
	double timeout = c->settings.sink_timeout;

	if ((c->stopping || c->limit == LIMIT_TIME) && (!timeout || timeout > STOP_PATIENCE))
		return STOP_PATIENCE;
	return timeout;
}

/*
 * A hung call keeps its chunk, and a copy is written in its place.  If no other chunk is free, or too few would be left
 * to read back what full outputs give up, it is the same chunk: the call only reads it, and what it writes does not
 * count.  A dump reads a chunk again after it has written it, and nobody needs the chunk: the next output begins anew.
 */
static void take_chunk_back(struct capture *c, struct output *o)
{
	struct chunk *chunk = o->writing;

	o->writing = NULL;
	if (!chunk)
		return;
	if (!o->form->member && c->pool.count - c->chunks_lost > 1) {
		engine_drop_chunk(c, chunk);
		c->chunks_lost++;
		return;
	}
	if (c->free.first && (!c->source->is_stream || read_back_ever_possible(c, 1))) {
		struct chunk *copy = chunk_list_remove(&c->free, &c->free.first);

		c->chunks_lost++;
		chunk_copy(copy, chunk);
		chunk = copy;
	}
	chunk_list_prepend(&c->ready, chunk);
}

static void abandon(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	struct error e;

	error_set(&e, STATUS_SYSTEM, "%s: no answer for %g s", o->form->sink->name, patience(c));
	assert(c->roles[o->thread] == output);
	o->stats.hung = true;
	sink_abandon(o->form->sink);
	thread_pool_abandon(&c->threads, o->thread);
	/* It was only being closed: what it holds is safe, or does not count in any case. */
	if (c->phase == PHASE_DONE || engine_is_finished(o)) {
		o->stats.closing = e;
		return;
	}
	take_chunk_back(c, o);
	read_back_drop(c, o);
	if (o->reading_back) {
		engine_drop_chunk(c, o->reading_back);
		c->chunks_lost++;
	}
	/* Without any chunk the capture could not continue. */
	assert(c->chunks_lost < c->pool.count);
	if (!read_back_ever_possible(c, 0))
		read_back_drop_all(c);
	fail_output(c, output, &e);
}

/*
 * A worker writes in the place of a writer, and its call takes long: the writer, which has nothing to do meanwhile, becomes
 * this worker, and this thread is the writer when the call returns.
 */
static void stand_in(struct capture *c, unsigned output)
{
	unsigned *role = &c->roles[c->outputs[output].thread], writer = 0;

	if (*role < c->count)
		return;
	while (c->roles[writer] != output)
		writer++;
	c->roles[writer] = *role;
	*role = output;
	pthread_cond_signal(&c->outputs[output].wake);
}

/* Every watch_interval seconds. */
static void watch_outputs(struct capture *c)
{
	const struct dump_layout *dump = c->settings.dump;
	double now = clock_seconds();
	/*
	 * More time may have passed because this process was stopped (SIGSTOP), its virtual machine
	 * was, or too many threads share its CPUs.  That is not the outputs' fault and does not
	 * count.
	 */
	double passed = min_double(now - c->watched, c->watch_interval);

	c->watched = now;
	/* Calls of the output of a dump ask which pages it has. */
	if (dump && dump->waits && dump->waits(dump->arg))
		return;
	pthread_mutex_lock(&c->lock);
	for (unsigned i = 0; i < c->count; i++) {
		struct output *o = &c->outputs[i];

		if (!o->busy || o->stats.hung)
			continue;
		o->waited += passed;
		/* A call may write much.  Of an output that has failed, it has this time in all. */
		if (o->writes != o->form->sink->writes && o->stats.state != SINK_DEAD && !c->stopping)
			o->waited = 0;
		o->writes = o->form->sink->writes;
		if (o->waited > c->watch_interval)
			stand_in(c, i);
		if (patience(c) && o->waited >= patience(c)) {
			abandon(c, i);
			phases_advance(c);
		}
	}
	if (c->settings.cautious)
		checkpoints_wake(c);
	pthread_mutex_unlock(&c->lock);
}

/* --- the threads: see engine.h --------------------------------------------- */

/* In place of a thread's number: one thread takes all steps, and nobody watches it. */
static const unsigned ALONE = UINT_MAX;

/*
 * In the place of a writer: writes a ready chunk to the next output that takes one.  False: none does, or the chunk is
 * left to its writer, which is woken.
 */
static bool write_in_turn(struct capture *c, unsigned thread)
{
	for (unsigned tried = 0; c->ready.first && tried < c->count; tried++) {
		unsigned output = c->turn;

		c->turn = (output + 1) % c->count;
		/* While striped, another output may have a chunk of its own. */
		if (thread != ALONE && writer_leave(c, output)) {
			if (!c->striped)
				return false;
		} else if (writer_write(c, output, thread)) {
			return true;
		}
	}
	return false;
}

/* False: there is nothing to do now. */
static bool work(struct capture *c, unsigned thread, unsigned worker)
{
	if (!write_in_turn(c, thread) && !worker_step(c, worker))
		return false;
	phases_advance(c);		/* perhaps no output is left to write the chunk */
	return true;
}

/* False: its last task is done, or it was abandoned. */
static bool write_or_wait(struct capture *c, unsigned output, unsigned thread)
{
	if (!writer_write(c, output, thread)) {
		if (!writer_has_task(c, output)) {
			pthread_cond_wait(&c->outputs[output].wake, &c->lock);
			return true;
		}
		if (!writer_do_task(c, output, thread))
			return false;
	}
	phases_advance(c);
	return true;
}

static bool work_or_wait(struct capture *c, unsigned worker, unsigned thread)
{
	if (!work(c, thread, worker) && c->phase != PHASE_DONE)
		pthread_cond_wait(&c->can_fill, &c->lock);
	return c->phase != PHASE_DONE || c->roles[thread] < c->count;
}

/*
 * Writers have the lowest numbers and are created first: all are needed, but one worker is enough.  The role of a thread
 * may change while it waits or writes (stand_in()); whoever is a writer at the end closes the output.
 */
static void thread_main(void *arg, unsigned thread)
{
	struct capture *c = arg;
	bool goes_on = true;

	pthread_mutex_lock(&c->lock);
	while (goes_on) {
		unsigned role = c->roles[thread];

		goes_on = role < c->count ? write_or_wait(c, role, thread) : work_or_wait(c, role - c->count, thread);
	}
	pthread_mutex_unlock(&c->lock);
}

static void watch_time(struct capture *c)
{
	if (!c->settings.limits.seconds)
		return;
	pthread_mutex_lock(&c->lock);
	engine_check_time(c, c->watch_interval);
	phases_advance(c);
	pthread_mutex_unlock(&c->lock);
}

/* Seconds that a read of the source may take for what is urgent, until others go on. */
enum { URGENT_PATIENCE = 1 };

static void watch_urgent(struct capture *c)
{
	pthread_mutex_lock(&c->lock);
	c->layers.waited += engine_waits_for_urgent(c) ? c->watch_interval : 0;
	if (c->layers.waited > URGENT_PATIENCE)
		layers_open_rest(c);
	pthread_mutex_unlock(&c->lock);
}

static void tick(void *arg)
{
	struct capture *c = arg;

	watch_urgent(c);
	watch_outputs(c);
	watch_time(c);
	c->watch->watch.tick(c->watch->watch.arg);
}

/* Before any chunk is filled. */
static void use_fewer(struct capture *c, unsigned workers, int errnum)
{
	if (c->auto_codec)
		auto_codec_fewer_workers(c->auto_codec, workers);
	if (c->watch->fewer_threads)
		c->watch->fewer_threads(c->watch->watch.arg, c->workers, workers, errnum);
}

static void fewer(void *arg, unsigned made, int errnum)
{
	struct capture *c = arg;

	use_fewer(c, made - c->count, errnum);
}

/* --- serial mode ------------------------------------------------------------ */

static void do_tasks(struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->phase != PHASE_DONE && writer_has_task(c, i) && writer_do_task(c, i, ALONE))
			phases_advance(c);
}

/*
 * The steps of the threads taken by one thread, one chunk at a time: the reference for what they may do.  Returns when
 * the phase is DONE.
 */
static void serial_run(struct capture *c)
{
	c->source->interrupt_fd = c->watch->watch.fd;
	c->source->interrupted = c->watch->watch.tick;
	c->source->interrupted_arg = c->watch->watch.arg;
	pthread_mutex_lock(&c->lock);
	while (c->phase != PHASE_DONE) {
		do_tasks(c);		/* the first time, opens the outputs */
		work(c, ALONE, 0);
		pthread_mutex_unlock(&c->lock);
		c->watch->watch.tick(c->watch->watch.arg);
		watch_time(c);
		pthread_mutex_lock(&c->lock);
	}
	for (unsigned i = 0; i < c->count; i++)
		writer_do_task(c, i, ALONE);	/* closes it */
	pthread_mutex_unlock(&c->lock);
}

/*
 * Returns when the phase is DONE.  If the system refuses threads, continues with fewer workers, or
 * in one thread as serial_run() does.
 */
static void threads_run(struct capture *c)
{
	struct watch watch = { .fd = c->watch->watch.fd, .tick = tick, .arg = c };
	double timeout = c->settings.sink_timeout;
	struct error why;

	c->watch_interval = min_double(c->watch->watch.interval, WATCH_INTERVAL);
	if (timeout)
		c->watch_interval = min_double(c->watch_interval, timeout / LOOKS_AT_LEAST);
	if (c->settings.limits.seconds)
		c->watch_interval = min_double(c->watch_interval, (double)c->settings.limits.seconds / TIME_LOOKS);
	c->watched = clock_seconds();
	watch.interval = c->watch_interval;
	c->threads = (struct thread_pool){
		.count = c->count + c->workers,
		.stack = THREAD_STACK,
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

/* --- all memory, before the start ------------------------------------------- */

/* Bytes of the heap for the C library; a stream of stdio takes 5 KiB, for example. */
enum { HEAP_RESERVE = 64 * 1024 };

static struct superblock make_superblock(const struct capture *c, unsigned number, int64_t created)
{
	const struct capture_settings *settings = &c->settings;
	struct superblock sb = {
		.id = settings->id,
		.number = number,
		.members = c->count,
		.fallbacks = settings->fallbacks,
		.block_size = settings->block_size,
		.chunk_size = settings->chunk_size,
		.cell_size = fill_cell_size(c->policy, settings->chunk_size),
		.classes = c->policy->plan,
		.source_size = c->source->is_stream ? SOURCE_SIZE_UNKNOWN : c->source->size,
		.created = created,
	};

	if (c->policy->second)
		sb.second = *c->policy->second;
	snprintf(sb.codec, sizeof(sb.codec), "%s", settings->codec_text);
	snprintf(sb.creator, sizeof(sb.creator), "%s", settings->creator);
	snprintf(sb.source, sizeof(sb.source), "%s", c->source->name);
	return sb;
}

static enum status make_outputs(struct capture *c, struct sink *sinks, struct error *e)
{
	/* All members have the same time; with different ones njoin would see two captures. */
	int64_t created = engine_time(c);
	const struct capture_settings *settings = &c->settings;
	enum status status = STATUS_OK;

	c->outputs = calloc(c->count, sizeof(*c->outputs));
	c->roles = calloc(c->count + c->workers, sizeof(*c->roles));
	if (!c->outputs || !c->roles)
		return error_system(e, ENOMEM, "%u outputs", c->count);
	for (unsigned i = 0; i < c->count + c->workers; i++)
		c->roles[i] = i;
	for (unsigned i = 0; i < c->count && !status; i++) {
		struct output *o = &c->outputs[i];
		struct superblock sb = make_superblock(c, i, created);

		pthread_cond_init(&o->wake, NULL);
		o->next_chunk = i;
		if (i >= c->ordinary)
			o->stats.state = SINK_RESERVED;
		if (settings->dump)
			status = dump_writer_new(&o->form, &sinks[i], settings->dump, c->source->size, sb.cell_size, e);
		else
			status = member_writer_new(&o->form, &sinks[i], &sb, e);
		if (status)
			break;
		o->form->digests = settings->digest;
		o->takes = i < c->ordinary ? form_stored_with(o->form, 0) : 0;
	}
	return status;
}

static enum status make_fillers(struct capture *c, struct error *e)
{
	enum status status = STATUS_OK;

	c->fillers = calloc(c->workers, sizeof(*c->fillers));
	if (!c->fillers)
		return error_system(e, ENOMEM, "%u workers", c->workers);
	for (unsigned i = 0; i < c->workers && !status; i++)
		status = filler_init(&c->fillers[i], &c->settings, c->source, i, e);
	return status;
}

static enum status take_memory(struct capture *c, const struct memory_plan *plan,
			       struct sink *sinks, struct error *e)
{
	const struct layer_policy *policy = c->policy;
	const uint32_t chunk_size = c->settings.chunk_size;
	enum status status = ledger_init(&c->ledger, source_chunks(c->source, chunk_size),
					 fill_cell_size(policy, chunk_size) / chunk_size, policy->layers, e);
	uint64_t heap;

	if (!status && policy->start)
		status = policy->start(policy->arg, c->workers, chunk_size, e);
	if (!status && policy->first.count) {
		ledger_begin_second(&c->ledger);
		layers_open_first(c, 0, policy->first.urgent);
		layers_open_rest(c);
	}
	if (!status)
		status = make_outputs(c, sinks, e);
	if (!status)
		status = make_fillers(c, e);
	if (!status && c->settings.presets.count > 1)
		status = auto_codec_new(&c->auto_codec, c->fillers, c->workers, c->count, c->settings.serial, e);
	if (status)
		return status;
	/* For libraries that allocate memory during a call, and for the C library. */
	heap = HEAP_RESERVE + (uint64_t)c->workers * filler_heap(&c->fillers[0].packers);
	if (heap > SIZE_MAX || !memory_reserve(heap))
		return error_system(e, ENOMEM, "work memory of %u threads, %" PRIu64 " bytes", c->workers, heap);
	status = chunk_pool_init(&c->pool, plan->chunks, plan->chunk, &c->free, e);
	if (!status)
		memory_lock(c->pool.memory, c->pool.memory_size);
	return status;
}

enum status capture_new(struct capture **capture, const struct capture_settings *settings,
			const struct memory_plan *plan, struct source *source,
			struct sink *sinks, unsigned count, struct error *e)
{
	enum status status;
	struct capture *c;

	c = calloc(1, sizeof(*c));
	if (!c)
		return error_system(e, ENOMEM, "capture");
	c->settings = *settings;
	c->source = source;
	c->policy = layer_policy_of(settings, source);
	c->workers = capture_workers(settings);
	c->count = count;
	c->ordinary = count - settings->fallbacks;
	c->striped = settings->stripe;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->can_fill, NULL);
	chunk_list_init(&c->free);
	chunk_list_init(&c->ready);
	status = take_memory(c, plan, sinks, e);
	if (status) {
		capture_free(c);
		return status;
	}
	c->layers.classes = c->policy->plan;
	c->layers.judged = c->policy->layers == 1;	/* there is nothing to decide */
	c->layers.passes = c->layers.judged ? 0 : c->policy->first.count ? 2 : 1;
	*capture = c;
	return STATUS_OK;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	for (unsigned i = 0; c->outputs && i < c->count; i++)
		if (c->outputs[i].stats.hung)
			return;
	auto_codec_free(c->auto_codec);
	for (unsigned i = 0; c->fillers && i < c->workers; i++)
		filler_free(&c->fillers[i]);
	free(c->fillers);
	for (unsigned i = 0; c->outputs && i < c->count; i++) {
		form_free(c->outputs[i].form);
		pthread_cond_destroy(&c->outputs[i].wake);
	}
	free(c->outputs);
	free(c->roles);
	chunk_pool_free(&c->pool);
	ledger_free(&c->ledger);
	pthread_cond_destroy(&c->can_fill);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

void capture_open(struct capture *c, const struct capture_watch *watch)
{
	c->watch = watch;
	writers_begin_first(c);
}

enum status capture_run(struct capture *c, struct error *e)
{
	c->started = clock_seconds();
	pthread_mutex_lock(&c->lock);
	phases_advance(c);		/* an empty source is done at once */
	pthread_mutex_unlock(&c->lock);
	if (c->settings.serial)
		serial_run(c);
	else
		threads_run(c);
	return capture_outcome(c, e);
}

void capture_stop(struct capture *c)
{
	const struct layer_policy *policy = c->policy;

	pthread_mutex_lock(&c->lock);
	/* Calls may take less time from now on; what they have taken so far does not count. */
	for (unsigned i = 0; !c->stopping && i < c->count; i++)
		c->outputs[i].waited = 0;
	c->stopping = true;
	phases_advance(c);
	pthread_mutex_unlock(&c->lock);
	source_cancel(c->source);
	if (policy->stop)
		policy->stop(policy->arg);
}
