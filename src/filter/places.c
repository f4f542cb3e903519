// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "filter/places.h"
#include "format/format.h"

/* How many overlaps of places are looked at, since all segments of a broken core may overlap. */
enum { OVERLAPS_MAX = 1 << 18 };

/* Memory that is in no place. */
enum { NO_PLACE = UINT32_MAX };

/* Leaves only whole granules. */
static void cut_to_granules(struct places *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		struct stored_range one = p->list[i];
		uint64_t skipped = round_up(one.offset, GRANULE) - one.offset;

		if (one.length >= skipped + GRANULE)
			p->list[kept++] = (struct stored_range){
				.offset = one.offset + skipped, .paddr = one.paddr + skipped,
				.length = round_down(one.length - skipped, GRANULE),
			};
	}
	p->count = kept;
}

/* --- first places ----------------------------------------------------------- */

/* The one with this address, or else the next one. */
static size_t first_place_at(const struct places *p, uint64_t paddr)
{
	return p->first ? values_up_to(&p->first->end, sizeof(*p->first), p->first_count, paddr) : 0;
}

/* Divides memory wherever a place begins or ends. */
static void divide(struct places *p)
{
	size_t kept = 0;

	for (const struct stored_range *one = p->list; one < p->list + p->count; one++) {
		p->first[p->first_count++].end = one->paddr;
		p->first[p->first_count++].end = one->paddr + one->length;
	}
	values_sort(p->first, sizeof(*p->first), p->first_count);
	for (size_t i = 0; i < p->first_count; i++)
		if (!kept || p->first[kept - 1].end != p->first[i].end)
			p->first[kept++].end = p->first[i].end;
	p->first_count = kept;
	/* After the last one, another one ends all searches. */
	for (size_t i = 0; i <= kept; i++)
		p->first[i] = (struct first_place){ i < kept ? p->first[i].end : UINT64_MAX, NO_PLACE, (uint32_t)i };
}

/* From i on.  The way there becomes shorter, so it takes hardly any time, even if all places overlap. */
static uint32_t next_unclaimed(struct first_place *first, uint32_t i)
{
	for (; first[i].unclaimed != i; i = first[i].unclaimed)
		first[i].unclaimed = first[first[i].unclaimed].unclaimed;
	return i;
}

/* Each place takes, in the order of the source, what those before it have left. */
static void claim(struct places *p)
{
	size_t kept = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t end = p->list[i].paddr + p->list[i].length;
		uint32_t at = (uint32_t)first_place_at(p, p->list[i].paddr);

		for (; at = next_unclaimed(p->first, at), p->first[at].end <= end; p->first[at].unclaimed++)
			p->first[at].place = i;
	}
	for (size_t i = 0; i < p->first_count; i++) {
		struct first_place one = p->first[i];

		if (one.place == NO_PLACE)
			continue;
		kept -= kept && p->first[kept - 1].place == one.place;
		p->first[kept++] = one;
	}
	p->first_count = kept;
}

static enum status find_first_places(struct places *p, struct error *e)
{
	p->first = calloc(2 * p->count + 1, sizeof(*p->first));
	if (!p->first)
		return error_system(e, ENOMEM, "%zu segments", p->count);
	divide(p);
	claim(p);
	return STATUS_OK;
}

bool places_is_first(const struct places *p, size_t place, uint64_t frame, unsigned shift, uint64_t *count)
{
	const struct first_place *first = &p->first[first_place_at(p, frame << shift)];

	*count = min_u64(*count, divide_up(first->end, (uint64_t)1 << shift) - frame);
	return first->place == place;
}

/* --- second places ---------------------------------------------------------- */

/* Makes room for a longer one in a table that is full. */
static bool forget_shortest(struct second_places *s, uint64_t length, uint64_t *left)
{
	uint32_t shortest = 0;

	for (uint32_t i = 1; i < s->count; i++)
		if (s->list[i].length < s->list[shortest].length)
			shortest = i;
	if (s->list[shortest].length >= length)
		return false;
	*left += s->list[shortest].length;
	s->count--;
	memmove(&s->list[shortest], &s->list[shortest + 1], (s->count - shortest) * sizeof(*s->list));
	return true;
}

