// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <byteswap.h>
#include <string.h>

#include "base/bytes.h"
#include "format/kdump.h"

enum { BLOCK_MIN = 4096, BLOCK_MAX = 65536, VERSION_MAX = 0xffff };

/* Page frames of 2^56 bytes of memory. */
static const uint64_t FRAMES_MAX = (uint64_t)1 << 44;

static bool is_block_size(uint32_t size)
{
	return size >= BLOCK_MIN && size <= BLOCK_MAX && is_power_of_two(size);
}

static uint32_t get_be32(const uint8_t *p)
{
	return bswap_32(get_le32(p));
}

/* A 32-bit machine has a shorter time before these numbers. */
static const char *other_machine(const uint8_t *raw)
{
	enum { SHORTER = 12 };
	const uint8_t *narrow = raw - SHORTER;

	if (get_le32(raw + KDUMP_HEADER_VERSION) <= VERSION_MAX &&
	    is_block_size(get_le32(narrow + KDUMP_HEADER_BLOCK_SIZE)) && get_le32(narrow + KDUMP_HEADER_SUB_BLOCKS))
		return "a 32-bit";
	if (get_be32(raw + KDUMP_HEADER_VERSION) > VERSION_MAX)
		return NULL;
	if (is_block_size(get_be32(raw + KDUMP_HEADER_BLOCK_SIZE)) && get_be32(raw + KDUMP_HEADER_SUB_BLOCKS))
		return "a big-endian";
	if (is_block_size(get_be32(narrow + KDUMP_HEADER_BLOCK_SIZE)) && get_be32(narrow + KDUMP_HEADER_SUB_BLOCKS))
		return "a 32-bit big-endian";
	return NULL;
}

enum status kdump_header_decode(struct kdump_header *h, const uint8_t raw[KDUMP_HEADER_LENGTH])
{
	uint64_t sub_blocks = get_le32(raw + KDUMP_HEADER_SUB_BLOCKS);
	uint64_t bitmap_blocks = get_le32(raw + KDUMP_HEADER_BITMAP_BLOCKS);

	*h = (struct kdump_header){
		.version = get_le32(raw + KDUMP_HEADER_VERSION),
		.flags = get_le32(raw + KDUMP_HEADER_STATUS),
		.block_size = get_le32(raw + KDUMP_HEADER_BLOCK_SIZE),
		.frames = get_le32(raw + KDUMP_HEADER_MAX_MAPNR),
	};
	memcpy(h->uts, raw + KDUMP_HEADER_UTS - 4, sizeof(h->uts));
	h->time = get_le64(raw + KDUMP_HEADER_TIME);
	h->bitmap1 = (1 + sub_blocks) * h->block_size;
	h->bitmap_size = bitmap_blocks / 2 * h->block_size;
	if (h->version <= VERSION_MAX && is_block_size(h->block_size) && sub_blocks && bitmap_blocks % 2 == 0)
		return STATUS_OK;
	h->other = other_machine(raw);
	return h->other ? STATUS_USAGE : STATUS_DAMAGED;
}

enum status kdump_sub_header_decode(struct kdump_header *h, const uint8_t raw[KDUMP_SUB_HEADER_LENGTH])
{
	h->phys_base = get_le64(raw + KDUMP_SUB_PHYS_BASE);
	h->level = h->version >= 1 ? get_le32(raw + KDUMP_SUB_DUMP_LEVEL) : 0;
	h->split = h->version >= 2 && get_le32(raw + KDUMP_SUB_SPLIT);
	h->first_page = get_le64(raw + KDUMP_SUB_START);
	h->end_page = get_le64(raw + KDUMP_SUB_END);
	if (h->version >= 3) {
		h->vmcoreinfo = get_le64(raw + KDUMP_SUB_VMCOREINFO);
		h->vmcoreinfo_size = get_le64(raw + KDUMP_SUB_VMCOREINFO_SIZE);
	}
	if (h->version >= 4) {
		h->notes = get_le64(raw + KDUMP_SUB_NOTES);
		h->notes_size = get_le64(raw + KDUMP_SUB_NOTES_SIZE);
	}
	if (h->version >= 5) {
		h->erased = get_le64(raw + KDUMP_SUB_ERASED);
		h->erased_size = get_le64(raw + KDUMP_SUB_ERASED_SIZE);
	}
	if (h->version >= 6) {
		h->first_page = get_le64(raw + KDUMP_SUB_START_64);
		h->end_page = get_le64(raw + KDUMP_SUB_END_64);
		h->frames = get_le64(raw + KDUMP_SUB_MAX_MAPNR_64);
	}
	if (h->frames > FRAMES_MAX || h->frames > h->bitmap_size * 8 ||
	    (h->split && (h->first_page > h->end_page || h->end_page > h->frames)))
		return STATUS_DAMAGED;
	return STATUS_OK;
}

void kdump_descriptor_encode(const struct kdump_descriptor *d, uint8_t raw[KDUMP_DESCRIPTOR_LENGTH])
{
	put_le64(raw, d->offset);
	put_le32(raw + 8, d->size);
	put_le32(raw + 12, d->flags);
	put_le64(raw + 16, 0);
}

struct kdump_descriptor kdump_descriptor_decode(const uint8_t raw[KDUMP_DESCRIPTOR_LENGTH])
{
	return (struct kdump_descriptor){ get_le64(raw), get_le32(raw + 8), get_le32(raw + 12) };
}
