// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inputs for the fuzz targets, made from recipes:
 *
 *	seeds DIRECTORY < RECIPES	into DIRECTORY/TARGET/NAME
 *	seeds -d < INPUT		the steps that make just these bytes
 *
 * A recipe is a line, TARGET NAME STEP..., and a step is one of
 *
 *	codec=NAME block=N chunk=N size=N	of the members to follow
 *	member=NUMBER/MEMBERS			a member begins, with its superblock
 *	record=KIND@OFFSET+LENGTH		a record of corpus bytes, or of "mixed" ones
 *	unreadable=OFFSET+LENGTH		a record that has nothing
 *	index footer				as set_maker has them
 *	packed=KIND+LENGTH			an input of fuzz_unpack
 *	walk=FLAGS/THREADS[/FROM/TO]		the head of an input of fuzz_set
 *	drop=N cut=N				the member without its first N bytes; its first N
 *	put32=AT:VALUE put64=AT:VALUE		in the member; negative ones from 2^64 down
 *	reseal=AT				the checksums of the piece there
 *	bytes=HEX zeros=N			more bytes of the member
 *
 * A codec that was left out of this build leaves out its recipes.  set_maker lives on
 * check, so all this is its one test.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/unit.h"
#include "codec/codec.h"
#include "../unit/corpus.h"
#include "../unit/helper.h"
#include "../unit/set_maker.h"

enum { HEAD = 16, LINE = 1 << 20, WAIT = 300 };

struct cook {
	struct superblock settings;	/* of the members to follow */
	const struct codec *codec;
	struct maker member;
	bool begun;
	uint8_t *done;			/* the members before it; owned */
	size_t length;
	uint8_t head[HEAD];
	bool has_head;
	unsigned cuts;
};

static void end_member(struct cook *c)
{
	if (!c->begun)
		return;
	c->done = realloc(c->done, c->length + c->member.length + 1);
	ck_assert_ptr_nonnull(c->done);
	if (c->member.length)
		memcpy(c->done + c->length, c->member.bytes, c->member.length);
	c->length += c->member.length;
	if (c->cuts < 2) {
		c->head[2 + 2 * c->cuts] = (uint8_t)(c->length / UNIT);
		c->head[3 + 2 * c->cuts] = (uint8_t)(c->length / UNIT >> 8);
		c->cuts++;
	}
	maker_free(&c->member);
	c->begun = false;
}

/* Bytes without a member around them are one too. */
static struct maker *member_of(struct cook *c)
{
	if (!c->begun)
		maker_init(&c->member, 0, 1, c->settings.source_size);
	c->begun = true;
	return &c->member;
}

static void begin_member(struct cook *c, unsigned number, unsigned members)
{
	struct maker *m;

	end_member(c);
	m = member_of(c);
	m->superblock.number = number;
	m->superblock.members = members;
	m->superblock.block_size = c->settings.block_size;
	m->superblock.chunk_size = c->settings.chunk_size;
	m->codec = c->codec;
	maker_begin(m);
}

/* To be freed. */
static uint8_t *bytes_of(const char *kind, size_t size)
{
	uint8_t *bytes = maker_source(size + UNIT);

	for (int k = 0; k < CORPUS_KINDS; k++)
		if (!strcmp(kind, corpus_name((enum corpus_kind)k)))
			corpus_fill((enum corpus_kind)k, 7, bytes, size);
	return bytes;
}

static void add_record(struct cook *c, const char *kind, unsigned long offset, unsigned length)
{
	uint8_t *bytes = bytes_of(kind, offset + length);

	maker_add_record(member_of(c), bytes, offset, length);
	free(bytes);
}

static void add_packed(struct cook *c, const char *kind, unsigned length)
{
	uint8_t *bytes = bytes_of(kind, length);
	uint8_t *packed = helper_pages(c->codec->bound(length));
	void *packer = c->codec->packer_new ?
		       c->codec->packer_new(c->codec->level_default, length) : NULL;
	uint8_t head[3] = { (uint8_t)c->codec->id, (uint8_t)(length - 1),
			    (uint8_t)((length - 1) >> 8) };

	maker_add_bytes(member_of(c), head, sizeof(head));
	maker_add_bytes(member_of(c), packed, c->codec->pack(packer, bytes, length, packed));
	if (packer)
		c->codec->packer_free(packer);
	free(packed);
	free(bytes);
}

static void add_hex(struct cook *c, const char *hex)
{
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
		uint8_t b = (uint8_t)byte;

		maker_add_bytes(member_of(c), &b, 1);
	}
}

