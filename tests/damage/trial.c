// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "format/superblock.h"
#include "io/transfer.h"
#include "reading.h"
#include "trial.h"

enum { NAME = 32 };

static void need(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(2);
}

/* --- sets ---------------------------------------------------------------- */

static bool load(struct trial_file *file, const char *directory, const char *name)
{
	char path[512];
	int fd;
	off_t length;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = lseek(fd, 0, SEEK_END);
	file->length = (size_t)length;
	file->bytes = malloc(file->length + 1);
	need(file->bytes && transfer_pread(fd, file->bytes, file->length, 0) == file->length,
	     path);
	close(fd);
	return true;
}

bool trial_load(struct trial_set *set, const char *directory)
{
	char name[16];

	*set = (struct trial_set){ .name = strrchr(directory, '/') };
	set->name = set->name ? set->name + 1 : directory;
	for (; set->count < TRIAL_MEMBERS; set->count++) {
		snprintf(name, sizeof(name), "m%u", set->count);
		if (!load(&set->members[set->count], directory, name))
			break;
	}
	if (!set->count || !load(&set->source, directory, "source")) {
		fprintf(stderr, "%s: not a set with its source\n", directory);
		return false;
	}
	return true;
}

void trial_free(struct trial_set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		free(set->members[i].bytes);
	free(set->source.bytes);
}

void trial_put(struct trial_set *set, unsigned member, const uint8_t *bytes, size_t len)
{
	need(ftruncate(set->fds[member], (off_t)len) == 0, "a member's length");
	trial_poke(set, member, 0, bytes, len);
}

void trial_poke(struct trial_set *set, unsigned member, size_t at, const uint8_t *bytes,
		size_t len)
{
	need(transfer_pwrite(set->fds[member], bytes, len, at) == len, "a member's bytes");
}

/* As descriptors, so that nothing is written to a disk. */
static void list_files(const struct trial_set *set, const unsigned *numbers, size_t count,
		       char text[TRIAL_MEMBERS][NAME], char *list[TRIAL_MEMBERS])
{
	for (size_t i = 0; i < count; i++) {
		list[i] = text[i];
		snprintf(text[i], NAME, "/proc/self/fd/%d", set->fds[numbers ? numbers[i] : i]);
	}
}

/* The figures of the undamaged set, which must be the same after harmless damage. */
static void note_unreadable(struct trial_set *set)
{
	char text[TRIAL_MEMBERS][NAME], *list[TRIAL_MEMBERS];
	struct names names = { list, set->count };
	struct reading r = { .names = &names, .threads = 1, .output = set->output };

	list_files(set, NULL, names.count, text, list);
	reading_run(&r);
	set->unreadable = r.unreadable;
}

void trial_lay_out(struct trial_set *set)
{
	/* One more than there are members, for copies. */
	for (unsigned i = 0; i <= set->count && i < TRIAL_MEMBERS; i++) {
		const struct trial_file *m = &set->members[i < set->count ? i : 0];

		set->fds[i] = memfd_create("member", MFD_CLOEXEC);
		need(set->fds[i] >= 0, "a file in memory");
		trial_put(set, i, m->bytes, m->length);
	}
	set->output = memfd_create("output", MFD_CLOEXEC);
	need(set->output >= 0, "a file in memory");
	note_unreadable(set);
}

/* --- judging ------------------------------------------------------------- */

/* Does the superblock or the footer of a member of the set give the size of the source? */
static bool states_size(const struct trial_set *set, int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);
	uint8_t unit[ALIGNMENT];
	struct superblock sb;
	struct footer footer;
	bool first;

	if (end < ALIGNMENT || transfer_pread(fd, unit, ALIGNMENT, 0) != ALIGNMENT)
		return false;
	first = superblock_decode(&sb, unit) == STATUS_OK;
	if (first && sb.source_size == set->source.length)
		return true;
	return transfer_pread(fd, unit, ALIGNMENT, (uint64_t)end - ALIGNMENT) == ALIGNMENT &&
	       footer_decode(&footer, unit) == STATUS_OK &&
	       footer.set.source_size == set->source.length &&
	       (!first || !memcmp(&sb.id, &footer.set.id, sizeof(sb.id)));
}

