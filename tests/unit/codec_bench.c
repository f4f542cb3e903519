// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codec_bench.h"

enum { CANARY = 64, CANARY_BYTE = 0xa5 };

static struct guarded guarded_new(size_t capacity)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (capacity + CANARY + page - 1) / page * page;
	struct guarded g;

	g.map = mmap(NULL, size + page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(g.map, MAP_FAILED);
	g.end = g.map + size;
	ck_assert_int_eq(mprotect(g.end, page, PROT_NONE), 0);
	return g;
}

static void guarded_free(struct guarded *g)
{
	munmap(g->map, (size_t)(g->end - g->map) + (size_t)sysconf(_SC_PAGESIZE));
}

unsigned char *guarded_take(struct guarded *g, size_t len)
{
	memset(g->end - len - CANARY, CANARY_BYTE, CANARY);
	return g->end - len;
}

/* An assertion of check costs a system call even when it holds, so: if first. */
static void canary_check(const unsigned char *bytes, const char *codec)
{
	const unsigned char *canary = bytes - CANARY;

	if (canary[0] != CANARY_BYTE || memcmp(canary, canary + 1, CANARY - 1) != 0)
		ck_abort_msg("%s wrote before its buffer", codec);
}

void *bench_packer_new(const struct codec *codec, int level, size_t block_size)
{
	void *packer = NULL;

	if (codec->packer_new) {
		packer = codec->packer_new(level, block_size);
		ck_assert_ptr_nonnull(packer);
	}
	return packer;
}

void bench_packer_free(const struct codec *codec, void *packer)
{
	if (codec->packer_free)
		codec->packer_free(packer);
}

void *bench_unpacker_new(const struct codec *codec)
{
	void *unpacker = NULL;

	if (codec->unpacker_new) {
		unpacker = codec->unpacker_new();
		ck_assert_ptr_nonnull(unpacker);
	}
	return unpacker;
}

void bench_unpacker_free(const struct codec *codec, void *unpacker)
{
	if (codec->unpacker_free)
		codec->unpacker_free(unpacker);
}

int bench_codecs(void)
{
	int count = 0;

	while (codec_entries()[count].name)
		count++;
	return count;
}

const struct codec *bench_codec(int i)
{
	const struct codec *codec = codec_entries()[i].codec;

	return codec && codec->id != CODEC_RAW ? codec : NULL;
}

void bench_set_up(struct bench *b, const struct codec *codec, int level, size_t block_size)
{
	b->codec = codec;
	b->packer = bench_packer_new(codec, level, block_size);
	b->unpacker = bench_unpacker_new(codec);
	b->src = guarded_new(block_size);
	b->packed = guarded_new(codec->bound(block_size));
	b->back = guarded_new(block_size + 1);
}

void bench_take_down(struct bench *b)
{
	bench_packer_free(b->codec, b->packer);
	bench_unpacker_free(b->codec, b->unpacker);
	guarded_free(&b->src);
	guarded_free(&b->packed);
	guarded_free(&b->back);
}

bool bench_unpack(struct bench *b, const unsigned char *packed, size_t len, size_t dst_len)
{
	unsigned char *back = guarded_take(&b->back, dst_len);
	bool ok = b->codec->unpack(b->unpacker, packed, len, back, dst_len);

	canary_check(back, b->codec->name);
	return ok;
}

size_t bench_pack(struct bench *b, const unsigned char *src, size_t len, unsigned char **packed)
{
	size_t bound = b->codec->bound(len);
	unsigned char *dst = guarded_take(&b->packed, bound);
	size_t packed_len = b->codec->pack(b->packer, src, len, dst);

	ck_assert(packed_len || b->codec == &codec_lzo);
	ck_assert_uint_le(packed_len, bound);
	canary_check(dst, b->codec->name);
	*packed = b->packed.end - packed_len;
	memmove(*packed, dst, packed_len);
	return packed_len;
}

void bench_round_trip(struct bench *b, enum corpus_kind kind, size_t len)
{
	unsigned char *src = guarded_take(&b->src, len);
	unsigned char *packed;
	size_t packed_len;

	corpus_fill(kind, len, src, len);
	packed_len = bench_pack(b, src, len, &packed);
	if (!packed_len && (kind == CORPUS_RANDOM || kind == CORPUS_RAMP || len < BENCH_BLOCK))
		return;
	ck_assert_msg(bench_unpack(b, packed, packed_len, len) &&
		      !memcmp(b->back.end - len, src, len),
		      "%s: %zu bytes of %s did not come back", b->codec->name, len,
		      corpus_name(kind));
	ck_assert(!bench_unpack(b, packed, packed_len, len + 1));
	if (len > 1)
		ck_assert(!bench_unpack(b, packed, packed_len, len - 1));
}