/* The memory up to an address is in both places.  False: they are too long. */
static bool add_second(struct places *p, const struct stored_range *first, const struct stored_range *second, uint64_t paddr,
		       uint64_t end, uint64_t *left)
{
	uint64_t offset = second->offset + (paddr - second->paddr), target = first->offset + (paddr - first->paddr);
	uint64_t skipped = round_up(offset, GRANULE) - offset, length;

	if (target % GRANULE != offset % GRANULE || end - paddr < skipped + GRANULE)
		return true;
	length = round_down(end - paddr - skipped, GRANULE);
	if (p->second.count == SECOND_PLACES_MAX && !forget_shortest(&p->second, length, left))
		return true;
	if (length > *left)
		return false;
	*left -= length;
	p->second.list[p->second.count++] = (struct second_place){ offset + skipped, length, target + skipped };
	return true;
}

/* No first place has bytes of a second one: each address has one first place. */
static void find_second_places(struct places *p)
{
	uint64_t left = SECOND_LENGTH_MAX;
	unsigned overlaps = 0;
	bool good = true;

	for (size_t i = 0; i < p->count && good; i++) {
		const struct stored_range *one = &p->list[i];
		const struct first_place *f = &p->first[first_place_at(p, one->paddr)];
		uint64_t paddr = one->paddr, end;

		for (; good && paddr < one->paddr + one->length; paddr = end, f++) {
			end = min_u64(f->end, one->paddr + one->length);
			good = ++overlaps <= OVERLAPS_MAX &&
			       (f->place == i || add_second(p, &p->list[f->place], one, paddr, end, &left));
		}
	}
	if (!good)
		p->second.count = 0;
}

/* Of each place at once: both fit into the second-level cache of a CPU.  A sample is the first granule of that. */
enum { COMPARED = 64 * 1024 };

/* Does the kernel say that the first of these bytes are of the memory that the headers say they are of? */
static bool is_confirmed(const struct virt *v, uint64_t offset, uint64_t length)
{
	for (size_t i = 0; i < v->core->segments_count; i++) {
		const struct segment *s = &v->core->segments[i];
		uint64_t within = offset - s->offset;

		if (offset >= s->offset && within < s->filesz && length <= s->filesz - within)
			return virt_confirms(v, s->vaddr + within, s->paddr + within);
	}
	return false;
}

/* buffers: COMPARED bytes for each place. */
static bool are_equal(const struct second_place *p, const struct virt *v, uint8_t *buffers)
{
	bool sample = is_confirmed(v, p->offset, p->length) && is_confirmed(v, p->target, p->length);
	const struct core_bytes *bytes = &v->core->bytes;
	struct error ignored;		/* it is stored then, or found to be unreadable */
	size_t len;

	for (uint64_t done = 0; done < p->length; done += COMPARED) {
		len = min_u64(sample ? GRANULE : COMPARED, p->length - done);
		if (bytes->read(bytes->arg, p->offset + done, len, buffers, &ignored) ||
		    bytes->read(bytes->arg, p->target + done, len, buffers + COMPARED, &ignored) ||
		    memcmp(buffers, buffers + COMPARED, len) != 0)
			return false;
	}
	return true;
}

enum status places_compare(struct places *p, const struct virt *virt, struct error *e)
{
	struct second_places *second = &p->second;
	uint8_t *buffers = memory_to_read(2 * (size_t)COMPARED);
	uint32_t kept = 0;

	if (!buffers)
		return error_system(e, ENOMEM, "filter");
	for (uint32_t i = 0; i < second->count; i++)
		if (are_equal(&second->list[i], virt, buffers))
			second->list[kept++] = second->list[i];
	second->count = kept;
	free(buffers);
	return STATUS_OK;
}

/* --------------------------------------------------------------------------- */

enum status places_find(struct places *p, const struct core *core, struct error *e)
{
	enum status status;

	*p = (struct places){ 0 };
	/* Some writers have many segments for memory that is one place: granules in which one of them ends are whole. */
	status = core_stored(core, true, &p->list, &p->count, e);
	cut_to_granules(p);
	if (!status)
		status = find_first_places(p, e);
	if (!status)
		find_second_places(p);
	return status;
}

void places_free(struct places *p)
{
	free(p->list);
	free(p->first);
	*p = (struct places){ 0 };
}

size_t places_from(const struct places *p, uint64_t offset)
{
	return spans_find(p->list, sizeof(*p->list), p->count, offset);
}
