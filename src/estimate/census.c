// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/file_below.h"
#include "estimate/census.h"
#include "io/transfer.h"

static const char flags_file[] = "proc/kpageflags";

/* A page of several frames has up to 2^this of them: 1 GiB. */
enum { ORDER_MOST = 18 };
/* Windows between two looks at the clock. */
enum { WINDOWS_A_LOOK = 16 };

struct taking {
	const struct census_settings *settings;
	uint64_t windows;		/* of all memory */
	int fd;
	uint64_t said[CENSUS_WINDOW];
	struct census_window window;
};

/* --- windows ---------------------------------------------------------------- */

static uint64_t first_frame(const struct taking *t, const struct range *r)
{
	return r->offset / t->settings->page_size;
}

static uint64_t end_frame(const struct taking *t, const struct range *r)
{
	return divide_up(r->offset + r->length, t->settings->page_size);
}

static uint64_t windows_of(const struct taking *t, const struct range *r)
{
	return divide_up(end_frame(t, r), CENSUS_WINDOW) - first_frame(t, r) / CENSUS_WINDOW;
}

static void count_all(const struct taking *t, uint64_t *windows, uint64_t *pages)
{
	const struct range_list *ram = t->settings->ram;

	*windows = *pages = 0;
	for (size_t i = 0; i < ram->count; i++) {
		*windows += windows_of(t, &ram->ranges[i]);
		*pages += end_frame(t, &ram->ranges[i]) - first_frame(t, &ram->ranges[i]);
	}
}

