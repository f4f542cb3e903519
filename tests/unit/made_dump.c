// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <check.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "corpus.h"
#include "made_dump.h"

enum { PAGE = MADE_DUMP_PAGE, DESCRIPTOR = 24, FLAT_HEADER = 4096, NOTES_MAX = 2 * PAGE };

static bool is_kept(char c)
{
	return c != '.' && c != '-';
}

void made_dump_page(const char *map, uint64_t pfn, uint8_t page[MADE_DUMP_PAGE])
{
	enum corpus_kind kind = CORPUS_ZERO;

	if (map[pfn] == 't')
		kind = CORPUS_TEXT;
	else if (map[pfn] == 'p')
		kind = CORPUS_POINTERS;
	else if (map[pfn] == 'r')
		kind = CORPUS_RANDOM;
	corpus_fill(kind, pfn + 1, page, PAGE);
}

static uint32_t flag_of(const struct codec *codec)
{
	switch (codec ? codec->id : CODEC_RAW) {
	case CODEC_ZLIB:
		return 1;
	case CODEC_LZO:
		return 2;
	case CODEC_SNAPPY:
		return 4;
	case CODEC_ZSTD:
		return 0x20;
	default:
		return 0;
	}
}

static uint32_t put_note(uint8_t *dst, const char *name, uint32_t type, const void *desc, size_t size)
{
	put_le32(dst, (uint32_t)strlen(name) + 1);
	put_le32(dst + 4, (uint32_t)size);
	put_le32(dst + 8, type);
	memcpy(dst + 12, name, strlen(name));
	dst += 12 + round_up(strlen(name) + 1, 4);
	memcpy(dst, desc, size);
	return (uint32_t)(12 + round_up(strlen(name) + 1, 4) + round_up(size, 4));
}

static void put_sub_header(uint8_t *dst, const struct made_dump_settings *s, uint32_t version, uint64_t frames)
{
	static const uint8_t registers[336];
	uint64_t notes = PAGE + 112, used = 0;

	put_le64(dst, 0x1000000);
	put_le32(dst + 8, MADE_DUMP_LEVEL);
	put_le32(dst + 12, s->split);
	put_le64(dst + 16, s->split ? s->first : 0);
	put_le64(dst + 24, s->split ? s->end : 0);
	if (s->vmcoreinfo && version >= 4) {
		used = put_note(dst + 112, "CORE", 1, registers, sizeof(registers));
		put_le64(dst + 32, notes + used + 24);
		used += put_note(dst + 112 + used, "VMCOREINFO", 0, s->vmcoreinfo, strlen(s->vmcoreinfo));
		put_le64(dst + 48, notes);
		put_le64(dst + 56, used);
	} else if (s->vmcoreinfo) {
		memcpy(dst + 112, s->vmcoreinfo, strlen(s->vmcoreinfo));
		put_le64(dst + 32, notes);
	}
	if (s->vmcoreinfo)
		put_le64(dst + 40, strlen(s->vmcoreinfo));
	if (version >= 6) {
		put_le64(dst + 80, s->split ? s->first : 0);
		put_le64(dst + 88, s->split ? s->end : 0);
		put_le64(dst + 96, frames);
	}
}

static void put_header(uint8_t *dst, const struct made_dump_settings *s, const struct made_dump *m,
		       uint64_t frames)
{
	static const char *const uts[] = { "Linux", "host", "6.1.0-test", "#1 SMP", "x86_64", "(none)" };
	uint32_t version = s->version ? s->version : 6;

	memcpy(dst, "KDUMP   ", 8);
	put_le32(dst + 8, version);
	for (size_t i = 0; i < sizeof(uts) / sizeof(*uts); i++)
		memcpy(dst + 12 + 65 * i, uts[i], strlen(uts[i]));
	put_le64(dst + 408, 1700000000);
	put_le32(dst + 424, flag_of(s->codec));
	put_le32(dst + 428, PAGE);
	put_le32(dst + 432, (uint32_t)(m->bitmap1 / PAGE - 1));
	put_le32(dst + 436, (uint32_t)((m->descriptors - m->bitmap1) / PAGE));
	put_le32(dst + 440, (uint32_t)frames);
	put_le32(dst + 460, 1);
	put_sub_header(dst + PAGE, s, version, frames);
}

