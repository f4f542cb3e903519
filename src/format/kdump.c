// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"
#include "format/kdump.h"
#include "format/machine.h"

enum { BLOCK_MIN = 4096, BLOCK_MAX = 65536 };

/* Page frames of 2^56 bytes of memory. */
static const uint64_t FRAMES_MAX = (uint64_t)1 << 44;

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
	memcpy(h->uts, raw + KDUMP_HEADER_UTS, sizeof(h->uts));
	for (size_t i = KDUMP_UTS_TEXT; i <= sizeof(h->uts); i += KDUMP_UTS_TEXT)
		h->uts[i - 1] = '\0';
	/* A big-endian file has a version of millions. */
	if (h->version > 0xffff || machine_of_name(h->uts + KDUMP_UTS_MACHINE) == EM_NONE)
		return STATUS_USAGE;
	if (h->block_size < BLOCK_MIN || h->block_size > BLOCK_MAX || h->block_size & (h->block_size - 1))
		return STATUS_DAMAGED;
	h->bitmap1 = (1 + sub_blocks) * h->block_size;
	h->bitmap_size = bitmap_blocks / 2 * h->block_size;
	if (!sub_blocks || bitmap_blocks % 2)
		return STATUS_DAMAGED;
	return STATUS_OK;
}

enum status kdump_sub_header_decode(struct kdump_header *h, const uint8_t raw[KDUMP_SUB_HEADER_LENGTH])
{
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
	if (h->version >= 6) {
		h->first_page = get_le64(raw + KDUMP_SUB_START_64);
		h->end_page = get_le64(raw + KDUMP_SUB_END_64);
		h->frames = get_le64(raw + KDUMP_SUB_MAX_MAPNR_64);
	}
	if (h->frames > FRAMES_MAX || h->frames > h->bitmap_size * 8 || h->notes_size > KDUMP_NOTES_MAX ||
	    h->vmcoreinfo_size > KDUMP_NOTES_MAX || h->notes > INT64_MAX || h->vmcoreinfo > INT64_MAX ||
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
