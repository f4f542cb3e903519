// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "mount/cache.h"

enum kept_state { LOADING, READY, FAILED, REFUSED };

/*
 * Buffers of plain records that went, for those that come: new memory costs a fault a page, which a
 * sequential reader pays for with a sixth of its speed.
 */
enum { SPARES = 2 };

/* Before each piece, and before its struct kept. */
enum { HEAP_ADDS = 2 * 2 * sizeof(size_t) };

/* Neither an entry nor a spare of it can be used.  A set has fewer members than that. */
enum { LOST = UINT8_MAX };

/*
 * After a system error the record is not tried again for PAUSE times as long as the failed try took: a
 * bad sector may take a device half a minute, and the kernel asks for each page of a record.
 */
enum { PAUSE = 10 };

/* What was reported about a record.  Damage is reported even after a system error was. */
enum told { TOLD_NOTHING, TOLD_ERROR, TOLD_DAMAGE };

/* Of the entry at a place of the map. */
struct finding {
	uint8_t copy;			/* to begin with: 0, the entry itself, or a spare; or LOST */
	uint8_t told;			/* an enum told; under the lock of telling */
	double retry;			/* after a system error: not before then, by the clock */
};

/* What is below the comment is covered by the lock; what is above is constant once it is READY. */
struct kept {
	size_t location;
	uint8_t copy;			/* it is this one: 0, or a spare */
	enum kept_form form;
	uint8_t *bytes;			/* the record, or its blocks; owned */
	struct record record;
	const struct member *member;	/* where it came from, */
	uint64_t offset;		/* and where in it */
	size_t size;			/* what it counts for */
	/* Under the lock: */
	enum kept_state state;
	enum status status;		/* of one that FAILED */
	unsigned users;			/* it stays as long as there are any */
	struct kept *newer, *older;	/* of those that are READY */
};

struct cache {
	const struct set *set;		/* borrowed */
	struct cache_settings settings;
	pthread_mutex_t telling;	/* is told in order, and not under the lock */
	pthread_mutex_t lock;
	pthread_cond_t loaded;		/* something is LOADING no more */
	/* Under the lock: */
	struct kept **by_location;		/* NULL: it is not kept; owned */
	struct finding *findings;	/* one for each place; owned */
	struct kept *newest, *oldest;
	uint64_t used;
	uint8_t *duplicates[SPARES];	/* of chunk_size bytes each; owned */
	unsigned duplicates_count;
};

enum status cache_new(struct cache **cache, const struct set *set,
		      const struct cache_settings *settings, struct error *e)
{
	struct cache *c = calloc(1, sizeof(*c));

	*cache = c;
	if (!c)
		return error_system(e, ENOMEM, "cache of %zu records", set->locations);
	c->set = set;
	c->settings = *settings;
	pthread_mutex_init(&c->telling, NULL);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->loaded, NULL);
	c->by_location = calloc(set->locations + 1, sizeof(*c->by_location));
	c->findings = calloc(set->locations + 1, sizeof(*c->findings));
	if (c->by_location && c->findings)
		return STATUS_OK;
	cache_free(c);
	*cache = NULL;
	return error_system(e, ENOMEM, "cache of %zu records", set->locations);
}

static void kept_free(struct kept *kept)
{
	free(kept->bytes);
	free(kept);
}

void cache_free(struct cache *cache)
{
	if (!cache)
		return;
	while (cache->newest) {
		struct kept *kept = cache->newest;

		cache->newest = kept->older;
		kept_free(kept);
	}
	while (cache->duplicates_count)
		free(cache->duplicates[--cache->duplicates_count]);
	free(cache->by_location);
	free(cache->findings);
	pthread_cond_destroy(&cache->loaded);
	pthread_mutex_destroy(&cache->lock);
	pthread_mutex_destroy(&cache->telling);
	free(cache);
}

/* --- the order in which they go; under the lock ---------------------------------- */

