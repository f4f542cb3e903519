// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/system.h"
#include "capture/fill/pack.h"
#include "capture/memory/memory_limits.h"
#include "core/kinds/page_class.h"
#include "core/kinds/page_kind.h"
#include "estimate/estimate.h"
#include "format/record.h"
#include "io/transfer.h"

/*
 * Of 10 seconds; the rest is for the outputs, and for what is not measured here.  If others need the CPU, this
 * program has little of it, and looks at fewer pages in that time.
 */
static const double kcore_seconds = 1, count_seconds = 2, sample_seconds = 2.5, map_seconds = 0.5, program_seconds = 1;

/* Pages of 64 GiB, if they have 4 KiB; and bytes.  Both take a second or less of CPU time. */
enum { PAGES_MAX = 16 << 20, SAMPLE_MAX = 64 << 20 };

void estimate_settings_init(struct estimate_settings *settings)
{
	*settings = (struct estimate_settings){
		.root = "", .pages_max = PAGES_MAX, .count_seconds = count_seconds,
		.sample_max = SAMPLE_MAX, .sample_seconds = sample_seconds,
	};
}

/*
 * --- /proc/kcore: the contents of pages, and the memory map, by which a capture finds their classes -----------
 *
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
	bool has_map;			/* everything was found */
	struct page_cursor cursor;	/* if has_map */
};

static const char kcore_file[] = "/proc/kcore", meminfo_file[] = "/proc/meminfo";

static enum status read_at(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct kcore *k = arg;

	if (k->until && clock_seconds() > k->until)
		return error_set(e, STATUS_STOPPED, "reading takes too long");
	if (transfer_pread(k->fd, dst, len, offset) == len)
		return STATUS_OK;
	return error_set(e, STATUS_MISSING, "%zu bytes cannot be read", len);
}

static enum status find_map(struct kcore *k, struct error *e)
{
	enum status status = vmcoreinfo_find(&k->core, &k->info, e);

	if (!status)
		status = page_keys_find(&k->keys, &k->info, e);
	if (status)
		return status;
	virt_init(&k->virt, &k->core, &k->info);
	status = page_map_open(&k->map, &k->virt, &k->keys, e);
	if (!status && !k->map.own.count)
		status = error_set(e, STATUS_MISSING, "the memory map was not found");
	if (!status)
		page_cursor_init(&k->cursor, &k->map, &k->virt);
	return status;
}

/*
 * Fails also if it takes too long to find the map.  Any failure says why the contents of memory are not known; the error
 * begins with the file's name.  kcore_close() in any case.
 */
static enum status kcore_open(struct kcore *k, const char *root, struct error *e)
{
	/* The size of the file is that of the kernel's addresses. */
	const struct core_bytes bytes = { .size = INT64_MAX, .read = read_at, .arg = k };
	enum status status;

	*k = (struct kcore){ .fd = file_below_open(root, kcore_file + 1), .until = clock_seconds() + kcore_seconds };
	if (k->fd < 0)
		return error_system(e, errno, "%s%s", root, kcore_file);
	status = core_open_within(&k->core, &bytes, &core_limits_scarce, e);
	if (!status)
		status = find_map(k, e);
	k->until = 0;
	k->has_map = !status;
	return status ? error_prefix(e, "%s%s: ", root, kcore_file) : STATUS_OK;
}

static void kcore_close(struct kcore *k)
{
	page_map_close(&k->map);
	core_close(&k->core);
	if (k->fd >= 0)
		close(k->fd);
}

/* Reads bytes at a physical address.  False: they cannot be read. */
static bool kcore_read(const struct kcore *k, uint64_t address, size_t length, uint8_t *bytes)
{
	struct error ignored;

	return memory_read(&k->core, address, length, bytes, &ignored) == STATUS_OK;
}

/* Bytes of a struct page; that of most kernels if it is not known. */
static uint32_t struct_page_size(const struct kcore *k)
{
	enum { USUAL = 64 };

	return k->has_map ? k->keys.size : USUAL;
}

