// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is a set of up to three consecutive members, after 16 bytes that say where they begin and
 * how to walk them:
 *
 *	0	bits 0 to 2: salvage, ordered, past damage; 3 and 4: members; 5 to 7: which are
 *		streams
 *	1	threads
 *	2, 4	where members 1 and 2 begin, in units, two bytes each
 *	6	two bytes: beginning of the wanted range, in units
 *	8	four bytes: its end; not after the beginning: the end of the source
 *
 * The bytes are delivered into a sink of SINK bytes; those beyond it are only read.
 *
 * Sets of files are also read by offset, and searched by the heads of their records (set/read/contents.h); all
 * three must agree.  Then they are checked with their roots.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "set/read/contents.h"
#include "set/read/range.h"
#include "set/read/walk.h"

enum { HEAD = 16, SINK = 256 * 1024 };

const size_t fuzz_prefix = HEAD;

struct sink {
	const struct walk_settings *settings;
	uint8_t *bytes;
	bool ordered;
	uint64_t end;			/* end of the latest range, in an ordered walk */
};

struct files {
	char text[FUZZ_FILES][FUZZ_NAME];
	char *names[FUZZ_FILES];
	int pipes[FUZZ_FILES];		/* -1: a file */
	unsigned count;
};

static void ignore_error(void *arg, const struct error *e)
{
	(void)arg;
	fuzz_require(e->status != STATUS_OK && memchr(e->text, 0, sizeof(e->text)),
		     "only errors are reported");
}

static void ignore_range(void *arg, uint64_t offset, uint64_t length)
{
	const struct walk_settings *s = arg;

	fuzz_require(length && offset >= s->from && offset + length <= s->to,
		     "unreadable ranges lie in what is wanted");
}

static void ignore_tick(void *arg)
{
	(void)arg;
}

static enum status take_piece(void *arg, const struct delivery *delivery, struct error *e)
{
	struct sink *sink = arg;
	uint64_t offset = delivery->offset;
	/* Reads all bytes, even those beyond the sink. */
	volatile uint8_t last = delivery->data ? delivery->data[delivery->length - 1] : 0;

	(void)e;
	(void)last;
	fuzz_require(delivery->length && offset >= sink->settings->from &&
		     offset + delivery->length <= sink->settings->to &&
		     offset + delivery->length > offset, "pieces lie in what is wanted");
	if (sink->ordered) {
		fuzz_require(offset >= sink->end, "an ordered walk goes on");
		sink->end = offset + delivery->length;
	}
	if (offset >= SINK)
		return STATUS_OK;
	if (delivery->data)
		memcpy(sink->bytes + offset, delivery->data, min_u64(delivery->length, SINK - offset));
	else
		memset(sink->bytes + offset, 0, min_u64(delivery->length, SINK - offset));
	return STATUS_OK;
}

static void open_files(struct files *f, const uint8_t *input, size_t size)
{
	size_t from = 0, all = size - HEAD;

	f->count = 1 + (input[0] >> 3 & 3) % FUZZ_FILES;
	for (unsigned i = 0; i < f->count; i++) {
		size_t cut = (input[2 + 2 * i] | (size_t)input[3 + 2 * i] << 8) * ALIGNMENT;
		size_t to = i + 1 == f->count ? all : min_u64(max_u64(cut, from), all);

		f->names[i] = f->text[i];
		f->pipes[i] = -1;
		if (input[0] >> (5 + i) & 1)
			f->pipes[i] = fuzz_pipe(input + HEAD + from, to - from, f->text[i]);
		else
			fuzz_file(i, input + HEAD + from, to - from, f->text[i]);
		from = to;
	}
}

static void check_holes(const struct set *set, const struct walk *w)
{
	uint64_t offset = 0, length, end = 0;

	while (walk_hole(w, &offset, &length)) {
		fuzz_require(length && offset >= end, "holes of a walk come in order");
		end = offset += length;
	}
	offset = end = 0;
	while (!set_has_layers(set) && set_hole(set, &offset, &length)) {
		fuzz_require(length && offset >= end && offset + length <= set->source_size,
			     "holes of a set come in order");
		end = offset += length;
	}
}

/* --- other ways to read -------------------------------------------------------- */

static void ignore_damaged(void *arg, size_t location, const struct error *e)
{
	(void)location;
	ignore_error(arg, e);
}

static void check_left_out(const struct contents *c, uint64_t size)
{
	uint64_t offset = 0, length, end = 0, bytes = 0;

	for (; contents_next_left_out(c, &offset, &length); offset += length) {
		fuzz_require(length && offset >= end && offset + length <= size,
			     "what is left out comes in order");
		end = offset + length;
		bytes += length;
	}
	fuzz_require(bytes == layer_totals_sum(c->totals.memory.left_out) +
			      layer_totals_sum(c->totals.second.left_out), "and is what was counted");
}

static uint64_t sum_of_ranges(const struct range_list *list)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < list->count; i++)
		bytes += list->ranges[i].length;
	return bytes;
}

