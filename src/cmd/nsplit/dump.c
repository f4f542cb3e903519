// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/size.h"
#include "capture/memory/crash_kernel.h"
#include "capture/memory/memory_fit.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/nsplit.h"
#include "core/kinds/page_class.h"
#include "filter/page_source.h"

/*
 * Bytes of memory for each program header of the source, at most: for what a filter knows of them, and for that and
 * what a dump needs, with a page_source.  Measured with 33,000 to 131,000 segments of a page.
 */
enum { HEADER_OF_FILTER = 200, HEADER_OF_DUMP = 660 };

static uint64_t count_headers(struct source *source)
{
	struct source_bytes reading;
	struct core_bytes bytes;
	uint64_t count = 0;
	struct error ignored;		/* whatever opens the core reports it */

	if (source->is_stream || source_bytes_open(&reading, source, &bytes, &ignored) ||
	    core_count_headers(&bytes, &count, &ignored) || count > CORE_HEADERS_MAX)
		count = 0;
	if (!source->is_stream)
		source_bytes_close(&reading);
	return count;
}

void nsplit_set_headers(struct capture_settings *settings, const struct nsplit_options *o, struct source *source,
			const char *root)
{
	settings->header_memory = o->format != NSPLIT_MEMBERS ? HEADER_OF_DUMP :
				  o->left_out.given ? HEADER_OF_FILTER : 0;
	if (settings->header_memory)
		settings->headers = root ? crash_kernel_segments(root) : count_headers(source);
}

struct limits nsplit_limits(const struct nsplit *nsplit)
{
	struct limits limits = limits_here();

	if (nsplit->memory_most.bytes && nsplit->memory_most.bytes < limits.memory.bytes)
		limits.memory = nsplit->memory_most;
	return limits;
}

/* What is allocated is only used later, when the kernel would kill this process for it. */
static enum status check_headers(const struct nsplit *nsplit, size_t each, struct error *e)
{
	const struct limits limits = nsplit_limits(nsplit);
	const struct limit *memory = &limits.memory, *addresses = &limits.addresses;
	const struct limit *limit = memory->bytes < addresses->bytes ? memory : addresses;
	uint64_t headers = nsplit->options.capture.headers, need = headers * each;
	char text[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH];

	if (need < HEADERS_MANY || need <= fit_usable(limit->bytes))
		return STATUS_OK;
	return error_set(e, STATUS_NO_MEMORY, "%s: its %" PRIu64 " program headers need %s of memory, and %s is available (%s)",
			 nsplit->source->name, headers, size_format(need, text),
			 size_format(fit_usable(limit->bytes), have), limit->what);
}

const struct layer_policy *nsplit_open_policy(struct nsplit *nsplit)
{
	unsigned classes = nsplit->options.left_out.classes;
	struct error e;

	if (!check_headers(nsplit, HEADER_OF_FILTER, &e))
		return page_policy_open(&nsplit->layers, nsplit->source, classes);
	page_policy_expect(&nsplit->layers, nsplit->source, classes);
	page_policy_give_up(&nsplit->layers, e.text);
	return NULL;
}

/* A page is a block: does each of them begin at a multiple of its size in the source? */
static bool are_blocks(const struct pages *p)
{
	for (size_t i = 0; i < p->by_offset_count; i++)
		if (p->by_offset[i]->offset % p->page_size)
			return false;
	return true;
}

static void close_core(struct nsplit_dump *d)
{
	pages_free(&d->pages);
	core_close(&d->core);
	source_bytes_close(&d->bytes);
}

static enum status open_core(struct nsplit_dump *d, struct error *e)
{
	struct core_bytes bytes;
	uint32_t page_size;
	enum status status = source_bytes_open(&d->bytes, d->source, &bytes, e);

	if (!status)
		status = core_open_within(&d->core, &bytes, &core_limits_scarce, e);
	if (!status)
		status = vmcoreinfo_find(&d->core, &d->info, e);
	if (!status)
		status = vmcoreinfo_page_size(&d->info, &page_size, e);
	if (!status)
		status = pages_find(&d->pages, &d->core, page_size, NULL, 0, e);
	return status;
}

/* If its pages are no blocks, the source becomes one that shows them so. */
static enum status open_blocks(struct nsplit *nsplit, struct error *e)
{
	struct nsplit_dump *d = &nsplit->dump;
	enum status status = check_headers(nsplit, HEADER_OF_DUMP, e);

	if (!status)
		status = open_core(d, e);
	if (status || are_blocks(&d->pages))
		return status;
	status = page_source_new(&nsplit->source, nsplit->source, &d->core, d->pages.page_size, e);
	if (status)
		return status;
	close_core(d);
	d->source = nsplit->source;
	return open_core(d, e);
}

enum status nsplit_refuse_stream(const struct nsplit_options *o, const struct source *source, struct error *e)
{
	if (o->left_out.given)
		return page_policy_refuse_stream(source, e);
	if (o->format == NSPLIT_MEMBERS)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: --format=%s needs a source that can be read more than once, "
			 "and this is a stream; omit it, or capture to a file first", source->name,
			 o->format == NSPLIT_ELF ? "elf" : "kdump");
}

/* A dump that njoin opens is better than none. */
static void write_member(const struct nsplit *nsplit, const struct error *why)
{
	message("%s; a member is written instead of a dump in the %s form; njoin reads it", why->text,
		nsplit->options.format == NSPLIT_ELF ? "ELF" : "kdump-compressed");
}