/*
 * --- windows of the memory, and the classes of their pages -------------------
 *
 * A sample of a large machine is windows of consecutive frames, in an order of which any beginning is spread over all
 * memory.  So it can be ended at any time.
 */

/* Frames, which a chunk of 1 MiB has, too, if a page has 4 KiB. */
enum { WINDOW = 256 };

/* The class of a page, or that there is none, which counts as the kernel's. */
enum { NO_PAGE = CLASSES };

struct census {
	const struct estimate *est;
	const struct range_list *ram;		/* bytes */
	struct kcore *kcore;			/* its map says what pages are */
	uint64_t windows;			/* of all memory; */
	uint64_t windows_seen, pages_seen;	/* those that were counted; */
	double x[CLASSES], xx[CLASSES];		/* of a class, the sum over windows of pages and their squares */
	/* The window that is looked at: frames from pfn on, within WINDOW frames that begin at a multiple of it. */
	uint64_t pfn;
	unsigned count;
	uint8_t marks[WINDOW];
};

static enum layer_class class_of(uint8_t mark)
{
	return mark < CLASSES ? mark : CLASS_KERNEL;
}

static uint64_t first_frame(const struct census *c, const struct range *r)
{
	return r->offset / c->est->page_size;
}

static uint64_t end_frame(const struct census *c, const struct range *r)
{
	return divide_up(r->offset + r->length, c->est->page_size);
}

static uint64_t windows_of(const struct census *c, const struct range *r)
{
	return divide_up(end_frame(c, r), WINDOW) - first_frame(c, r) / WINDOW;
}