/* Every byte of the source is one of four things. */
static void check_contents(const struct set *set)
{
	const struct contents_watch watch = { .damaged = ignore_damaged };
	const struct class_totals *t, *second;
	struct contents c;
	struct error e;

	fuzz_require(contents_find(&c, set, &watch, &e) == STATUS_OK, "there is memory");
	t = &c.totals.memory;
	second = &c.totals.second;
	check_left_out(&c, set->source_size);
	fuzz_require(sum_of_ranges(&c.missing) == layer_totals_sum(t->missing) + t->unknown +
						  layer_totals_sum(second->missing) + second->unknown &&
		     sum_of_ranges(&c.unreadable) == t->unreadable + second->unreadable, "what is missing was counted");
	fuzz_require(layer_totals_sum(t->kept) + layer_totals_sum(t->left_out) + t->unreadable +
		     layer_totals_sum(t->missing) + t->unknown + layer_totals_second(&c.totals) == set->source_size,
		     "nothing counts twice");
	contents_free(&c);
}

/* What can be read by offset is what a walk over all of the source has delivered. */
static void check_reader(const struct set *set, const uint8_t *walked)
{
	uint8_t *bytes = fuzz_memory(GRANULE);
	struct range_reader reader;
	struct error e;

	fuzz_require(range_reader_init(&reader, set, &e) == STATUS_OK, "there is memory");
	for (uint64_t at = 0; at < SINK && at < set->source_size; at += GRANULE) {
		size_t length = min_u64(GRANULE, set->source_size - at);

		if (!range_read(&reader, at, length, bytes, &e))
			fuzz_require(!memcmp(bytes, walked + at, length), "a reader and a walk agree");
	}
	range_reader_free(&reader);
	free(bytes);
}

/* --------------------------------------------------------------------------------- */

/* Returns whether the walk succeeded.  The caller frees the bytes, which the walk delivered. */
static bool walk(struct set *set, struct walk_settings settings, uint8_t **bytes)
{
	struct sink sink = {
		.settings = &settings,
		.bytes = fuzz_memory(SINK),
		.ordered = settings.ordered,
	};
	struct walk *w;
	struct error e;
	enum status status;

	memset(sink.bytes, 0xa5, SINK);
	settings.mode = WALK_BYTES;
	settings.deliver = take_piece;
	settings.deliver_arg = &sink;
	settings.unreadable = ignore_range;
	settings.damaged = ignore_error;
	settings.arg = &settings;
	settings.watch = (struct watch){ .fd = -1, .interval = 60, .tick = ignore_tick };
	fuzz_require(walk_new(&w, set, &settings, &e) == STATUS_OK, "there is memory");
	status = walk_run(w, &e);
	if (!status)
		check_holes(set, w);
	walk_free(w);
	*bytes = sink.bytes;
	return !status;
}

/* A verdict about each member, whatever its footer says of its records. */
static void check_roots(struct set *set)
{
	struct walk_settings settings = {
		.mode = WALK_CHECK, .threads = 2, .to = SOURCE_SIZE_UNKNOWN, .past_damage = true,
		.unreadable = ignore_range, .damaged = ignore_error,
		.watch = { .fd = -1, .interval = 60, .tick = ignore_tick },
	};
	struct roots *roots = NULL;
	uint8_t bytes[ROOT_LENGTH];
	struct walk *w;
	struct error e;

	fuzz_require(roots_new(&roots, set, &e) == STATUS_OK, "there is memory");
	settings.roots = roots;
	settings.arg = &settings;
	fuzz_require(walk_new(&w, set, &settings, &e) == STATUS_OK, "there is memory");
	fuzz_require(walk_run(w, &e) == STATUS_OK, "a check goes on past all damage");
	for (unsigned i = 0; roots && i < set->count; i++)
		fuzz_require((roots_verdict(roots, i, bytes) == ROOT_NONE) == !member_has_root(&set->members[i]),
			     "a root is same, different or unknown");
	walk_free(w);
	roots_free(roots);
}

static void walk_both_ways(struct set *set, const uint8_t *input)
{
	uint32_t to = get_le32(input + 8);
	struct walk_settings settings = {
		.threads = 1 + input[1] % 3,
		.ordered = input[0] & 2,
		.past_damage = input[0] & 4,
		.from = (input[6] | (uint64_t)input[7] << 8) * ALIGNMENT,
	};
	uint8_t *first, *second = NULL;
	bool good;

	settings.to = to > settings.from ? to : SOURCE_SIZE_UNKNOWN;
	good = walk(set, settings, &first);
	settings.threads = 1;
	settings.ordered = !settings.ordered;
	fuzz_require(walk(set, settings, &second) == good, "both ways to walk come to the same end");
	fuzz_require(!good || !memcmp(first, second, SINK), "and give the same bytes");
	if (!settings.from && settings.to == SOURCE_SIZE_UNKNOWN && good)
		check_reader(set, first);
	check_contents(set);
	check_roots(set);
	free(first);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct set_settings settings = { .warn = ignore_error, .spool = "/dev/shm" };
	struct files files;
	struct names names;
	struct error e;
	struct set set;

	if (size < HEAD || size > FUZZ_INPUT_MAX)
		return 0;
	settings.salvage = settings.search = input[0] & 1;
	open_files(&files, input, size);
	names = (struct names){ files.names, files.count };
	if (set_open(&set, &names, &settings, &e) == STATUS_OK)
		walk_both_ways(&set, input);
	set_close(&set);
	for (unsigned i = 0; i < files.count; i++)
		if (files.pipes[i] >= 0)
			close(files.pipes[i]);
	return 0;
}
