// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Codecs: one block of bytes to fewer, and back.
 *
 * A codec is a const table of functions; its settings are checked before use
 * (codec_find), and what it remembers lives in a packer or an unpacker that
 * belongs to one thread.  Every block is packed on its own, in the plain form
 * of its library (doc/format.md, section 8), so that any block can be
 * unpacked without its neighbours and moved as it is into a kdump-compressed
 * file where that format knows the codec.
 */
#ifndef NSPLIT_CODEC_CODEC_H
#define NSPLIT_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The numbers that records carry; doc/format.md, section 8.  Never reused. */
enum codec_id {
	CODEC_RAW = 0,
	CODEC_LZO = 1,
	CODEC_SNAPPY = 2,
	CODEC_LZ4 = 3,		/* lz4 and lz4hc: one form, two ways to make it */
	CODEC_ZSTD = 4,
	CODEC_ZLIB = 5,
};

struct codec {
	const char *name;	/* as in --compress=NAME */
	enum codec_id id;
	bool has_levels;	/* if not, the three levels are 0 */
	int level_min, level_max, level_default;

	/* Bytes that pack() may write for a block of len bytes. */
	size_t (*bound)(size_t len);
	/*
	 * It takes what it has read once to be there still; if a device writes to the dead
	 * machine's memory meanwhile, pack() could write more.  See packers_copy_input().
	 */
	bool reads_twice;

	/*
	 * A packer for blocks of at most block_size bytes; NULL when memory is
	 * short.  All that pack() will ever need is allocated here, but for call_memory.  A codec
	 * that needs no memory leaves these four NULL, and its packer is NULL.
	 */
	void *(*packer_new)(int level, size_t block_size);
	void (*packer_free)(void *packer);
	/* Bytes of memory held by a packer made with these settings. */
	size_t (*packer_memory)(const void *packer);
	/*
	 * The most bytes that the library takes from malloc(), in one piece, and gives back within
	 * one pack(); NULL: it takes none.  See packers_copy_input() for what follows.
	 */
	size_t (*call_memory)(int level, size_t block_size);
	/* Makes a packer usable again after pack() was left by siglongjmp(). */
	void (*packer_reset)(void *packer);

	/*
	 * Packs len bytes (1 to block_size) of src into dst, which has room for
	 * bound(len) bytes and does not overlap src.  Returns the bytes written,
	 * or 0 when the block could not be packed; it is then stored as it is.
	 */
	size_t (*pack)(void *packer, const void *src, size_t len, void *dst);

	/* As for the packer; NULL, NULL when unpack() needs no memory. */
	void *(*unpacker_new)(void);
	void (*unpacker_free)(void *unpacker);

	/*
	 * Unpacks untrusted bytes: true if and only if src is a whole packed
	 * block of exactly dst_len bytes.  Never reads or writes outside of
	 * the two buffers; dst holds anything after false.
	 */
	bool (*unpack)(void *unpacker, const void *src, size_t len,
		       void *dst, size_t dst_len);

	/*
	 * Does a packed block say of itself that it unpacks to dst_len bytes?  Quick, and no
	 * promise; unpack() asks as well.  There are readers that believe it: see
	 * export/kdump.h.  NULL: this form says nothing.
	 */
	bool (*claims)(const void *src, size_t len, size_t dst_len);
};

/* One for each name the program knows, left out of this build or not. */
struct codec_entry {
	const char *name;
	enum codec_id id;
	const struct codec *codec;	/* NULL: left out of this build */
};

/* All entries, in the order of --list-codecs, ended by one whose name is NULL. */
const struct codec_entry *codec_entries(void);

/*
 * Takes NAME or NAME:LEVEL.  STATUS_USAGE with a text for an unknown name, a
 * codec that was left out, a level where there is none, or one out of range.
 */
enum status codec_find(const char *text, const struct codec **codec, int *level,
		       struct error *e);

/* For readers: any codec that unpacks this form, or NULL if this build has none. */
const struct codec *codec_by_id(unsigned id);
/* The form's name for a message, "codec 9" style numbers excluded: NULL if unknown. */
const char *codec_id_name(unsigned id);

extern const struct codec codec_raw;
extern const struct codec codec_lzo;
extern const struct codec codec_snappy;
extern const struct codec codec_lz4;
extern const struct codec codec_lz4hc;
extern const struct codec codec_zstd;
extern const struct codec codec_zlib;

#endif