/* Sets the frames of the window; numbers are by address. */
static void find_window(struct census *c, uint64_t number)
{
	const struct range *r = c->ram->ranges;
	uint64_t from;

	while (number >= windows_of(c, r))
		number -= windows_of(c, r++);
	from = (first_frame(c, r) / WINDOW + number) * WINDOW;
	c->pfn = max_u64(from, first_frame(c, r));
	c->count = (unsigned)(min_u64(from + WINDOW, end_frame(c, r)) - c->pfn);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

/*
 * Steps of the golden section, modulo the number of windows, divide what is left between those that were
 * seen most evenly.  Without a common divisor, they meet every window once.
 */
static uint64_t step_of(uint64_t windows)
{
	uint64_t step = max_u64((uint64_t)((double)windows * 0.6180339887498949), 1);

	while (common_divisor(step, windows) != 1)
		step++;
	return step;
}

static enum status read_window(struct census *c, struct error *e)
{
	uint8_t kinds[WINDOW];

	page_range_kinds(&c->kcore->cursor, c->pfn, c->count, kinds, e);
	for (unsigned i = 0; i < c->count; i++)
		c->marks[i] = kinds[i] == PAGE_UNKNOWN ? NO_PAGE : (uint8_t)page_captured_as(kinds[i]);
	return c->kcore->cursor.status;
}

typedef bool look_function(struct census *c, void *arg);

/* Up to this number of windows, for up to this time, or until look() returns false. */
static enum status visit(struct census *c, uint64_t most, double seconds, look_function *look, void *arg,
			 struct error *e)
{
	enum { WINDOWS_A_LOOK = 16 };	/* at the clock */
	uint64_t step = step_of(max_u64(c->windows, 1)), number = 0;
	double until = clock_seconds() + seconds;

	for (uint64_t i = 0; i < most; i++, number = (number + step) % c->windows) {
		enum status status;

		/* The first one is always looked at. */
		if (i && i % WINDOWS_A_LOOK == 0 && clock_seconds() > until)
			break;
		find_window(c, number);
		status = read_window(c, e);
		if (status)
			return status;
		if (!look(c, arg))
			break;
	}
	return STATUS_OK;
}

static bool count_window(struct census *c, void *arg)
{
	unsigned counts[CLASSES] = { 0 };

	(void)arg;
	for (unsigned i = 0; i < c->count; i++)
		counts[class_of(c->marks[i])]++;
	for (unsigned i = 0; i < CLASSES; i++) {
		c->x[i] += counts[i];
		c->xx[i] += (double)counts[i] * counts[i];
	}
	c->pages_seen += c->count;
	c->windows_seen++;
	return c->pages_seen + WINDOW <= c->est->settings.pages_max;
}

/* By Newton's method, so that no program needs the library of mathematics. */
static double square_root(double x)
{
	double root = x > 1 ? x : 1;

	for (int i = 0; i < 64; i++)
		root = (root + x / root) / 2;
	return root;
}

/*
 * Of a class in all of the memory.  The margin is the standard error of a sum over windows drawn at random without
 * replacement, doubled.  The sample is spread more evenly than that, so this is rather too much.
 */
static struct estimate_class extrapolate(const struct census *c, enum layer_class class)
{
	double all = (double)c->windows, n = (double)c->windows_seen, x = c->x[class];
	struct estimate_class found = { .pages = (uint64_t)(x * (double)c->est->pages / (double)c->pages_seen + 0.5) };

	/* A single window says nothing about the others. */
	if (n < 2 && n < all)
		found.margin = c->est->pages;
	else if (n < all)
		found.margin = (uint64_t)(2 * all * square_root((1 - n / all) / n *
								max_double(c->xx[class] - x * x / n, 0) / (n - 1)) + 0.5);
	return found;
}

/* Any failure says why pages were not counted. */
static enum status take_census(struct census *c, struct estimate *est, struct error *e)
{
	enum status status;

	if (!c->ram->count)
		return error_set(e, STATUS_MISSING, "%s/proc/iomem does not say where the memory is", est->settings.root);
	if (!c->kcore->has_map) {
		*e = est->contents_why;
		return e->status;
	}
	for (size_t i = 0; i < c->ram->count; i++) {
		c->windows += windows_of(c, &c->ram->ranges[i]);
		est->pages += end_frame(c, &c->ram->ranges[i]) - first_frame(c, &c->ram->ranges[i]);
	}
	status = visit(c, c->windows, est->settings.count_seconds, count_window, NULL, e);
	if (status) {
		est->pages = 0;
		return status;
	}
	est->pages_from = kcore_file;
	est->pages_seen = c->pages_seen;
	for (unsigned i = 0; i < CLASSES; i++)
		est->of[i] = extrapolate(c, i);
	return STATUS_OK;
}

/* --- files that every user may read, for what is not known otherwise ---------- */

/*
 * Less exact than a census.  What no line of meminfo names is the kernel's.  total: bytes of all memory, with what the
 * kernel does not count; 0: unknown, so that only counted memory is in the sum.
 */
static enum status count_from_meminfo(struct estimate *est, uint64_t total, struct error *e)
{
	/* In KiB, but for the number of pages of hugetlb. */
	enum { TOTAL, FREE, BUFFERS, CACHED, SWAP_CACHED, ANONYMOUS, HUGES, HUGE_SIZE, LINES };
	static const char *const names[LINES] = {
		"MemTotal:", "MemFree:", "Buffers:", "Cached:", "SwapCached:", "AnonPages:", "HugePages_Total:",
		"Hugepagesize:",
	};
	FILE *file = file_below(est->settings.root, meminfo_file + 1);
	uint64_t kib[LINES] = { 0 }, bytes[CLASSES] = { 0 }, named = 0, value;
	char line[128], name[32];

	if (!file)
		return error_system(e, errno, "%s%s", est->settings.root, meminfo_file);
	while (fgets(line, sizeof(line), file))
		for (unsigned i = 0; sscanf(line, "%31s %" SCNu64, name, &value) == 2 && i < LINES; i++)
			if (strcmp(name, names[i]) == 0)
				kib[i] = value;
	fclose(file);
	if (!kib[TOTAL])
		return error_set(e, STATUS_SYSTEM, "%s%s: has no line MemTotal", est->settings.root, meminfo_file);
	bytes[CLASS_FREE] = kib[FREE] << 10;
	bytes[CLASS_CLEAN] = (kib[BUFFERS] + kib[CACHED] + kib[SWAP_CACHED]) << 10;
	bytes[CLASS_ANONYMOUS] = kib[ANONYMOUS] << 10;
	bytes[CLASS_HUGETLB] = (kib[HUGES] * kib[HUGE_SIZE]) << 10;
	for (unsigned i = 0; i < CLASSES; i++)
		named += bytes[i];
	total = max_u64(total, kib[TOTAL] << 10);
	bytes[CLASS_KERNEL] = total > named ? total - named : 0;
	for (unsigned i = 0; i < CLASSES; i++) {
		est->of[i].pages = bytes[i] / est->page_size;
		est->pages += est->of[i].pages;
	}
	est->pages_from = meminfo_file;
	return STATUS_OK;
}

/* Pages of the memory map.  ram: bytes of memory, of which that of the capture kernel has struct pages, too; 0: unknown. */
static uint64_t map_pages(const struct estimate *est, uint64_t ram, const struct kcore *k)
{
	uint64_t pages = k->has_map ? range_list_length(&k->map.own) : 0;

	if (!pages)
		pages = max_u64(ram / est->page_size, est->pages) * struct_page_size(k) / est->page_size;
	return pages;
}

/* The pages of the map are still with the kernel's. */
static void divide_kernel(struct estimate *est, uint64_t map)
{
	struct estimate_class *kernel = &est->of[CLASS_KERNEL];
	uint64_t both = kernel->pages + est->of[CLASS_MAP].pages;

	map = min_u64(map, both);
	est->of[CLASS_MAP] = (struct estimate_class){ .pages = map };
	kernel->pages = both - map;
}

/* --- how much pages are packed to, as it is known of other machines --------- */

/* Classes whose pages are packed alike. */
enum content {
	CONTENT_KERNEL, CONTENT_MAP, CONTENT_CACHE, CONTENT_USER, CONTENT_FREE, CONTENTS
};

static const enum content content_of[CLASSES] = {
	[CLASS_MAP] = CONTENT_MAP,
	[CLASS_PRIVATE] = CONTENT_CACHE, [CLASS_DIRTY] = CONTENT_CACHE, [CLASS_CLEAN] = CONTENT_CACHE,
	[CLASS_ANONYMOUS] = CONTENT_USER, [CLASS_HUGETLB] = CONTENT_USER,
	[CLASS_FREE] = CONTENT_FREE, [CLASS_UNACCEPTED] = CONTENT_FREE,
};

/* Of a codec: the kernel, its map, and all else; by page, and by block (the map in columns). */
struct shares {
	double kernel[PACKINGS], map[PACKINGS], other;
};

/*
 * Of the kernel and its memory map, the figures are those of doc/benchmarks.md, section 12: medians of all machines for
 * the kernel; of busy ones for the map, which is packed to a quarter of that right after the start.  The fast codecs
 * differ by a few percent, so these are those of LZ4; zlib takes the place of zstd.
 */
enum { FAST, STRONG };
static const struct shares shares[] = {
	[FAST] = { { 1 / 3.2, 1 / 3.4 }, { 1 / 4.2, 1 / 13.8 }, 0.40 },
	[STRONG] = { { 1 / 4.4, 1 / 4.8 }, { 1 / 17.0, 1 / 30.0 }, 0.32 },
};

/*
 * Stored bytes for each byte of pages.  What processes and files hold differs from machine to machine; usually it is
 * packed to between a quarter and a half.
 */
static double known_share(enum content content, enum packing packing, enum codec_id codec)
{
	const struct shares *s = &shares[codec == CODEC_ZSTD || codec == CODEC_ZLIB ? STRONG : FAST];

	if (codec == CODEC_RAW)
		return 1;
	if (content == CONTENT_KERNEL)
		return s->kernel[packing];
	return content == CONTENT_MAP ? s->map[packing] : s->other;
}

/* --- a sample of pages, packed with each codec ------------------------------- */

/* Bytes of contents other than the kernel's, which differ less. */
enum { OTHER_MOST = 4 << 20 };

/* One block in this many is packed with all presets and in all packings. */
enum { OTHERS_EVERY = 8 };

struct packed_sums {
	uint64_t bytes, stored;
	double seconds;				/* CPU time */
};

/*
 * Pages of one content are packed one after the other, also if they are not neighbours in memory.  Where there is little
 * time, most of it is for the dump that is asked for: all blocks are packed for that, and some as all others.
 */
struct sample {
	const struct estimate *est;
	const struct kcore *kcore;
	uint32_t map_row;			/* bytes of a struct page; 0: the map is packed like other pages */
	struct packer packers[CODECS_SHOWN];
	uint8_t *waiting[CONTENTS];		/* ESTIMATE_BLOCK_MAX bytes each, owned, */
	uint32_t length[CONTENTS];		/* bytes of them that are to be packed next */
	uint8_t *dst, *columns;			/* owned */
	double clock_cost;			/* clock_thread_cost() */
	struct packed_sums whole[CONTENTS], part[CONTENTS][PACKINGS][CODECS_SHOWN];
	uint64_t blocks[CONTENTS];
	/* Of every[] pages of a content that are met, the first block_pages are read. */
	uint64_t every[CONTENTS], met[CONTENTS], block_pages;
	double until;				/* clock_seconds(): no page is read after that, but for the map */
	/* Of the memory map, which is read in large pieces, as a capture reads: bytes, and the CPU time for that. */
	uint64_t map_bytes;
	double map_seconds;
};

/* sample_end() in any case. */
static enum status sample_begin(struct sample *s, struct error *e)
{
	const struct estimate_settings *set = &s->est->settings;
	const struct capture_id id = { 0 };
	enum status status = STATUS_OK;
	size_t bound = 0;
	bool good;

	s->clock_cost = clock_thread_cost();
	s->map_row = set->form == ESTIMATE_MEMBERS ? struct_page_size(s->kcore) : 0;
	s->map_row = column_row_valid(s->map_row) ? s->map_row : 0;
	for (unsigned i = 0; i < set->presets_count && !status; i++) {
		const struct codec *codec = set->presets[i].codec;

		status = packer_init(&s->packers[i], codec, set->presets[i].level, ESTIMATE_BLOCK_MAX, &id, e);
		bound = max_u64(bound, codec->bound(ESTIMATE_BLOCK_MAX));
	}
	s->dst = malloc(bound);
	s->columns = memory_to_read(ESTIMATE_BLOCK_MAX);
	good = s->dst && s->columns;
	for (enum content c = 0; c < CONTENTS; c++) {
		s->waiting[c] = memory_to_read(ESTIMATE_BLOCK_MAX);
		good = good && s->waiting[c];
	}
	return status || good ? status : error_system(e, ENOMEM, "sample of pages");
}

static void sample_end(struct sample *s)
{
	for (unsigned i = 0; i < CODECS_SHOWN; i++)
		packer_free(&s->packers[i]);
	for (enum content c = 0; c < CONTENTS; c++)
		free(s->waiting[c]);
	free(s->dst);
	free(s->columns);
}

/* As a capture stores a block: nothing for zeros, a value that is repeated, or what the codec makes of it. */
static size_t stored_length(struct sample *s, struct packer *p, const uint8_t *data, size_t length, bool columns)
{
	size_t packed;

	if (pack_same_filled(data, length))
		return get_le64(data) ? BLOCK_SAME_LENGTH : 0;
	if (p->codec == &codec_raw)
		return length;
	if (columns) {
		columns_split(data, length, s->map_row, s->columns);
		data = s->columns;
	}
	packed = packer_try(p, data, length, s->dst);
	return packed && packed < length ? packed : length;
}

static void pack_with(struct sample *s, enum content content, enum packing packing, unsigned preset,
		      struct packed_sums *to)
{
	bool columns = packing == PACKED_BY_BLOCK && content == CONTENT_MAP && s->map_row;
	uint32_t block = columns ? ESTIMATE_BLOCK_MAX : s->est->settings.block_size[packing], length = s->length[content];
	double began = clock_thread_seconds();

	for (uint32_t at = 0; at < length; at += block)
		to->stored += stored_length(s, &s->packers[preset], s->waiting[content] + at, min_u64(block, length - at),
					    columns);
	to->bytes += length;
	to->seconds += max_double(clock_thread_seconds() - began - s->clock_cost, 0);
}

/* Packs what waits. */
static void pack(struct sample *s, enum content content)
{
	const struct estimate_settings *set = &s->est->settings;

	if (s->blocks[content]++ % OTHERS_EVERY == 0)
		for (enum packing p = 0; p < PACKINGS; p++)
			for (unsigned i = 0; i < set->presets_count; i++)
				pack_with(s, content, p, i, &s->part[content][p][i]);
	pack_with(s, content, set->first, 0, &s->whole[content]);
	s->length[content] = 0;
}

/*
 * Scales the whole by the ratio of this packing to the first one, over the sample that both have packed.  A content of
 * which no page was packed takes the time of the kernel's.
 */
static struct packed packed_of_sample(const struct sample *s, enum content content, enum packing packing, unsigned preset)
{
	const struct estimate_settings *set = &s->est->settings;
	bool measured = s->whole[content].bytes && s->est->contents_read;
	enum content timed = s->whole[content].bytes ? content : CONTENT_KERNEL;
	const struct packed_sums *whole = &s->whole[timed], *part = &s->part[timed][packing][preset];
	const struct packed_sums *same = &s->part[timed][set->first][0];
	double bytes = (double)max_u64(whole->bytes, 1);

	return (struct packed){
		.share = !measured ? known_share(content, packing, set->presets[preset].codec->id) :
			 min_double(1, (double)whole->stored / bytes *
				       (same->stored ? (double)part->stored / (double)same->stored : 1)),
		.seconds = whole->seconds / bytes * (same->seconds > 0 ? part->seconds / same->seconds : 1),
	};
}

/* --- pages for the sample ---------------------------------------------------- */

/*
 * Poisoned and offline pages must not be read, and the map is read elsewhere.  False: there is no time left, since some
 * codecs take a second for a few MiB.
 */
static bool sample_window(struct census *c, void *arg)
{
	struct sample *s = arg;
	uint32_t page = c->est->page_size;

	for (unsigned i = 0; i < c->count; i++) {
		enum layer_class class = class_of(c->marks[i]);
		enum content content = content_of[class];

		if (c->marks[i] == NO_PAGE || class_is_marked(class) || class == CLASS_MAP ||
		    s->met[content]++ % s->every[content] >= s->block_pages)
			continue;
		if (clock_seconds() > s->until)
			return false;
		if (kcore_read(s->kcore, (c->pfn + i) * page, page, s->waiting[content] + s->length[content]))
			s->length[content] += page;
		if (s->length[content] == ESTIMATE_BLOCK_MAX)
			pack(s, content);
	}
	return true;
}

/* Blocks from all of the memory map: frames that follow each other. */
static void sample_map(struct sample *s)
{
	const struct range_list *own = &s->kcore->map.own;
	uint32_t page = s->est->page_size;
	double until = clock_seconds() + map_seconds;
	uint64_t frames = s->est->of[CLASS_MAP].pages, before = 0, next = 0, block = ESTIMATE_BLOCK_MAX / page;
	uint64_t every = max_u64(divide_up(frames * page, min_u64(OTHER_MOST, s->est->settings.sample_max)), 1) * block;

	for (size_t i = 0; i < own->count; before += own->ranges[i++].length)
		for (; next < before + own->ranges[i].length && clock_seconds() < until; next += every) {
			uint64_t at = next - before, count = min_u64(block, own->ranges[i].length - at);

			double began = clock_thread_seconds();

			if (!kcore_read(s->kcore, (own->ranges[i].offset + at) * page, count * page, s->waiting[CONTENT_MAP]))
				continue;
			s->map_seconds += clock_thread_seconds() - began - s->clock_cost;
			s->map_bytes += count * page;
			s->length[CONTENT_MAP] = (uint32_t)(count * page);
			pack(s, CONTENT_MAP);
		}
}

/* Where the memory cannot be read: packs this program in its place, to measure the time that takes. */
static void sample_program(struct sample *s)
{
	enum { MOST = 1 << 20 };
	double until = clock_seconds() + program_seconds;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	for (uint64_t at = 0; fd >= 0 && at < MOST && clock_seconds() < until; at += ESTIMATE_BLOCK_MAX) {
		s->length[CONTENT_KERNEL] = (uint32_t)transfer_pread(fd, s->waiting[CONTENT_KERNEL], ESTIMATE_BLOCK_MAX, at);
		if (!s->length[CONTENT_KERNEL])
			break;
		pack(s, CONTENT_KERNEL);
	}
	if (fd >= 0)
		close(fd);
}

/*
 * The census has counted the pages that will be met, so a block can be read at equal distances between them, and the
 * sample comes from everywhere.
 */
static void sample_memory(struct sample *s, struct census *c)
{
	const struct estimate_settings *set = &s->est->settings;
	uint32_t page = s->est->page_size;
	uint64_t pages[CONTENTS] = { 0 };
	struct error ignored;

	for (unsigned i = 0; i < CLASSES; i++)
		pages[content_of[i]] += (uint64_t)c->x[i];
	s->block_pages = max_u64(set->block_size[PACKED_BY_BLOCK] / page, 1);
	for (enum content k = 0; k < CONTENTS; k++)
		s->every[k] = s->block_pages *
			      max_u64(divide_up(pages[k] * page, k == CONTENT_KERNEL ? set->sample_max :
						min_u64(OTHER_MOST, set->sample_max)), 1);
	s->until = clock_seconds() + set->sample_seconds;
	visit(c, c->windows_seen, set->sample_seconds, sample_window, s, &ignored);
	sample_map(s);
	for (enum content k = 0; k < CONTENTS; k++)
		if (s->length[k])
			pack(s, k);
}

/* A mapped /proc/vmcore, bytes a second: doc/capture.md, "Sources and SIGBUS". */
static const double usual_rate = 2e9;

/* --- all of it --------------------------------------------------------------- */

static void read_contents(struct estimate *est, struct sample *s, struct census *c)
{
	if (est->pages_from == kcore_file)
		sample_memory(s, c);
	if (s->map_seconds > 0)
		est->read_rate = (double)s->map_bytes / s->map_seconds;
	est->contents_read = s->whole[CONTENT_KERNEL].bytes != 0;
	for (enum content k = 0; k < CONTENTS && est->contents_read; k++)
		est->sample_bytes += s->whole[k].bytes;
	if (!est->contents_read)
		sample_program(s);
	/* The file could be opened, and yet no page of the kernel was read. */
	if (!est->contents_read && !est->contents_why.status) {
		est->contents_why = est->pages_why;
		if (est->pages_from == kcore_file)
			error_set(&est->contents_why, STATUS_MISSING, "%s%s has no page of the kernel", est->settings.root,
				  kcore_file);
	}
	for (unsigned class = 0; class < CLASSES; class++)
		for (enum packing p = 0; p < PACKINGS; p++)
			for (unsigned i = 0; i < est->settings.presets_count; i++)
				est->packed[class][p][i] = packed_of_sample(s, content_of[class], p, i);
}

static enum status make(struct estimate *est, const struct iomem *iomem, struct kcore *kcore, struct error *e)
{
	struct census census = { .est = est, .ram = &iomem->captured, .kcore = kcore };
	struct sample sample = { .est = est, .kcore = kcore };
	enum status status = STATUS_OK;

	if (take_census(&census, est, &est->pages_why))
		status = count_from_meminfo(est, range_list_length(&iomem->captured), e);
	if (!status) {
		divide_kernel(est, map_pages(est, range_list_length(&iomem->ram), kcore));
		status = sample_begin(&sample, e);
	}
	if (!status)
		read_contents(est, &sample, &census);
	sample_end(&sample);
	return status;
}

enum status estimate_make(struct estimate *est, const struct estimate_settings *settings, struct error *e)
{
	struct iomem iomem;
	struct kcore kcore;
	enum status status;

	*est = (struct estimate){
		.settings = *settings, .page_size = (uint32_t)sysconf(_SC_PAGESIZE), .read_rate = usual_rate,
	};
	iomem_read(&iomem, settings->root);
	if (!kcore_open(&kcore, settings->root, &est->contents_why))
		est->contents_why.status = STATUS_OK;
	status = make(est, &iomem, &kcore, e);
	kcore_close(&kcore);
	iomem_free(&iomem);
	return status;
}

/* --- sizes and times that follow ------------------------------------------------------- */

/*
 * What a member has besides packed pages, in bytes: for each chunk of 1 MiB its header and half of the padding
 * to 4096 bytes; for each page, its part of the tables; and the superblock, index and footer.
 */
enum { CHUNK = 1 << 20, CHUNK_OVERHEAD = 2048 + 256, PAGE_OVERHEAD = 2, MEMBER_OVERHEAD = 16 << 10 };

/* In a kdump file: a descriptor for each page, and two bits for each page of the memory. */
enum { DESCRIPTOR = 24, BITMAPS = 2 };

/* CPU seconds to find the class of a page: 14 to 23 ms for 140 to 180 thousand pages (doc/benchmarks.md, section 9). */
static const double class_seconds = 120e-9;

bool estimate_keeps(enum layer_class class, unsigned level)
{
	return !class_is_marked(class) && !(page_class_of_captured(class) & dump_level_classes(level));
}

uint64_t estimate_pages(const struct estimate *est, unsigned level)
{
	uint64_t pages = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (estimate_keeps(i, level))
			pages += est->of[i].pages;
	return pages;
}

/* Pages are packed in larger blocks only where some are left out. */
static struct packed packed_of(const struct estimate *est, enum layer_class class, unsigned level, unsigned preset)
{
	if (est->settings.form == ESTIMATE_ELF)
		return (struct packed){ .share = 1 };
	return est->packed[class][dump_level_classes(level) ? PACKED_BY_BLOCK : PACKED_BY_PAGE][preset];
}

static uint64_t overhead(const struct estimate *est, uint64_t pages)
{
	switch (est->settings.form) {
	case ESTIMATE_KDUMP:
		return pages * DESCRIPTOR + est->pages * BITMAPS / 8;
	case ESTIMATE_ELF:
		return 0;
	default:
		return pages * PAGE_OVERHEAD + MEMBER_OVERHEAD +
		       divide_up(pages * est->page_size, CHUNK) * CHUNK_OVERHEAD;
	}
}

uint64_t estimate_bytes(const struct estimate *est, unsigned level, unsigned preset)
{
	double bytes = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (estimate_keeps(i, level))
			bytes += (double)est->of[i].pages * est->page_size * packed_of(est, i, level, preset).share;
	return (uint64_t)bytes + overhead(est, estimate_pages(est, level));
}

double estimate_bytes_of(const struct estimate *est, enum layer_class class, unsigned level)
{
	double pages = (double)est->of[class].pages, all = (double)estimate_pages(est, level);

	if (!pages || !estimate_keeps(class, level))
		return 0;
	return pages * est->page_size * packed_of(est, class, level, 0).share +
	       (double)overhead(est, (uint64_t)all) * pages / all;
}

/* The margins of classes are added: what one has too much of, another has too little of. */
uint64_t estimate_margin(const struct estimate *est, unsigned level)
{
	double bytes = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (estimate_keeps(i, level))
			bytes += (double)est->of[i].margin * est->page_size * packed_of(est, i, level, 0).share;
	return (uint64_t)bytes;
}

double estimate_cpu_seconds_of(const struct estimate *est, enum layer_class class, unsigned level)
{
	if (!estimate_keeps(class, level))
		return 0;
	return (double)est->of[class].pages * est->page_size *
	       (1 / est->read_rate + packed_of(est, class, level, 0).seconds);
}

double estimate_cpu_seconds(const struct estimate *est, unsigned level)
{
	double seconds = (double)est->pages * class_seconds;

	for (unsigned i = 0; i < CLASSES; i++)
		seconds += estimate_cpu_seconds_of(est, i, level);
	return seconds;
}
