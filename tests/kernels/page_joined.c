// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	page_joined CORE LEVEL JOINED
 *
 * Judges JOINED, which njoin -o made of a capture of this core with nsplit -d LEVEL: it has the size and
 * the bytes of the core, but zeros where pages of the kinds that the level names are.  The kernel image
 * is in two segments of the core, and both are looked at.  Prints the number of bytes that are left out.
 *
 * A capture leaves out granules, which are 4096 bytes (doc/format.md): one that has anything else in it,
 * such as the end of a segment, is kept.
 *
 * Exit status 1: something is not so; 2: no comparison.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kinds/page_class.h"
#include "page_core.h"

enum { EXAMPLES = 10 };

struct joined {
	struct page_core core;
	struct file file;
	unsigned classes;		/* that are left out */
	uint16_t *left_out;		/* bytes of each granule in pages of these classes */
	uint64_t zeros, kept, wrong;	/* bytes, bytes and granules */
};

static uint64_t granules(const struct joined *j)
{
	return (j->core.file.size + GRANULE - 1) / GRANULE;
}

static uint64_t granule_length(const struct joined *j, uint64_t g)
{
	return min_u64(GRANULE, j->core.file.size - g * GRANULE);
}

/* --- what is to be left out ------------------------------------------------------------ */

static void leave_out(struct joined *j, uint64_t offset, uint64_t end)
{
	end = min_u64(end, j->core.file.size);
	while (offset < end) {
		uint64_t g = offset / GRANULE, next = min_u64(end, (g + 1) * GRANULE);

		j->left_out[g] = (uint16_t)(j->left_out[g] + (next - offset));
		offset = next;
	}
}

static void look_at_page(struct joined *j, const struct segment *s, uint64_t pfn, enum page_kind kind)
{
	uint64_t size = j->core.keys.page_size, end = s->paddr + s->filesz;
	enum page_class c = page_class_of(kind);
	uint64_t from = max_u64(pfn * size, s->paddr), to = min_u64((pfn + 1) * size, end);

	if (c < PAGE_CLASSES && j->classes & PAGE_CLASS_BIT(c))
		leave_out(j, s->offset + (from - s->paddr), s->offset + (to - s->paddr));
}

static void look_at_segment(struct joined *j, const struct segment *s)
{
	uint64_t size = j->core.keys.page_size, pfn = s->paddr / size;
	uint64_t end = (s->paddr + s->filesz + size - 1) / size;
	uint8_t kinds[4096];

	while (s->filesz && pfn < end) {
		size_t count = min_u64(sizeof(kinds), end - pfn);

		page_core_kinds(&j->core, pfn, count, kinds);
		for (size_t i = 0; i < count; i++)
			look_at_page(j, s, pfn + i, kinds[i]);
		pfn += count;
	}
}

/* --- what is there --------------------------------------------------------------------- */

static bool is_zero(const uint8_t *bytes, uint64_t length)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, length - 1);
}

static void wrong(struct joined *j, uint64_t g, const char *what)
{
	if (j->wrong++ < EXAMPLES)
		printf("wrong: the %d bytes at %#" PRIx64 " %s\n", GRANULE, g * GRANULE, what);
}

static void judge_granule(struct joined *j, uint64_t g)
{
	const uint8_t *core = j->core.file.bytes + g * GRANULE, *got = j->file.bytes + g * GRANULE;
	uint64_t length = granule_length(j, g);

	if (j->left_out[g] == length) {
		j->zeros += length;
		if (!is_zero(got, length))
			wrong(j, g, memcmp(core, got, length) ? "are to be left out, and are neither zeros nor the core's"
							      : "are to be left out, and are kept");
		return;
	}
	j->kept += length;
	if (memcmp(core, got, length))
		wrong(j, g, is_zero(got, length) ? "are to be kept, and are zeros"
						 : "are to be kept, and are not those of the core");
}

int main(int argc, char **argv)
{
	static struct joined j;

	if (argc != 4) {
		fprintf(stderr, "usage: page_joined CORE LEVEL JOINED\n");
		return 2;
	}
	page_core_open(&j.core, argv[1]);
	j.classes = dump_level_classes((unsigned)atoi(argv[2]));
	j.file = file_map(argv[3]);
	if (j.file.size != j.core.file.size) {
		printf("wrong: the size is %" PRIu64 " bytes, and that of the core is %" PRIu64 "\n",
		       j.file.size, j.core.file.size);
		return 1;
	}
	j.left_out = calloc(granules(&j), sizeof(*j.left_out));
	if (!j.left_out) {
		fprintf(stderr, "%s: is too large\n", argv[1]);
		return 2;
	}
	for (size_t i = 0; i < j.core.core.segments_count; i++)
		look_at_segment(&j, &j.core.core.segments[i]);
	for (uint64_t g = 0; g < granules(&j); g++)
		judge_granule(&j, g);
	printf("left out: %" PRIu64 " bytes; kept: %" PRIu64 "\n", j.zeros, j.kept);
	free(j.left_out);
	page_core_close(&j.core);
	return j.wrong ? 1 : 0;
}
