// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A codec under test: packs one block and unpacks it again.
 *
 * Buffers end at an inaccessible page, so a library that reads or writes one byte too far is caught
 * even if it was built without a sanitizer.  A canary precedes each buffer.
 */
#ifndef NSPLIT_TESTS_UNIT_CODEC_BENCH_H
#define NSPLIT_TESTS_UNIT_CODEC_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "codec/codec.h"
#include "corpus.h"

enum { BENCH_BLOCK = 4096 };

struct guarded {
	unsigned char *map;
	unsigned char *end;	/* start of the inaccessible page */
};

/* The last len bytes before the guard page, with the canary before them. */
unsigned char *guarded_take(struct guarded *g, size_t len);

struct bench {
	const struct codec *codec;
	void *packer, *unpacker;
	struct guarded src, packed, back;
};

/* The number of codecs, in this build or not; tests loop over them. */
int bench_codecs(void);
/* NULL for a codec that this build lacks, and for raw, which packs nothing. */
const struct codec *bench_codec(int i);

/* NULL for a codec that has none. */
void *bench_packer_new(const struct codec *codec, int level, size_t block_size);
void bench_packer_free(const struct codec *codec, void *packer);
void *bench_unpacker_new(const struct codec *codec);
void bench_unpacker_free(const struct codec *codec, void *unpacker);

void bench_set_up(struct bench *b, const struct codec *codec, int level, size_t block_size);
void bench_take_down(struct bench *b);

/*
 * Packs with bound(len) bytes before the guard page, then moves the result so that the page follows
 * its last byte.  *packed belongs to the bench.  0: it is to be stored, as codec_lzo says of what gains nothing.
 */
size_t bench_pack(struct bench *b, const unsigned char *src, size_t len, unsigned char **packed);
/* Into exactly dst_len bytes before the guard page. */
bool bench_unpack(struct bench *b, const unsigned char *packed, size_t len, size_t dst_len);
/* Packs and unpacks len bytes of that kind, and checks that no other length is accepted. */
void bench_round_trip(struct bench *b, enum corpus_kind kind, size_t len);

#endif