static void unlink_kept(struct cache *cache, struct kept *kept)
{
	*(kept->newer ? &kept->newer->older : &cache->newest) = kept->older;
	*(kept->older ? &kept->older->newer : &cache->oldest) = kept->newer;
	kept->newer = kept->older = NULL;
}

static void link_newest(struct cache *cache, struct kept *kept)
{
	kept->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = kept;
	cache->newest = kept;
}

static void link_oldest(struct cache *cache, struct kept *kept)
{
	kept->newer = cache->oldest;
	*(cache->oldest ? &cache->oldest->older : &cache->newest) = kept;
	cache->oldest = kept;
}

static void save_buffer(struct cache *cache, struct kept *kept)
{
	if (kept->form != KEPT_PLAIN || cache->duplicates_count == SPARES)
		return;
	cache->duplicates[cache->duplicates_count++] = kept->bytes;
	kept->bytes = NULL;
}

static void make_room(struct cache *cache)
{
	struct kept *kept = cache->oldest;

	while (kept && cache->used > cache->settings.limit) {
		struct kept *newer = kept->newer;

		if (!kept->users) {
			cache->by_location[kept->location] = NULL;
			cache->used -= kept->size;
			unlink_kept(cache, kept);
			save_buffer(cache, kept);
			kept_free(kept);
		}
		kept = newer;
	}
}

/* --- loading --------------------------------------------------------------------- */

/* The hand has the record while it works on it, but does not own it. */
static void lend(struct buffers *buffers, const struct kept *kept)
{
	buffers->reader.raw = kept->bytes;
	buffers->reader.record = kept->record;
	buffers->reader.member = kept->member;
	buffers->reader.offset = kept->offset;
}

static void take_back(struct buffers *buffers)
{
	buffers->reader.raw = NULL;
}

/* With what the heap adds: to a record of one page, that is a good part of it. */
static size_t cost(uint8_t *bytes)
{
	return sizeof(struct kept) + malloc_usable_size(bytes) + HEAP_ADDS;
}

uint64_t cache_cost(const struct set *set)
{
	return sizeof(struct kept) + record_length_max(set->chunk_size) + UNIT;
}

static enum status load_packed(const struct cache *cache, struct buffers *buffers, struct kept *kept,
			       const struct location *location, struct error *e)
{
	struct record_reader *reader = &buffers->reader;
	enum status status;

	free(kept->bytes);
	kept->bytes = malloc(location->entry.record_length);
	if (!kept->bytes)
		return error_system(e, ENOMEM, "record buffer");
	kept->size = cost(kept->bytes);
	reader->raw = kept->bytes;
	status = record_reader_load(reader, cache->set, location, e);
	kept->record = reader->record;
	kept->member = reader->member;
	kept->offset = reader->offset;
	take_back(buffers);
	return status;
}

/* Entry and spares of a place. */
static uint8_t count_copies(const struct set *set, size_t location)
{
	uint8_t copies = 1;

	while (copies < LOST && (location = set_next_copy(set, location)) < set->locations)
		copies++;
	return copies;
}

/*
 * Another try may succeed: the system's error may pass, and a member that is shorter than it was when
 * it was opened may be put back.  Damage does not pass.
 */
static bool may_pass(enum status status)
{
	return status == STATUS_SYSTEM || status == STATUS_CUT;
}

/*
 * The first copy of a record, from kept->copy on, that is whole.  If there is none, the error is the
 * first one's, or the first that may pass if one may; but of memory that is short nothing follows, so
 * that ends it.  passed_over: a copy before it could not be read.
 */