static bool size_is_known(const struct trial_set *set)
{
	bool known = false;

	for (unsigned i = 0; i < set->count; i++)
		known |= states_size(set, set->fds[i]);
	return known;
}

/* All bytes of the output are correct, except where they were reported missing. */
static bool is_right(const struct trial_set *set, const struct reading *r)
{
	size_t length = min_u64(r->size, set->source.length);
	uint8_t *got;
	bool right = true;

	if (!length)
		return true;
	got = mmap(NULL, length, PROT_READ, MAP_SHARED, set->output, 0);
	need(got != MAP_FAILED, "the output in memory");
	for (size_t at = 0; at < length && right; at++)
		right = got[at] == (r->holes && r->holes[at] ? 0 : set->source.bytes[at]);
	munmap(got, length);
	return right;
}

static const char *judge_good(const struct trial_set *set, const struct reading *r)
{
	if (r->size != set->source.length)
		return "success, and not the size of the source";
	if (r->unreadable != set->unreadable)
		return "success, and other blocks are unreadable";
	return NULL;
}

static const char *judge(const struct trial_set *set, const struct reading *r,
			 enum trial_demand demand)
{
	if (r->broken)
		return r->broken;
	if (demand == TRIAL_ANY)
		return NULL;
	/* A join that fails leaves no file; what --salvage writes is kept. */
	if (r->way != READING_VERIFY && (r->good || (r->way == READING_SALVAGE && !r->failed)) &&
	    !is_right(set, r))
		return "wrong bytes";
	if (r->way == READING_SALVAGE && !r->failed && r->size != set->source.length &&
	    size_is_known(set))
		return "not the size of the source, which a member states";
	if (r->good)
		return judge_good(set, r);
	if (demand == TRIAL_WHOLE)
		return "a good set is refused";
	if (!r->told && !r->missing)
		return "neither correct nor reported as wrong";
	/* Missing data is reported as a range, damage with file and offset. */
	if (!r->all_named || (!r->told && demand != TRIAL_MISSING && r->way != READING_SALVAGE))
		return "the error names no file, or no place in it";
	return NULL;
}

static const char *const ways[READING_WAYS] = { "join", "verify", "salvage" };

/* Reads the set in three ways.  False: a result is wrong. */
static bool read_all_ways(struct trial_set *set, const struct names *names,
			  enum trial_demand demand, unsigned turn, bool *good,
			  char why[TRIAL_TEXT])
{
	uint8_t *holes = calloc(1, set->source.length + 1);

	need(holes, "memory");
	for (int way = 0; way < READING_WAYS; way++) {
		struct reading r = {
			.way = (enum reading_way)way,
			.names = names,
			.threads = 1 + turn % 2,
			.output = set->output,
			.source_length = set->source.length,
			.holes = way == READING_SALVAGE ? holes : NULL,
		};
		const char *wrong;

		reading_run(&r);
		wrong = judge(set, &r, demand);
		if (way == READING_JOIN)
			*good = r.good;
		/* A join does not report damage if a duplicate replaces it. */
		else if (!wrong && r.good != *good && demand != TRIAL_ANY && !(*good && r.told))
			wrong = "it does not agree with the join";
		if (wrong || r.told)
			snprintf(why, TRIAL_TEXT, "%s: %s%s%s", ways[way], wrong ? wrong : "",
				 wrong && r.told ? ": " : "", r.error.text);
		if (wrong) {
			free(holes);
			return false;
		}
	}
	free(holes);
	return true;
}

enum trial_verdict trial_judge(struct trial_set *set, const unsigned *numbers, unsigned count,
			       enum trial_demand demand, unsigned turn, char why[TRIAL_TEXT])
{
	char text[TRIAL_MEMBERS][NAME], *list[TRIAL_MEMBERS];
	struct names names = { list, numbers ? count : set->count };
	bool good = false;

	list_files(set, numbers, names.count, text, list);
	why[0] = '\0';
	if (!read_all_ways(set, &names, demand, turn, &good, why))
		return TRIAL_WRONG;
	return good ? TRIAL_HARMLESS : TRIAL_FOUND;
}
