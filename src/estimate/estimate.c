// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "capture/memory/iomem.h"
#include "estimate/census.h"
#include "estimate/estimate.h"
#include "estimate/kcore.h"
#include "estimate/known.h"
#include "estimate/look.h"
#include "estimate/meminfo.h"
#include "estimate/zoneinfo.h"

/*
 * Of 10 seconds; the rest is for the outputs, and for what is not measured here.  If others need the CPU, this
 * program has little of it, and looks at fewer pages in that time.
 */
static const double kcore_seconds = 1, census_seconds = 2, sample_seconds = 2.5;

/* Pages of 64 GiB, if they have 4 KiB; and bytes.  Both take a second or less of CPU time. */
enum { PAGES_MAX = 16 << 20, SAMPLE_MAX = 64 << 20 };

/* SPARSEMEM: the least part of the memory that has an own part of the memory map. */
enum { SECTION = 128 << 20 };

void estimate_settings_init(struct estimate_settings *settings)
{
	*settings = (struct estimate_settings){
		.root = "", .pages_max = PAGES_MAX, .census_seconds = census_seconds,
		.sample_max = SAMPLE_MAX, .sample_seconds = sample_seconds,
	};
}

/* --- pages ------------------------------------------------------------------ */

/* Sections that have memory: the memory of the capture kernel, too, has struct pages. */
static uint64_t sections_of(const struct range_list *ram)
{
	uint64_t sections = 0, next = 0;

	for (size_t i = 0; i < ram->count; i++) {
		uint64_t first = max_u64(ram->ranges[i].offset / SECTION, next);
		uint64_t end = divide_up(ram->ranges[i].offset + ram->ranges[i].length, SECTION);

		if (end > first)
			sections += end - first;
		next = max_u64(next, end);
	}
	return sections;
}

/* Pages of the memory map, which are among those of the kernel. */
static uint64_t map_pages(const struct estimate *est, const struct iomem *iomem, const struct kcore *kcore)
{
	uint64_t bytes = (uint64_t)SECTION / est->page_size * kcore_struct_page(kcore), pages = 0;

	if (kcore->has_map) {
		for (size_t i = 0; i < kcore->map.own.count; i++)
			pages += kcore->map.own.ranges[i].length;
		return pages;
	}
	if (iomem->ram.count)
		return divide_up(sections_of(&iomem->ram) * bytes, est->page_size);
	return est->pages * kcore_struct_page(kcore) / est->page_size;
}

/*
 * If the census could not tell where the map is, its pages are still with the kernel's, and so are free pages that a
 * CPU keeps for itself.
 */
static void divide_kernel(struct estimate *est, uint64_t map, uint64_t cpu_free)
{
	struct estimate_class *kernel = &est->of[CLASS_KERNEL];
	uint64_t both = kernel->pages + est->of[CLASS_MAP].pages;

	map = min_u64(map, both);
	cpu_free = min_u64(cpu_free, both - map);
	est->of[CLASS_MAP] = (struct estimate_class){ .pages = map };
	est->of[CLASS_CPU_FREE] = (struct estimate_class){ .pages = cpu_free };
	kernel->pages = both - map - cpu_free;
}

static enum status count_from_meminfo(struct estimate *est, const struct iomem *iomem, struct error *e)
{
	uint64_t bytes[CLASSES];
	enum status status = meminfo_classes(est->settings.root, iomem_sum(&iomem->captured), bytes, e);

	for (unsigned i = 0; !status && i < CLASSES; i++) {
		est->of[i] = (struct estimate_class){ .pages = bytes[i] / est->page_size };
		est->pages += est->of[i].pages;
	}
	return status;
}

static void take_census(struct estimate *est, const struct census *census)
{
	est->kinds_counted = true;
	est->pages = census->pages;
	est->pages_seen = census->pages_seen;
	for (unsigned i = 0; i < CLASSES; i++)
		est->of[i] = (struct estimate_class){
			.pages = census_pages(census, i),
			.margin = census_margin(census, i),
		};
}

static struct census_settings census_of(const struct estimate *est, const struct iomem *iomem,
					const struct kcore *kcore)
{
	return (struct census_settings){
		.root = est->settings.root, .ram = &iomem->captured, .page_size = est->page_size,
		.map = kcore->has_map ? &kcore->map.own : NULL, .pages_max = est->settings.pages_max,
		.seconds_max = est->settings.census_seconds,
	};
}

static enum status count(struct estimate *est, const struct iomem *iomem, const struct kcore *kcore,
			 struct census *census, struct error *e)
{
	const struct census_settings settings = census_of(est, iomem, kcore);

	*census = (struct census){ 0 };
	if (!iomem->captured.count) {
		error_set(&est->kinds_why, STATUS_MISSING, "%s/proc/iomem does not say where the memory is",
			  est->settings.root);
		return count_from_meminfo(est, iomem, e);
	}
	if (census_take(census, &settings, &est->kinds_why)) {
		*census = (struct census){ 0 };
		return count_from_meminfo(est, iomem, e);
	}
	take_census(est, census);
	return STATUS_OK;
}

/* --- contents --------------------------------------------------------------- */