static enum status load_any(const struct cache *cache, struct buffers *buffers, struct kept *kept,
			    bool *passed_over, struct error *e)
{
	struct location **map = cache->set->map + kept->location;
	uint8_t copies = count_copies(cache->set, kept->location);
	enum status status = load_packed(cache, buffers, kept, map[kept->copy], e);
	struct error other;

	*passed_over = may_pass(status);
	while (status && status != STATUS_NO_MEMORY && kept->copy + 1 < copies) {
		enum status next = load_packed(cache, buffers, kept, map[++kept->copy], &other);

		if (next == STATUS_NO_MEMORY || (may_pass(next) && !*passed_over))
			*e = other;
		if (!next || next == STATUS_NO_MEMORY || (may_pass(next) && !*passed_over))
			status = next;
		*passed_over |= may_pass(next);
	}
	/* What is unreadable in this copy may be there in the one that was passed over. */
	return !status && *passed_over && kept->record.unreadable ? e->status : status;
}

static uint8_t *plain_buffer(struct cache *cache)
{
	uint8_t *duplicate = NULL;

	pthread_mutex_lock(&cache->lock);
	if (cache->duplicates_count)
		duplicate = cache->duplicates[--cache->duplicates_count];
	pthread_mutex_unlock(&cache->lock);
	return duplicate ? duplicate : malloc(cache->set->chunk_size);
}

/* If it cannot be, it is left as it is: some of its blocks may be wanted that are good. */
static void make_plain(struct cache *cache, struct buffers *buffers, struct kept *kept)
{
	uint8_t *plain = plain_buffer(cache);
	enum status status;
	struct error e;

	if (!plain)
		return;
	/* The reader writes no zeros. */
	memset(plain, 0, kept->record.source_length);
	lend(buffers, kept);
	status = record_reader_unpack(&buffers->reader, plain, &e);
	take_back(buffers);
	if (status) {
		free(plain);
		return;
	}
	free(kept->bytes);
	kept->bytes = plain;
	kept->form = KEPT_PLAIN;
	kept->size = cost(plain);
}

static enum status load(struct cache *cache, struct buffers *buffers, struct kept *kept,
			enum kept_form form, bool *passed_over, struct error *e)
{
	enum status status = load_any(cache, buffers, kept, passed_over, e);

	if (!status && form == KEPT_PLAIN && !kept->record.unreadable)
		make_plain(cache, buffers, kept);
	return status;
}

/* --- what is found ----------------------------------------------------------------- */

static void tell(struct cache *cache, size_t location, enum told what, const struct error *e)
{
	struct finding *finding = &cache->findings[location];

	pthread_mutex_lock(&cache->telling);
	if (finding->told < what) {
		finding->told = (uint8_t)what;
		cache->settings.damaged(cache->settings.arg, e);
	}
	pthread_mutex_unlock(&cache->telling);
}

void cache_report(struct cache *cache, size_t location, const struct error *e)
{
	tell(cache, location, TOLD_DAMAGE, e);
}

/* Why was told, as it was of the next one. */
static enum status error_lost(const struct cache *cache, size_t location, struct error *e)
{
	const struct index_entry *entry = &cache->set->map[location]->entry;

	return error_set(e, STATUS_DAMAGED, "the record of bytes %" PRIu64 " to %" PRIu64 " of the "
			 "source is lost", entry->source_offset,
			 entry->source_offset + entry->source_length - 1);
}

static enum status error_waiting(const struct cache *cache, size_t location, struct error *e)
{
	const struct index_entry *entry = &cache->set->map[location]->entry;

	return error_set(e, STATUS_SYSTEM, "the record of bytes %" PRIu64 " to %" PRIu64 " of the "
			 "source cannot be read now", entry->source_offset,
			 entry->source_offset + entry->source_length - 1);
}

/* --- taking and giving back ------------------------------------------------------ */

/* Under the lock.  One that failed or was refused is out of the cache already. */
static void drop_user(struct cache *cache, struct kept *kept)
{
	if (--kept->users)
		return;
	if (kept->state != READY)
		kept_free(kept);
	else
		make_room(cache);
}

static struct kept *add_loading(struct cache *cache, size_t location)
{
	struct kept *kept = calloc(1, sizeof(*kept));

