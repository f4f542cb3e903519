// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file_below.h"
#include "capture/memory/crash_kernel.h"
#include "core/kinds/page_map.h"
#include "estimate/census.h"
#include "estimate/estimate.h"
#include "estimate/known.h"
#include "estimate/sample.h"
#include "format/classes.h"
#include "io/transfer.h"

/*
 * The memory of this machine, as /proc/kcore shows it: contents of pages, and where the memory map is.
 * Only root may read it, and not if the kernel is locked down for confidentiality.
 */

/* Must not be moved while it is open. */
struct kcore {
	int fd;
	double until;			/* clock_seconds(): nothing is read after that; 0: no limit */
	struct core core;
	struct vmcoreinfo info;
	struct page_keys keys;
	struct virt virt;
	struct page_map map;		/* empty, unless has_map */
	bool has_map;
};

static const char kcore_file[] = "proc/kcore";

enum { STRUCT_PAGE_USUAL = 64 };

static enum status read_at(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct kcore *k = arg;

	if (k->until && clock_seconds() > k->until)
		return error_set(e, STATUS_STOPPED, "reading takes too long");
	if (transfer_pread(k->fd, dst, len, offset) == len)
		return STATUS_OK;
	return error_set(e, STATUS_MISSING, "%zu bytes cannot be read", len);
}

/* Without the map, the contents of pages can still be read. */
static void find_map(struct kcore *k)
{
	struct error e;

	if (vmcoreinfo_find(&k->core, &k->info, &e) || page_keys_find(&k->keys, &k->info, &e))
		return;
	virt_init(&k->virt, &k->core, &k->info);
	k->has_map = page_map_open(&k->map, &k->virt, &k->keys, &e) == STATUS_OK && k->map.own.count;
}

/*
 * root: /proc is below it.  If it takes more than these seconds to find the map, there is none.  Any failure says
 * why the contents of memory are not known; the error begins with the file's name.  kcore_close() in any case.
 */
static enum status kcore_open(struct kcore *k, const char *root, double seconds, struct error *e)
{
	/* The size of the file is that of the kernel's addresses. */
	const struct core_bytes bytes = { .size = INT64_MAX, .read = read_at, .arg = k };
	enum status status;

	*k = (struct kcore){ .fd = -1, .until = clock_seconds() + seconds };
	k->fd = file_below_open(root, kcore_file, O_RDONLY);
	if (k->fd < 0)
		return error_system(e, errno, "%s/%s", root, kcore_file);
	status = core_open_within(&k->core, &bytes, &core_limits_scarce, e);
	if (status)
		return error_prefix(e, "%s/%s: ", root, kcore_file);
	find_map(k);
	k->until = 0;
	return STATUS_OK;
}