/* Sets the frames of a window; numbers are by address. */
static void find_window(struct taking *t, uint64_t number)
{
	const struct range *r = t->settings->ram->ranges;
	uint64_t from, to;

	while (number >= windows_of(t, r))
		number -= windows_of(t, r++);
	from = (first_frame(t, r) / CENSUS_WINDOW + number) * CENSUS_WINDOW;
	to = min_u64(from + CENSUS_WINDOW, end_frame(t, r));
	t->window.pfn = max_u64(from, first_frame(t, r));
	t->window.count = (unsigned)(to - t->window.pfn);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
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

/* --- what the kernel says --------------------------------------------------- */

static enum status flags_error(const struct taking *t, struct error *e)
{
	return error_system(e, errno, "%s/%s", t->settings->root, flags_file);
}

/* Frames beyond the end of the file have no struct page. */
static enum status read_flags(struct taking *t, uint64_t pfn, unsigned count, uint64_t *said, struct error *e)
{
	size_t length = count * sizeof(*said);
	size_t got = transfer_pread(t->fd, said, length, pfn * sizeof(*said));

	if (got < length && errno)
		return flags_error(t, e);
	for (size_t i = got / sizeof(*said); i < count; i++)
		said[i] = page_said_nothing();
	return STATUS_OK;
}

/*
 * The flags of the head of the first frame, which is a tail.  A page of 2^n frames begins at a multiple of
 * 2^n, so only so many frames can be its head.
 */
static enum status find_head(struct taking *t, uint64_t *head, struct error *e)
{
	uint64_t pfn = t->window.pfn, before = pfn;

	*head = 0;
	for (unsigned order = 1; order <= ORDER_MOST; order++) {
		uint64_t at = pfn >> order << order;

		if (at == before)
			continue;
		before = at;
		if (read_flags(t, at, 1, head, e))
			return e->status;
		if (page_said_head(*head))
			return STATUS_OK;
	}
	*head = 0;
	return STATUS_OK;
}

static bool is_of_map(const struct taking *t, uint64_t pfn)
{
	const struct range_list *map = t->settings->map;
	size_t i = map ? ranges_find(map->ranges, map->count, pfn) : 0;

	return map && i < map->count && map->ranges[i].offset <= pfn;
}

static enum status read_window(struct taking *t, struct error *e)
{
	struct census_window *w = &t->window;
	uint64_t head = 0;
	enum status status = read_flags(t, w->pfn, w->count, t->said, e);

	if (!status && page_said_tail(t->said[0]))
		status = find_head(t, &head, e);
	for (unsigned i = 0; !status && i < w->count; i++) {
		uint64_t said = t->said[i];

		if (page_said_tail(said))
			said = page_said_with_head(said, head);
		else
			head = said;
		w->words[i] = (uint8_t)page_word_of_said(said);
		w->classes[i] = is_of_map(t, w->pfn + i) ? CLASS_MAP : (uint8_t)page_word_class(w->words[i]);
	}
	return status;
}

/* --- the sample ------------------------------------------------------------- */

typedef bool look_function(void *arg, const struct census_window *window);

/* Up to this number of windows, for up to this time, or until look() returns false. */
static enum status visit(struct taking *t, uint64_t most, double seconds, look_function *look, void *arg,
			 struct error *e)
{
	uint64_t step = step_of(max_u64(t->windows, 1)), number = 0;
	double until = clock_seconds() + seconds;

	for (uint64_t i = 0; i < most; i++, number = (number + step) % t->windows) {
		/* The first one is always looked at. */
		if (i && i % WINDOWS_A_LOOK == 0 && clock_seconds() > until)
			break;
		find_window(t, number);
		if (read_window(t, e))
			return e->status;
		if (!look(arg, &t->window))
			break;
	}
	return STATUS_OK;
}

static enum status open_flags(struct taking *t, const struct census_settings *settings, struct error *e)
{
	*t = (struct taking){ .settings = settings };
	t->fd = file_below_open(settings->root, flags_file, O_RDONLY);
	return t->fd < 0 ? flags_error(t, e) : STATUS_OK;
}

struct counting {
	struct census *census;
	uint64_t pages_max;
};

static bool count_window(void *arg, const struct census_window *w)
{
	struct counting *counting = arg;
	struct census *c = counting->census;
	unsigned counts[CLASSES] = { 0 };

	for (unsigned i = 0; i < w->count; i++) {
		counts[w->classes[i]]++;
		c->words[w->words[i]]++;
	}
	for (unsigned i = 0; i < CLASSES; i++) {
		c->of[i].x += counts[i];
		c->of[i].xx += (double)counts[i] * counts[i];
		c->of[i].xn += (double)counts[i] * w->count;
	}
	c->nn += (double)w->count * w->count;
	c->pages_seen += w->count;
	c->windows_seen++;
	return c->pages_seen + CENSUS_WINDOW <= counting->pages_max;
}

enum status census_take(struct census *census, const struct census_settings *settings, struct error *e)
{
	struct counting counting = { .census = census, .pages_max = settings->pages_max };
	struct taking t;
	enum status status = open_flags(&t, settings, e);

	*census = (struct census){ 0 };
	if (status)
		return status;
	count_all(&t, &census->windows, &census->pages);
	t.windows = census->windows;
	status = visit(&t, t.windows, settings->seconds_max, count_window, &counting, e);
	close(t.fd);
	return status;
}

enum status census_visit(const struct census *census, const struct census_settings *settings, double seconds_max,
			 bool (*look)(void *arg, const struct census_window *window), void *arg, struct error *e)
{
	struct taking t;
	enum status status = open_flags(&t, settings, e);

	if (status)
		return status;
	t.windows = census->windows;
	status = visit(&t, census->windows_seen, seconds_max, look, arg, e);
	close(t.fd);
	return status;
}

/* --- what follows ----------------------------------------------------------- */

static double share_of(const struct census *c, enum layer_class class)
{
	return c->pages_seen ? c->of[class].x / (double)c->pages_seen : 0;
}

uint64_t census_pages(const struct census *c, enum layer_class class)
{
	return (uint64_t)(share_of(c, class) * (double)c->pages + 0.5);
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
 * The standard error of a ratio estimate from windows drawn at random without replacement, doubled.  The
 * sample is spread more evenly than that, so this is rather too much.
 */
uint64_t census_margin(const struct census *c, enum layer_class class)
{
	const struct census_sums *s = &c->of[class];
	double n = (double)c->windows_seen, p = share_of(c, class), squares, mean;

	if (c->windows_seen >= c->windows)
		return 0;
	/* A single window says nothing about the others. */
	if (c->windows_seen < 2)
		return c->pages;
	squares = s->xx - 2 * p * s->xn + p * p * c->nn;
	mean = (double)c->pages_seen / n;
	if (squares < 0)
		squares = 0;
	return (uint64_t)(2 * square_root((1 - n / (double)c->windows) * squares / (n - 1) / n) / mean *
			  (double)c->pages + 0.5);
}
