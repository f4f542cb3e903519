// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "reading.h"

enum { LENGTH_MOST = 1 << 26 };

/* Messages about a member as a whole have no offset. */
static bool of_all(const char *text)
{
	static const char *const said[] = {
		": it has ", ": belongs to a different set than ", ": is the same file as ",
		": was given twice",
		": belongs to a different capture than ", ": was captured at ",
		" of the set, and so is ",
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (strstr(text, said[i]))
			return true;
	return false;
}

/* "NAME: ... byte N ..." */
static bool names_place(const struct reading *r, const char *text)
{
	bool file = false;
	const char *byte;

	for (size_t i = 0; i < r->names->count; i++) {
		const char *name = r->names->names[i];
		size_t len = strlen(name);

		file |= strncmp(text, name, len) == 0 && text[len] == ':';
	}
	byte = strstr(text, "byte ");
	return file && ((byte && isdigit((unsigned char)byte[5])) || of_all(text));
}

static void tell(void *arg, const struct error *e)
{
	struct reading *r = arg;

	pthread_mutex_lock(&r->lock);
	r->told++;
	r->error = *e;
	r->all_named &= names_place(r, e->text);
	pthread_mutex_unlock(&r->lock);
}

static void unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct reading *r = arg;

	(void)offset;
	pthread_mutex_lock(&r->lock);
	r->unreadable += length;
	pthread_mutex_unlock(&r->lock);
}

static void no_tick(void *arg)
{
	(void)arg;
}

/* The holes of the map before a walk, or of the walk. */
static void count_holes(struct reading *r, const struct set *set, const struct walk *w)
{
	uint64_t offset = 0, length;

	r->missing = 0;
	for (; w ? walk_hole(w, &offset, &length) : set_hole(set, &offset, &length);
	     offset += length) {
		r->missing += length;
		if (!length || offset + length > set->source_size)
			r->broken = "holes lie in the source, and have a length";
		if (r->broken)
			return;
		if (r->holes && offset < r->source_length)
			memset(r->holes + offset, 1, min_u64(length, r->source_length - offset));
	}
}

static enum status walk(struct reading *r, struct set *set, struct copy *copy, struct error *e)
{
	struct walk_settings settings = {
		.threads = r->threads,
		.past_damage = r->way != READING_JOIN,
		.to = set->source_size,
		.mode = r->way == READING_VERIFY ? WALK_CHECK : WALK_BYTES,
		.deliver = copy_deliver,
		.deliver_arg = copy,
		.unreadable = unreadable,
		.damaged = tell,
		.arg = r,
		.watch = { .fd = -1, .interval = 60, .tick = no_tick },
	};
	struct walk *w = NULL;
	enum status status = walk_new(&w, set, &settings, e);

	if (!status)
		status = walk_run(w, e);
	if (!status)
		count_holes(r, set, w);
	walk_free(w);
	return status;
}

/* The same steps as in njoin. */
static enum status join(struct reading *r, struct set *set, struct error *e)
{
	struct output_file output = {
		.name = (char *)"OUTPUT", .kind = OUTPUT_DEVICE, .state = OUTPUT_OPEN,
		.fd = r->output, .sparse = true,
	};
	struct copy copy = { .output = &output };
	struct stat st;
	enum status status;

	if (r->way != READING_SALVAGE && !set_has_layers(set)) {
		count_holes(r, set, NULL);
		r->failed = r->missing && r->way == READING_JOIN;
		r->good &= !r->failed;
		if (r->failed)
			return STATUS_OK;
	}
	status = walk(r, set, &copy, e);
	if (status)
		return status;
	/* With layers, only the walk knows what is missing. */
	r->failed = r->missing && r->way == READING_JOIN;
	r->size = set->source_size;
	r->good &= !r->missing && !r->told && !set->stopped;
	if (r->way != READING_VERIFY &&
	    (fstat(r->output, &st) < 0 || (uint64_t)st.st_size > r->size))
		r->broken = "nothing is written behind the end of the source";
	if (r->way != READING_VERIFY && r->size < LENGTH_MOST &&
	    ftruncate(r->output, (off_t)r->size) < 0)
		r->broken = "the output can be given its size";
	return STATUS_OK;
}

static void read_set(struct reading *r)
{
	struct set_settings settings = {
		.salvage = r->way == READING_SALVAGE,
		.search = r->way == READING_SALVAGE,
		.warn = tell,
		.arg = r,
	};
	struct error e = { 0 };
	struct set set;
	enum status status;

	r->good = r->all_named = true;
	if (ftruncate(r->output, 0) < 0)
		r->broken = "the output can be emptied";
	status = set_open(&set, r->names, &settings, &e);
	if (!status)
		status = join(r, &set, &e);
	set_close(&set);
	if (!status)
		return;
	r->failed = true;
	r->good = false;
	if (status == STATUS_NO_MEMORY)
		r->broken = "there is memory for what a member may ask";
	/* The reason was reported for each member. */
	if (r->way != READING_SALVAGE || status != STATUS_MISSING || !r->told)
		tell(r, &e);
}

void reading_run(struct reading *r)
{
	pthread_mutex_init(&r->lock, NULL);
	read_set(r);
	pthread_mutex_destroy(&r->lock);
}