	if (!kept)
		return NULL;
	kept->location = location;
	kept->copy = cache->findings[location].copy;
	kept->state = LOADING;
	kept->users = 1;
	cache->by_location[location] = kept;
	return kept;
}

/* Under the lock: what is to be known of the record when it is asked for again. */
static void note_finding(struct finding *finding, const struct kept *kept, bool passed_over,
			 double began)
{
	double now = clock_seconds();

	if (may_pass(kept->status))
		finding->retry = now + PAUSE * (now - began);
	else if (kept->status && kept->status != STATUS_NO_MEMORY)
		finding->copy = LOST;
	/* A copy that was passed over is looked at again. */
	else if (!kept->status && !passed_over)
		finding->copy = kept->copy;
}

/* Without the lock, but for the end. */
static void load_for_all(struct cache *cache, struct buffers *buffers, struct kept *kept,
			 enum kept_form form, struct error *e)
{
	double began = clock_seconds();
	bool passed_over;
	enum status status = load(cache, buffers, kept, form, &passed_over, e);

	if (status && status != STATUS_NO_MEMORY)
		tell(cache, kept->location, may_pass(status) ? TOLD_ERROR : TOLD_DAMAGE, e);
	pthread_mutex_lock(&cache->lock);
	kept->state = status ? FAILED : READY;
	kept->status = status;
	note_finding(&cache->findings[kept->location], kept, passed_over, began);
	if (status) {
		cache->by_location[kept->location] = NULL;
	} else {
		link_newest(cache, kept);
		cache->used += kept->size;
		make_room(cache);
	}
	pthread_cond_broadcast(&cache->loaded);
	pthread_mutex_unlock(&cache->lock);
}

/* Under the lock, which is given up while it is loaded, by another thread. */
static void wait_for(struct cache *cache, struct kept *kept)
{
	kept->users++;
	while (kept->state == LOADING)
		pthread_cond_wait(&cache->loaded, &cache->lock);
	/* Perhaps it was refused before this thread had its turn; then its user will, too. */
	if (kept->state != READY)
		return;
	unlink_kept(cache, kept);
	link_newest(cache, kept);
}

/* One that FAILED was loaded by another thread, which has told of it. */
static enum status error_failed(const struct cache *cache, const struct kept *kept, struct error *e)
{
	if (kept->status == STATUS_NO_MEMORY)
		return error_system(e, ENOMEM, "record buffer");
	return may_pass(kept->status) ? error_waiting(cache, kept->location, e)
				      : error_lost(cache, kept->location, e);
}

/* Under the lock: STATUS_OK, or why it is not even tried. */
static enum status known(const struct cache *cache, size_t location)
{
	const struct finding *finding = &cache->findings[location];

	if (finding->copy == LOST)
		return STATUS_DAMAGED;
	return finding->retry > 0 && clock_seconds() < finding->retry ? STATUS_SYSTEM : STATUS_OK;
}

/* As it is kept, if it is; else one that is LOADING, for this thread to load. */
static struct kept *find_or_add(struct cache *cache, size_t location, bool *there,
				enum status *verdict)
{
	struct kept *kept = NULL;

	pthread_mutex_lock(&cache->lock);
	*verdict = known(cache, location);
	*there = cache->by_location[location];
	if (*there) {
		kept = cache->by_location[location];
		wait_for(cache, kept);
	} else if (!*verdict) {
		kept = add_loading(cache, location);
	}
	pthread_mutex_unlock(&cache->lock);
	return kept;
}

static enum status error_known(const struct cache *cache, size_t location, enum status verdict,
			       struct error *e)
{
	if (!verdict)
		return error_system(e, ENOMEM, "record buffer");
	return verdict == STATUS_SYSTEM ? error_waiting(cache, location, e)
					: error_lost(cache, location, e);
}

enum status cache_take(struct cache *cache, struct buffers *buffers, size_t location, enum kept_form form,
		       struct kept **kept, struct error *e)
{
	enum status status, verdict;
	bool there;
	struct kept *k = find_or_add(cache, location, &there, &verdict);