static void kcore_close(struct kcore *k)
{
	page_map_close(&k->map);
	core_close(&k->core);
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

/* Reads bytes at a physical address.  False: they cannot be read. */
static bool kcore_read(const struct kcore *k, uint64_t address, size_t length, uint8_t *bytes)
{
	struct error ignored;

	return memory_read(&k->core, address, length, bytes, &ignored) == STATUS_OK;
}

/* Bytes of a struct page; that of most kernels if it is not known. */
static uint32_t kcore_struct_page(const struct kcore *k)
{
	return k->has_map ? k->keys.size : STRUCT_PAGE_USUAL;
}

/* Reads the contents of some of the pages that a census meets, and packs them (sample.h). */

/* What was read, and the CPU time for that. */
struct look_timed {
	uint64_t bytes;
	double seconds;
};

struct look {
	struct sample *sample;		/* NULL: nothing can be read */
	const struct kcore *kcore;
	/* Of so many pages of a content that are met in a round, a block is read; and how many were met. */
	uint64_t every[CONTENTS], met[CONTENTS];
	uint64_t map_most;		/* bytes of the memory map to read */
	double until;			/* clock_seconds(): no page is read after that, but for the map */
	uint64_t read;			/* pages that were to be read */
	uint64_t windows;		/* that were met; one in piece_every begins with a piece */
	uint64_t piece_every;
	struct look_timed pieces, pages;
};

/*
 * Each round meets all pages of the census, and reads other ones, so that little is lost if there is no time for the
 * next one.
 */
enum { LOOK_ROUNDS = 4 };

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

/*
 * The census has counted the pages that will be met, so that what is read of them comes from everywhere.
 * kernel_most: bytes to read of the kernel's pages; of others less.  seconds: for all of that.
 */
static void look_begin(struct look *l, struct sample *sample, const struct kcore *kcore, const struct census *census,
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

static void look_begin_round(struct look *l, unsigned round)
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

/* For census_visit(): arg is a struct look with a sample.  False: there is no time left. */
static bool look_at_window(void *arg, const struct census_window *w)
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

/* Some blocks of the memory map, from all of it. */
static void look_at_map(struct look *l)
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

/* Where the memory cannot be read: packs this program in its place, to measure the time that takes. */
static void look_at_program(struct sample *sample)
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

/*
 * Bytes that a CPU second reads: in larger pieces, as a capture of everything does, and page by page, as where pages
 * are left out between others.  A usual rate if nothing was read.
 */
static double look_rate(const struct look *l, enum packing packing)
{
	const struct look_timed *timed = packing == PACKED_BY_PAGE && l->pieces.bytes ? &l->pieces : &l->pages;

	return timed->seconds > 0 ? (double)timed->bytes / timed->seconds : usual_rate;
}

/* Pages by class from /proc/meminfo, which every user may read: less exact than a census. */

static const char meminfo_file[] = "proc/meminfo";

/* In KiB, but for the number of pages of hugetlb. */
struct lines {
	uint64_t total, free, buffers, cached, swap_cached, anonymous, huge, huge_size;
};

static void read_line(struct lines *l, const char *line)
{
	const struct { const char *name; uint64_t *value; } names[] = {
		{ "MemTotal:", &l->total },	{ "MemFree:", &l->free },
		{ "Buffers:", &l->buffers },	{ "Cached:", &l->cached },
		{ "SwapCached:", &l->swap_cached }, { "AnonPages:", &l->anonymous },
		{ "HugePages_Total:", &l->huge }, { "Hugepagesize:", &l->huge_size },
	};
	char name[32];
	uint64_t value;

	if (sscanf(line, "%31s %" SCNu64, name, &value) != 2)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i].name) == 0)
			*names[i].value = value;
}

/*
 * Bytes of each class; what no line names is the kernel's.  total: of all memory, with what the kernel does
 * not count; 0: unknown, so that only counted memory is in the sum.  root: /proc is below it.
 */
static enum status meminfo_classes(const char *root, uint64_t total, uint64_t bytes[CLASSES], struct error *e)
{
	FILE *file = file_below(root, meminfo_file);
	struct lines l = { 0 };
	uint64_t named;
	char line[128];

	if (!file)
		return error_system(e, errno, "%s/%s", root, meminfo_file);
	while (fgets(line, sizeof(line), file))
		read_line(&l, line);
	fclose(file);
	if (!l.total)
		return error_set(e, STATUS_SYSTEM, "%s/%s: has no line MemTotal", root, meminfo_file);
	memset(bytes, 0, CLASSES * sizeof(*bytes));
	bytes[CLASS_FREE] = l.free << 10;
	bytes[CLASS_CLEAN] = (l.buffers + l.cached + l.swap_cached) << 10;
	bytes[CLASS_ANONYMOUS] = l.anonymous << 10;
	bytes[CLASS_HUGETLB] = (l.huge * l.huge_size) << 10;
	named = bytes[CLASS_FREE] + bytes[CLASS_CLEAN] + bytes[CLASS_ANONYMOUS] + bytes[CLASS_HUGETLB];
	total = max_u64(total, l.total << 10);
	bytes[CLASS_KERNEL] = total > named ? total - named : 0;
	return STATUS_OK;
}

/* Free pages in the lists of single CPUs, which have no mark of their own in /proc/kpageflags. */

/* Their number, from /proc/zoneinfo below root; 0 if it cannot be read. */
/* Each zone has a line "count: N" for each CPU. */
static uint64_t zoneinfo_cpu_free(const char *root)
{
	FILE *file = file_below(root, "proc/zoneinfo");
	uint64_t count, sum = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %" SCNu64, &count) == 1)
			sum += count;
	if (file)
		fclose(file);
	return sum;
}

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