/* What changes the bytes of the member; false: it is no step of these. */
static bool change(struct cook *c, const char *step)
{
	struct maker *m = member_of(c);
	unsigned long at;
	long long value;

	if (sscanf(step, "drop=%lu", &at) == 1) {
		ck_assert_uint_le(at, m->length);
		memmove(m->bytes, m->bytes + at, m->length - at);
		m->length -= at;
	} else if (sscanf(step, "cut=%lu", &at) == 1) {
		ck_assert_uint_le(at, m->length);
		m->length = at;
	} else if (sscanf(step, "put32=%lu:%lld", &at, &value) == 2) {
		ck_assert_uint_le(at + 4, m->length);
		put_le32(m->bytes + at, (uint32_t)value);
	} else if (sscanf(step, "put64=%lu:%lld", &at, &value) == 2) {
		ck_assert_uint_le(at + 8, m->length);
		put_le64(m->bytes + at, (uint64_t)value);
	} else if (sscanf(step, "reseal=%lu", &at) == 1) {
		ck_assert_uint_le(at + UNIT, m->length);
		maker_reseal(m->bytes + at);
	} else if (sscanf(step, "zeros=%lu", &at) == 1) {
		maker_add_bytes(m, NULL, at);
	} else if (!strncmp(step, "bytes=", 6)) {
		add_hex(c, step + 6);
	} else {
		return false;
	}
	return true;
}

static void set_up(struct cook *c, const char *step)
{
	struct superblock *s = &c->settings;
	unsigned flags, threads, from = 0, to = 0;

	if (sscanf(step, "walk=%u/%u/%u/%u", &flags, &threads, &from, &to) >= 2) {
		c->head[0] = (uint8_t)flags;
		c->head[1] = (uint8_t)threads;
		put_le32(c->head + 6, from);
		put_le32(c->head + 8, to);
		c->has_head = true;
		return;
	}
	ck_assert_msg(sscanf(step, "block=%u", &s->block_size) == 1 ||
		      sscanf(step, "chunk=%u", &s->chunk_size) == 1 ||
		      sscanf(step, "size=%" SCNu64, &s->source_size) == 1, "no step: %s", step);
}

/* False: the codec was left out. */
static bool take_step(struct cook *c, const char *step)
{
	unsigned number, members, length;
	unsigned long offset;
	struct error e;
	char kind[32];
	int level;

	if (!strncmp(step, "codec=", 6))
		return codec_find(step + 6, &c->codec, &level, &e) == STATUS_OK;
	if (sscanf(step, "member=%u/%u", &number, &members) == 2)
		begin_member(c, number, members);
	else if (sscanf(step, "record=%31[^@]@%lu+%u", kind, &offset, &length) == 3)
		add_record(c, kind, offset, length);
	else if (sscanf(step, "unreadable=%lu+%u", &offset, &length) == 2)
		maker_add_unreadable(member_of(c), offset, length);
	else if (sscanf(step, "packed=%31[^+]+%u", kind, &length) == 2)
		add_packed(c, kind, length);
	else if (!strcmp(step, "index"))
		maker_add_index(member_of(c));
	else if (!strcmp(step, "footer"))
		maker_add_footer(member_of(c));
	else if (!change(c, step))
		set_up(c, step);
	return true;
}

static void serve(const struct cook *c, const char *target, const char *name)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", target, name);
	mkdir(target, 0777);
	f = fopen(path, "wb");
	ck_assert_msg(f != NULL, "%s cannot be written", path);
	if (c->has_head)
		fwrite(c->head, 1, HEAD, f);
	fwrite(c->done, 1, c->length, f);
	ck_assert_int_eq(fclose(f), 0);
}

static void cook(char *line)
{
	struct cook c = {
		.settings = { .block_size = MAKER_BLOCK, .chunk_size = MAKER_CHUNK,
			      .source_size = MAKER_PLAIN },
		.codec = &codec_lzo,
	};
	const char *target = strtok(line, " \t\n"), *name = strtok(NULL, " \t\n"), *step;
	bool good = true;

	if (!target || *target == '#')
		return;
	ck_assert_msg(name != NULL, "a recipe without a name: %s", target);
	while (good && (step = strtok(NULL, " \t\n")))
		good = take_step(&c, step);
	end_member(&c);
	if (good)
		serve(&c, target, name);
	free(c.done);
}

START_TEST(test_recipes)
{
	char *line = malloc(LINE);

	ck_assert_ptr_nonnull(line);
	while (fgets(line, LINE, stdin))
		cook(line);
	free(line);
}
END_TEST

/* Zeros are counted, for most of a member is zeros. */
static void describe(void)
{
	size_t zeros = 0;
	bool in_bytes = false;
	int byte;

	while ((byte = getchar()) != EOF) {
		if (byte == 0) {
			zeros++;
			continue;
		}
		if (zeros >= 16) {
			printf(" zeros=%zu", zeros);
			in_bytes = false;
			zeros = 0;
		}
		if (!in_bytes)
			printf(" bytes=");
		in_bytes = true;
		for (; zeros; zeros--)
			printf("00");
		printf("%02x", (unsigned)byte);
	}
	if (zeros)
		printf(" zeros=%zu", zeros);
	printf("\n");
}

int main(int argc, char **argv)
{
	Suite *suite;
	TCase *tcase;

	if (argc == 2 && !strcmp(argv[1], "-d")) {
		describe();
		return 0;
	}
	if (argc != 2 || chdir(argv[1]) < 0) {
		fprintf(stderr, "usage: seeds DIRECTORY | -d\n");
		return 2;
	}
	suite = suite_create("seeds");
	tcase = tcase_create("recipes");
	tcase_set_timeout(tcase, WAIT);
	tcase_add_test(tcase, test_recipes);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