	*kept = NULL;
	if (!k)
		return error_known(cache, location, verdict, e);
	if (!there)
		load_for_all(cache, buffers, k, form, e);
	/* It does not change any more as long as this thread is one of its users. */
	status = k->status;
	if (!status) {
		*kept = k;
		return STATUS_OK;
	}
	if (there)
		error_failed(cache, k, e);
	cache_give_back(cache, k, false);
	if (may_pass(status))
		return STATUS_SYSTEM;
	return status == STATUS_NO_MEMORY ? status : STATUS_DAMAGED;
}

void cache_give_back(struct cache *cache, struct kept *kept, bool read_out)
{
	pthread_mutex_lock(&cache->lock);
	if (read_out && kept->state == READY && kept->form == KEPT_PLAIN) {
		unlink_kept(cache, kept);
		link_oldest(cache, kept);
	}
	drop_user(cache, kept);
	pthread_mutex_unlock(&cache->lock);
}

bool cache_refuse(struct cache *cache, struct kept *kept)
{
	struct finding *finding = &cache->findings[kept->location];
	bool next = kept->copy + 1 < count_copies(cache->set, kept->location);

	pthread_mutex_lock(&cache->lock);
	/* Unless another user has refused it meanwhile. */
	if (next && kept->state == READY) {
		kept->state = REFUSED;
		cache->by_location[kept->location] = NULL;
		cache->used -= kept->size;
		unlink_kept(cache, kept);
		finding->copy = kept->copy + 1;
	}
	pthread_mutex_unlock(&cache->lock);
	return next;
}

bool cache_has(struct cache *cache, size_t location)
{
	bool has;

	pthread_mutex_lock(&cache->lock);
	has = cache->by_location[location] || known(cache, location);
	pthread_mutex_unlock(&cache->lock);
	return has;
}

uint64_t cache_used(struct cache *cache)
{
	uint64_t used;

	pthread_mutex_lock(&cache->lock);
	used = cache->used;
	pthread_mutex_unlock(&cache->lock);
	return used;
}

/* --- reading one ----------------------------------------------------------------- */

/* The bytes from within to within + len of block i; a whole one goes where it is wanted at once. */
static enum status read_block(struct buffers *buffers, uint32_t i, size_t within, size_t len,
			      bool zeros, uint8_t *dst, struct error *e)
{
	struct record_reader *reader = &buffers->reader;
	const struct record *record = &reader->record;
	bool whole = len == record_block_length(record, i);
	enum status status;

	if (!zeros && record_reader_kind(reader, i) == BLOCK_UNREADABLE)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " could not be read during "
				 "the capture", record->source_offset +
				 (uint64_t)i * record->block_size);
	/* A hole of the source may be one block of a MiB, of which a page is wanted. */
	if (record_reader_kind(reader, i) == BLOCK_ZERO) {
		memset(dst, 0, len);
		return STATUS_OK;
	}
	status = record_reader_unpack_block(reader, i, whole ? dst : buffers->block, e);
	if (!status && !whole)
		memcpy(dst, buffers->block + within, len);
	return status;
}

enum status kept_read(const struct kept *kept, struct buffers *buffers, uint64_t offset, size_t len,
		      bool zeros, uint8_t *dst, struct error *e)
{
	const struct record *record = &kept->record;
	uint64_t at = offset - record->source_offset;
	enum status status = STATUS_OK;

	if (kept->form == KEPT_PLAIN) {
		memcpy(dst, kept->bytes + at, len);
		return STATUS_OK;
	}
	lend(buffers, kept);
	while (len && !status) {
		uint32_t i = (uint32_t)(at / record->block_size);
		size_t within = at % record->block_size;
		size_t some = min_u64(len, record_block_length(record, i) - within);

		status = read_block(buffers, i, within, some, zeros, dst, e);
		dst += some;
		at += some;
		len -= some;
	}
	take_back(buffers);
	return status;
}
