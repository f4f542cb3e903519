// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packing: bytes of the source into the record of a chunk.
 *
 * pack_begin, any number of pack_add and pack_add_unreadable, pack_end.  Each
 * block goes straight into its place in the record; nothing is copied but what
 * the codec itself copies, and a stored block that does not lie there already.
 */
#ifndef NSPLIT_CAPTURE_PACK_H
#define NSPLIT_CAPTURE_PACK_H

#include "capture/chunk.h"
#include "capture/incompressible.h"
#include "codec/presets.h"

/* Belongs to one worker. */
struct packer {
	const struct codec *codec;
	void *state;			/* of the codec, owned */
	size_t call_memory;		/* as of the codec, 0: none */
	uint8_t *shield;		/* see packers_copy_input(); owned */
	struct capture_id id;		/* of the records */
	struct incompressible run;
};

enum status packer_init(struct packer *p, const struct codec *codec, int level,
			uint32_t block_size, const struct capture_id *id, struct error *e);
void packer_free(struct packer *p);
/* After a sigbus_survive() that did not survive. */
void packer_reset(struct packer *p);

/* One packer a rung of a ladder. */
struct packers {
	struct packer of[PRESETS_MAX];
	unsigned count;
};

enum status packers_init(struct packers *p, const struct presets *presets, uint32_t block_size,
			 const struct capture_id *id, struct error *e);
void packers_free(struct packers *p);
/*
 * For bytes that lie in a mapping, where they may raise SIGBUS and may change: a library that
 * takes memory within a call must not be left half-way, or that memory is lost, and one that
 * reads twice must read the same twice.  So these are given a copy of each block.
 */
enum status packers_copy_input(struct packers *p, uint32_t block_size, struct error *e);
size_t packers_copy_memory(const struct packers *p, uint32_t block_size);
void packers_reset(struct packers *p);
/* Bytes that they hold, and the most that one of them takes within a call. */
size_t packers_memory(const struct packers *p);
size_t packers_call_memory(const struct packers *p);
/* Bytes that a block of so many may be packed to by any of them. */
size_t packers_bound(const struct packers *p, size_t block_size);

/* Packs a block as its codec does: its length packed, 0 if it cannot be. */
size_t packer_try(struct packer *p, const uint8_t *data, size_t len, uint8_t *dst);

/* Is a block one 8-byte value again and again? */
bool pack_same_filled(const uint8_t *data, size_t len);

/* Begins the record of length bytes at offset; whatever the chunk held is gone. */
void pack_begin(struct packer *p, struct chunk *chunk, uint64_t offset, uint32_t length,
		uint32_t block_size);
/*
 * The next len bytes: whole blocks, but at the end of the chunk.  With a codec that packs nothing
 * they may lie in the chunk, at record_end(&chunk->record) or behind it.
 */
void pack_add(struct packer *p, struct chunk *chunk, const uint8_t *data, size_t len);
/* The same for len zeros that nobody has read. */
void pack_add_zeros(struct chunk *chunk, size_t len);
void pack_add_unreadable(struct chunk *chunk, size_t len);
/* Completes header, checksums and padding: record_length(&chunk->record) bytes are ready. */
void pack_end(struct chunk *chunk);

#endif
