// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Codecs: compress ("pack") one block of bytes, and decompress it.
 *
 * A codec is a constant table of functions.  Its settings are checked before use (codec_find), and
 * its state is in a packer or an unpacker that belongs to one thread.  Every block is packed by
 * itself, in the plain format of its library (doc/format.md, section 6).  So any block can be
 * unpacked without its neighbours, and can be copied unchanged to a kdump-compressed file if that
 * format has the codec.
 */
#ifndef NSPLIT_CODEC_CODEC_H
#define NSPLIT_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The numbers in records; doc/format.md, section 6.  Never reused. */
enum codec_id {
	CODEC_RAW = 0,
	CODEC_LZO = 1,		/* lzo and lzohc: the same format */
	CODEC_SNAPPY = 2,
	CODEC_LZ4 = 3,		/* lz4 and lz4hc: the same format */
	CODEC_ZSTD = 4,
	CODEC_ZLIB = 5,
};

struct codec {
	const char *name;	/* as in --compress=NAME */
	enum codec_id id;
	bool has_levels;	/* if not, the three levels are 0 */
	int level_min, level_max, level_default;

	/* The most bytes that pack() may write for a block of len bytes. */
	size_t (*bound)(size_t len);
	/*
	 * pack() reads its input twice and may exceed bound() if a device changes the crashed
	 * machine's memory in between.  See packers_init() in capture/fill/pack.h.
	 */
	bool reads_twice;

	/*
	 * Allocates a packer for blocks of at most block_size bytes, with all memory that pack()
	 * will need except call_memory; NULL: out of memory.  A codec that needs no memory leaves
	 * packer_new, packer_free and packer_memory NULL, and its packer is NULL.
	 */
	void *(*packer_new)(int level, size_t block_size);
	void (*packer_free)(void *packer);
	/* Bytes of memory that the packer holds. */
	size_t (*packer_memory)(const void *packer);
	/*
	 * The most bytes that the library allocates with malloc(), in one piece, and frees during
	 * one pack(); NULL: none.  See packers_init() for the consequence.
	 */
	size_t (*call_memory)(int level, size_t block_size);
	/* Makes the packer usable again after pack() was left by siglongjmp().  NULL: it is. */
	void (*packer_reset)(void *packer);

	/*
	 * Packs len bytes (1 to block_size) of src into dst, which has space for bound(len) bytes
	 * and does not overlap src.  Returns the number of bytes written, or 0 if the block could
	 * not be packed; it is then stored unchanged.
	 */
	size_t (*pack)(void *packer, const void *src, size_t len, void *dst);

	/* As for the packer; both NULL if unpack() needs no memory. */
	void *(*unpacker_new)(void);
	void (*unpacker_free)(void *unpacker);

	/*
	 * Unpacks untrusted bytes.  True if and only if src is a whole packed block of exactly
	 * dst_len bytes.  Never accesses memory outside the two buffers.  After false, the content
	 * of dst is undefined.
	 */
	bool (*unpack)(void *unpacker, const void *src, size_t len,
		       void *dst, size_t dst_len);

	/*
	 * Does the header of a packed block claim that it unpacks to dst_len bytes?  Quick but not
	 * proven; unpack() checks it as well.  Some readers trust it: see export/kdump.h.  NULL:
	 * the format has no such field.
	 */
	bool (*claims)(const void *src, size_t len, size_t dst_len);
};

/* One for each name that the programs know, whether or not this build has the codec. */
struct codec_entry {
	const char *name;
	enum codec_id id;
	const struct codec *codec;	/* NULL: not in this build */
};

/* All entries, in the order of --list-codecs; the last one has the name NULL. */
const struct codec_entry *codec_entries(void);

/*
 * Finds the codec and level for NAME or NAME:LEVEL.  STATUS_USAGE if the name is unknown, if the
 * build lacks the codec, if the codec has no levels, or if the level is out of range.
 */
enum status codec_find(const char *text, const struct codec **codec, int *level,
		       struct error *e);

/* Reads a level of the codec.  STATUS_USAGE: it has none, or not this one. */
enum status codec_level(const struct codec *codec, const char *text, int *level, struct error *e);

/* For readers: a codec that unpacks this format; NULL: this build has none. */
const struct codec *codec_by_id(unsigned id);
/* The name of the format for a message; NULL: unknown. */
const char *codec_id_name(unsigned id);

extern const struct codec codec_raw;
extern const struct codec codec_lzo;
extern const struct codec codec_lzohc;
extern const struct codec codec_snappy;
extern const struct codec codec_lz4;
extern const struct codec codec_lz4hc;
extern const struct codec codec_zstd;
extern const struct codec codec_zlib;

/* --- presets --------------------------------------------------------------- */

/*
 * Presets: the codecs, each with a level, that a capture may use; the fastest first.
 *
 * Each record names its own codec (doc/format.md, section 5), so a capture can change the codec at
 * any chunk, as -C auto does.  A codec that the user chose is a single preset.
 */

enum { PRESETS_MAX = 8 };

/* Presets of auto; their rows in codec.c do not move. */
enum {
	PRESET_STANDARD = 1,	/* the fastest one that compresses (LZO): others are compared with it */
	PRESET_FIRST = 3,	/* until costs are known; see choice_init() in capture */
};

struct preset {
	const struct codec *codec;
	int level;
};

struct presets {
	struct preset list[PRESETS_MAX];	/* the fastest first */
	unsigned count;			/* at least 1 */
};

/*
 * Accepts what codec_find() accepts, or "auto", for all worthwhile presets that this build has.
 * STATUS_USAGE as from codec_find().
 */
enum status presets_find(const char *text, struct presets *presets, struct error *e);

/* A single preset. */
struct presets presets_of(const struct codec *codec, int level);
/* The codec of a single preset.  NULL: there are several presets, as with auto. */
const struct codec *presets_single(const struct presets *presets);

enum { PRESET_TEXT_LENGTH = 32 };
/* Formats it as codec_find() accepts it, with its level if it has one.  Returns text. */
const char *preset_format(const struct preset *preset, char text[PRESET_TEXT_LENGTH]);

#endif