/* Packs a page behind the others, and adds its descriptor. */
static void put_page(struct made_dump *m, const struct made_dump_settings *s, void *packer, uint64_t pfn,
		     uint8_t *descriptor)
{
	uint8_t page[PAGE], *dst = m->bytes + m->size;
	uint32_t flags = flag_of(s->codec);
	size_t size = 0;

	made_dump_page(s->map, pfn, page);
	if (flags)
		size = s->codec->pack(packer, page, PAGE, dst);
	if (!size || size >= PAGE) {
		memcpy(dst, page, PAGE);
		size = PAGE;
		flags = 0;
	}
	put_le64(descriptor, m->size);
	put_le32(descriptor + 8, (uint32_t)size);
	put_le32(descriptor + 12, flags);
	put_le64(descriptor + 16, 0);
	m->size += size;
}

static void put_pages(struct made_dump *m, const struct made_dump_settings *s, uint64_t frames)
{
	void *packer = s->codec && s->codec->packer_new ? s->codec->packer_new(s->codec->level_default, PAGE) : NULL;
	uint8_t *descriptor = m->bytes + m->descriptors;

	m->size = m->data;
	for (uint64_t pfn = 0; pfn < frames; pfn++) {
		if (!is_kept(s->map[pfn]) || (s->split && (pfn < s->first || pfn >= s->end)))
			continue;
		put_page(m, s, packer, pfn, descriptor);
		descriptor += DESCRIPTOR;
	}
	if (packer)
		s->codec->packer_free(packer);
}

void made_dump_init(struct made_dump *m, const struct made_dump_settings *s)
{
	uint64_t frames = strlen(s->map), bitmap = round_up(divide_up(frames, 8), PAGE);

	*m = (struct made_dump){ .bitmap1 = 2 * PAGE + NOTES_MAX };
	m->bitmap2 = m->bitmap1 + bitmap;
	m->descriptors = m->bitmap2 + bitmap;
	/* Twice, since a packed page may be longer than a page before it is discarded. */
	m->bytes = calloc(1, m->descriptors + frames * (DESCRIPTOR + PAGE) + 2 * PAGE);
	ck_assert(m->bytes != NULL);
	for (uint64_t pfn = 0; pfn < frames; pfn++) {
		uint8_t bit = (uint8_t)(1 << pfn % 8);

		if (s->map[pfn] != '.')
			m->bytes[m->bitmap1 + pfn / 8] |= bit;
		if (is_kept(s->map[pfn]))
			m->bytes[m->bitmap2 + pfn / 8] |= bit;
		m->pages += is_kept(s->map[pfn]);
	}
	m->data = m->descriptors + m->pages * DESCRIPTOR;
	put_header(m->bytes, s, m, frames);
	put_pages(m, s, frames);
}

void made_dump_free(struct made_dump *m)
{
	free(m->bytes);
}

static uint8_t *put_piece_header(uint8_t *dst, uint64_t offset, uint64_t size)
{
	uint64_t numbers[] = { htobe64(offset), htobe64(size) };

	memcpy(dst, numbers, sizeof(numbers));
	return dst + sizeof(numbers);
}

static uint8_t *put_piece(uint8_t *dst, const uint8_t *bytes, uint64_t offset, uint64_t size)
{
	dst = put_piece_header(dst, offset, size);
	memcpy(dst, bytes + offset, size);
	return dst + size;
}

size_t made_dump_flatten(const uint8_t *bytes, size_t size, size_t piece, bool reversed, uint8_t **flat)
{
	size_t pieces = divide_up(size, piece);
	uint8_t *dst;

	*flat = calloc(1, FLAT_HEADER + size + (pieces + 1) * 16);
	ck_assert(*flat != NULL);
	memcpy(*flat, "makedumpfile", 12);
	/* Type and version are 1. */
	(*flat)[23] = (*flat)[31] = 1;
	dst = *flat + FLAT_HEADER;
	for (size_t i = 0; i < pieces; i++) {
		size_t at = (reversed ? pieces - 1 - i : i) * piece, some = min_u64(piece, size - at);

		dst = put_piece(dst, bytes, at, some);
	}
	dst = put_piece_header(dst, UINT64_MAX, UINT64_MAX);
	return (size_t)(dst - *flat);
}
