// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "estimate/look.h"
#include "io/transfer.h"

/* Seconds for pages of the map, and of this program. */
static const double map_seconds = 0.5, program_seconds = 1;

/* A mapped /proc/vmcore, bytes a second: doc/capture.md, "Sources and SIGBUS". */
static const double usual_rate = 2e9;

/* Of contents other than the kernel's, which differ less. */
enum { OTHER_MOST = 4 << 20 };

/*
 * The CPU time to read is measured with PIECES pieces of memory, and with one page in TIMED_EVERY, since measuring takes
 * time itself.
 */
enum { PIECE = SAMPLE_MAP_BLOCK, PIECES = 512, TIMED_EVERY = 16 };

enum { PROGRAM_MOST = 1 << 20 };

static uint32_t block_pages(const struct sample *sample)
{
	return (uint32_t)max_u64(sample->settings.block_size[PACKED_BY_BLOCK] / sample->settings.page_size, 1);
}

void look_begin(struct look *l, struct sample *sample, const struct kcore *kcore, const struct census *census,
		uint64_t kernel_most, double seconds)
{
	uint64_t pages[CONTENTS] = { 0 };

	*l = (struct look){
		.sample = sample, .kcore = kcore, .map_most = min_u64(OTHER_MOST, kernel_most),
		.until = clock_seconds() + seconds,
	};
	if (!sample)
		return;
	l->piece_every = max_u64(census->windows_seen / PIECES, 1);
	for (unsigned i = 0; i < CLASSES; i++)
		pages[content_of(i)] += (uint64_t)census->of[i].x;
	for (enum content c = 0; c < CONTENTS; c++) {
		uint64_t most = min_u64(c == CONTENT_KERNEL ? kernel_most : OTHER_MOST, kernel_most);

		l->every[c] = max_u64(divide_up(pages[c] * sample->settings.page_size, most), 1) *
			      block_pages(sample) * LOOK_ROUNDS;
	}
}

void look_begin_round(struct look *l, unsigned round)
{
	for (enum content c = 0; c < CONTENTS; c++)
		l->met[c] = l->every[c] / LOOK_ROUNDS * round;
}

static bool read_timed(const struct look *l, struct look_timed *timed, uint64_t address, uint32_t length, uint8_t *place)
{
	double began = clock_thread_seconds();

	if (!kcore_read(l->kcore, address, length, place))
		return false;
	timed->bytes += length;
	timed->seconds += clock_thread_seconds() - began - l->sample->clock_cost;
	return true;
}

static void read_page(struct look *l, uint64_t pfn, enum content content)
{
	uint32_t page = l->sample->settings.page_size;
	uint8_t *place = sample_place(l->sample, content);
	bool read = l->read++ % TIMED_EVERY ? kcore_read(l->kcore, pfn * page, page, place) :
		    read_timed(l, &l->pages, pfn * page, page, place);

	if (read)
		sample_add(l->sample, content);
}

/* Poisoned and offline pages must not be read, and the map is read elsewhere. */
static bool may_be_read(const struct census_window *w, unsigned i)
{
	return w->words[i] != WORD_NOPAGE && w->classes[i] != CLASS_POISONED && w->classes[i] != CLASS_OFFLINE &&
	       w->classes[i] != CLASS_MAP;
}

/* The beginning of a window, if all of that may be read. */
static void time_piece(struct look *l, const struct census_window *w)
{
	uint32_t page = l->sample->settings.page_size;

	for (unsigned i = 0; i < PIECE / page; i++)
		if (i >= w->count || !may_be_read(w, i))
			return;
	read_timed(l, &l->pieces, w->pfn * page, PIECE, sample_scratch(l->sample));
}

bool look_at_window(void *arg, const struct census_window *w)
{
	struct look *l = arg;

	if (l->windows++ % l->piece_every == 0 && l->pieces.bytes < (uint64_t)PIECE * PIECES)
		time_piece(l, w);
	for (unsigned i = 0; i < w->count; i++) {
		enum content content = content_of(w->classes[i]);

		if (!may_be_read(w, i) || l->met[content]++ % l->every[content] >= block_pages(l->sample))
			continue;
		/* Some codecs take a second for a few MiB. */
		if (clock_seconds() > l->until)
			return false;
		read_page(l, w->pfn + i, content);
	}
	return true;
}

/* One block of the map: frames that follow each other. */
static void read_block(struct look *l, const struct range *frames, uint64_t at, uint64_t count)
{
	for (uint64_t i = 0; i < count && at + i < frames->length; i++)
		read_page(l, frames->offset + at + i, CONTENT_MAP);
}

void look_at_map(struct look *l)
{
	const struct range_list *own = &l->kcore->map.own;
	double until = clock_seconds() + map_seconds;
	uint64_t frames = 0, before = 0, next = 0, block, every;

	if (!l->sample || !l->kcore->has_map)
		return;
	for (size_t i = 0; i < own->count; i++)
		frames += own->ranges[i].length;
	block = max_u64(SAMPLE_MAP_BLOCK / l->sample->settings.page_size, 1);
	every = max_u64(divide_up(frames * l->sample->settings.page_size, l->map_most), 1) * block;
	for (size_t i = 0; i < own->count; before += own->ranges[i++].length)
		for (; next < before + own->ranges[i].length && clock_seconds() < until; next += every)
			read_block(l, &own->ranges[i], next - before, block);
}

void look_at_program(struct sample *sample)
{
	uint32_t page = sample->settings.page_size;
	double until = clock_seconds() + program_seconds;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	for (uint64_t at = 0; fd >= 0 && at < PROGRAM_MOST && clock_seconds() < until; at += page) {
		if (transfer_pread(fd, sample_place(sample, CONTENT_KERNEL), page, at) != page)
			break;
		sample_add(sample, CONTENT_KERNEL);
	}
	if (fd >= 0)
		close(fd);
}

double look_rate(const struct look *l, enum packing packing)
{
	const struct look_timed *timed = packing == PACKED_BY_PAGE && l->pieces.bytes ? &l->pieces : &l->pages;

	return timed->seconds > 0 ? (double)timed->bytes / timed->seconds : usual_rate;
}