enum status nsplit_dump_open(struct nsplit *nsplit, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;
	enum status status;

	*d = (struct nsplit_dump){
		.source = nsplit->source, .layers = &nsplit->layers, .lost.limit = RANGES_LISTED,
	};
	d->zero = nsplit->options.left_out.zero;
	/* Through a pipe that is a fallback, several layers make more pieces. */
	d->one_pass = !sink_writes_anywhere(&nsplit->sinks[0]);
	status = open_blocks(nsplit, e);
	settings->policy = nsplit_open_policy(nsplit);
	if (status) {
		nsplit_dump_close(d);
		if (nsplit->options.dump_required)
			return status;
		write_member(nsplit, e);
		settings->header_memory = HEADER_OF_FILTER;
		return STATUS_OK;
	}
	settings->block_size = d->pages.page_size;
	settings->chunk_size = (uint32_t)round_up(settings->chunk_size, d->pages.page_size);
	settings->dump = &d->layout;
	d->layout.elf = nsplit->options.format == NSPLIT_ELF;
	nsplit_dump_make_policy(d, settings);
	return STATUS_OK;
}

static unsigned layer_after_all(const struct nsplit_dump *d)
{
	return d->one_pass ? 1 : d->policy.layers;
}

/* The classes of dump levels of which something is left out. */
static unsigned classes_left_out(const struct nsplit_dump *d)
{
	unsigned classes = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(&d->choice.table, i) == CLASS_LEFT_OUT && !page_captured_is_never_read(i))
			classes |= page_class_of_captured(i);
	return classes;
}

/* Any thread. */
static void lost(void *arg, uint64_t begin, uint64_t end, uint64_t kept)
{
	struct nsplit_dump *d = arg;

	atomic_fetch_add(&d->changed, kept);
	d->layout.cut = true;
	if (message_list_next(&d->lost) != ENTRY_LISTED)
		return;
	message("%s: changed while it was captured; the pages at physical addresses 0x%" PRIx64 " to 0x%" PRIx64
		" that are not in the dump yet are missing", d->source->name, begin, end - 1);
}

/* While the workers capture, makers have threads of the filter for themselves. */
static enum status choose(struct nsplit_dump *d, const struct capture_settings *settings, struct error *e)
{
	unsigned workers = capture_workers(settings);
	struct filter *f = d->layers->filter;
	enum status status = filter_start(f, workers + d->makers, settings->chunk_size, !d->makers, e);

	if (status || !d->layers->classes)
		return status;
	d->choice.filter = f;
	d->choice.pages = &d->pages;
	d->choice.threads = d->makers ? d->makers : workers;
	d->choice.first_thread = d->makers ? workers : 0;
	d->choice.after_all = layer_after_all(d);
	d->choice.part = d->makers ? page_parts_size(d->pages.in_core) : 0;
	d->choice.lost = lost;
	d->choice.arg = d;
	status = filter_choose_pages(&d->choice, e);
	/* So even the first pass knows what is saved after all. */
	d->policy.plan = d->choice.table;
	return status;
}

/* More would mostly wait. */
enum { MAKERS = 4 };

bool nsplit_dump_by_parts(struct nsplit *nsplit, bool by_parts)
{
	const struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;
	size_t whole;

	d->makers = 0;
	if (!settings->dump || !d->layers->classes || !by_parts)
		return false;
	whole = d->policy.memory(d, settings->chunk_size);
	d->makers = (unsigned)min_u64(MAKERS, capture_workers(settings));
	if (d->policy.memory(d, settings->chunk_size) < whole)
		return true;
	d->makers = 0;
	return false;
}

static void make_layout(struct nsplit *nsplit, enum status status, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;

	if (!status)
		status = nsplit_dump_make_layout(d, settings, classes_left_out(d), e);
	if (!status)
		return;
	write_member(nsplit, e);
	settings->dump = NULL;
	settings->policy = NULL;
}

void nsplit_dump_give_up(struct nsplit *nsplit, const char *why)
{
	enum status status;
	struct error e;

	page_policy_give_up(&nsplit->layers, why);
	nsplit->options.capture.policy = NULL;
	if (!nsplit->options.capture.dump)
		return;
	nsplit->dump.choice.table = class_table_plain();
	nsplit->dump.makers = 0;
	nsplit->dump.changed = 0;
	status = pages_keep_all(&nsplit->dump.pages, &e);
	make_layout(nsplit, status, &e);
}

void nsplit_dump_set_codec(struct nsplit *nsplit)
{
	if (nsplit->options.capture.dump && !nsplit->dump.layout.elf)
		nsplit_dump_put_codec(&nsplit->dump, &nsplit->options.capture);
}

void nsplit_dump_choose(struct nsplit *nsplit)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;
	struct error e;

	if (!settings->dump)
		return;
	if (settings->policy && choose(d, settings, &e))
		nsplit_dump_give_up(nsplit, e.text);
	else
		make_layout(nsplit, STATUS_OK, &e);
}

void nsplit_dump_close(struct nsplit_dump *d)
{
	close_core(d);
	filter_choice_free(&d->choice);
	free(d->head);
	free(d->ragged);
	elf_form_free(&d->elf);
	*d = (struct nsplit_dump){ 0 };
}