/* A content of which no page was seen is packed as known, in the time of the kernel's pages. */
static void fill_in(struct packed *packed, const struct packed *like, double share)
{
	const uint64_t bytes = 1 << 30;

	if (packed->bytes)
		return;
	*packed = (struct packed){
		.bytes = bytes, .stored = (uint64_t)(share * (double)bytes),
		.seconds = like->bytes ? like->seconds / (double)like->bytes * (double)bytes : 0,
	};
}

/* The share of a content that was not measured.  The map is a part of what the census has seen as reserved. */
static double share_known(const struct estimate *est, const struct census *census, enum content content,
			  enum packing packing, enum codec_id codec)
{
	double seen = est->pages ? (double)est->pages_seen / (double)est->pages : 0;
	const struct known_kernel kernel = {
		.words = census->words,
		.map = (uint64_t)((double)est->of[CLASS_MAP].pages * seen),
		.cpu_free = (uint64_t)((double)est->of[CLASS_CPU_FREE].pages * seen),
		.later = est->later_kernel,
	};

	if (content != CONTENT_KERNEL)
		return known_share(content, packing, codec);
	return known_kernel_share(&kernel, packing, codec);
}

static void take_sample(struct estimate *est, const struct census *census, const struct sample *sample)
{
	est->sample_bytes = est->contents_read ? sample->bytes : 0;
	for (enum content c = 0; c < CONTENTS; c++)
		for (enum packing p = 0; p < PACKINGS; p++)
			for (unsigned i = 0; i < est->settings.presets_count; i++) {
				struct packed like = sample_packed(sample, CONTENT_KERNEL, p, i);

				if (est->contents_read)
					est->packed[c][p][i] = sample_packed(sample, c, p, i);
				fill_in(&est->packed[c][p][i], &like,
					share_known(est, census, c, p, est->settings.presets[i].codec->id));
			}
}

/* The file could be opened, and yet no page of the kernel was read. */
static void explain_contents(struct estimate *est)
{
	if (est->kinds_counted)
		error_set(&est->contents_why, STATUS_MISSING, "%s/proc/kcore has no page of the kernel",
			  est->settings.root);
	else
		est->contents_why = est->kinds_why;
}

/* Packs pages, of the memory or, if it cannot be read, of this program, to measure how fast that is. */
static void read_contents(struct estimate *est, const struct iomem *iomem, const struct kcore *kcore,
			  const struct census *census, struct sample *sample)
{
	const struct census_settings settings = census_of(est, iomem, kcore);
	struct look look;
	struct error ignored;

	look_begin(&look, est->contents_read ? sample : NULL, kcore, census, est->settings.sample_max,
		   est->settings.sample_seconds);
	for (unsigned round = 0; round < LOOK_ROUNDS && est->kinds_counted && est->contents_read; round++) {
		look_begin_round(&look, round);
		if (census_visit(census, &settings, est->settings.sample_seconds, look_at_window, &look, &ignored))
			break;
	}
	look_at_map(&look);
	for (enum packing p = 0; p < PACKINGS; p++)
		est->read_rate[p] = look_rate(&look, p);
	sample_finish(sample);
	est->contents_read = sample->whole[CONTENT_KERNEL].bytes != 0;
	if (est->contents_read)
		return;
	if (!est->contents_why.status)
		explain_contents(est);
	look_at_program(sample);
	sample_finish(sample);
}

static enum status begin_sample(const struct estimate *est, const struct kcore *kcore, struct sample *sample,
				struct error *e)
{
	struct sample_settings settings = {
		.presets = est->settings.presets, .count = est->settings.presets_count,
		.page_size = est->page_size, .first = est->settings.first,
		.map_row = est->settings.form == ESTIMATE_MEMBERS ? kcore_struct_page(kcore) : 0,
	};

	memcpy(settings.block_size, est->settings.block_size, sizeof(settings.block_size));
	return sample_begin(sample, &settings, e);
}

static enum status look_and_count(struct estimate *est, const struct iomem *iomem, const struct kcore *kcore,
				  struct error *e)
{
	struct sample sample;
	struct census census;
	enum status status = count(est, iomem, kcore, &census, e);

	if (status)
		return status;
	status = begin_sample(est, kcore, &sample, e);
	if (!status) {
		read_contents(est, iomem, kcore, &census, &sample);
		divide_kernel(est, map_pages(est, iomem, kcore), zoneinfo_cpu_free(est->settings.root));
		take_sample(est, &census, &sample);
	}
	sample_end(&sample);
	return status;
}

enum status estimate_make(struct estimate *est, const struct estimate_settings *settings, struct error *e)
{
	struct iomem iomem;
	struct kcore kcore;
	enum status status;

	*est = (struct estimate){ .settings = *settings, .page_size = (uint32_t)sysconf(_SC_PAGESIZE),
				   .later_kernel = known_kernel_is_later(settings->root) };
	iomem_read(&iomem, settings->root);
	est->contents_read = !kcore_open(&kcore, settings->root, kcore_seconds, &est->contents_why);
	status = look_and_count(est, &iomem, &kcore, e);
	kcore_close(&kcore);
	iomem_free(&iomem);
	return status;
}
