// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what was asked for, the source or kdump-compressed files, or verifies the set. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/njoin/njoin.h"
#include "core/kinds/page_class.h"
#include "export/output_file.h"
#include "format/format.h"
#include "format/record.h"
#include "set/dump.h"
#include "set/read/walk.h"

/* --- what is reported of a dump, and of data that was unreadable ------------------------- */

/* Where the pages are in memory. */
static void report_addresses(struct njoin *njoin, uint64_t offset, uint64_t length)
{
	uint64_t some;

	for (uint64_t end = offset + length; offset < end; offset += some) {
		uint64_t address = dump_address(njoin->set.members->dump, offset, &some);

		some = min_u64(some, end - offset);
		if (message_list_next(&njoin->unreadable) == ENTRY_LISTED)
			message("missing: physical 0x%" PRIx64 " to 0x%" PRIx64, address, address + some - 1);
	}
}

static const char *unreadable_word(const struct njoin *njoin)
{
	if (set_is_dump(&njoin->set))
		return "missing";
	return set_is_made(&njoin->set) ? "unreadable" : "unreadable when captured";
}

/* Any thread may call this. */
static void report_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct njoin *njoin = arg;

	if (set_is_dump(&njoin->set))
		report_addresses(njoin, offset, length);
	else if (message_list_next(&njoin->unreadable) == ENTRY_LISTED)
		message("%s: bytes %" PRIu64 " to %" PRIu64, unreadable_word(njoin), offset, offset + length - 1);
}

/* Why a dump is incomplete, and how many pages are missing. */
static void report_dump(const struct njoin *njoin)
{
	const struct dump *d = njoin->set.members->dump;

	if (njoin->dump_pages)
		message("missing: %" PRIu64 " page%s of %" PRIu32 " bytes", njoin->dump_pages,
			plural(njoin->dump_pages), d->page_size);
	for (size_t i = 0; i < d->count; i++) {
		if (d->parts[i].unusable)
			message("%s", d->parts[i].unusable);
		else
			njoin_report_file(&d->parts[i].file);
	}
	if (d->erased_lost)
		message("%s: the list of what makedumpfile erased from the dump cannot be read", d->parts[0].file.name);
	if (dump_lacks_files(d))
		message("%s: belongs to a split dump; not all of its files were given", d->parts[0].file.name);
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].header.flags & KDUMP_INCOMPLETE)
			message("%s: is marked as incomplete by the program that wrote it", d->parts[i].file.name);
}

/* --- left out ---------------------------------------------------------------------------- */

static enum status refuse_left_out(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	const struct layer_totals *totals = &njoin->absent.contents.totals;
	char text[CLASS_AMOUNTS_LENGTH];
	uint64_t offset = njoin->from, length;
	enum status status;

	if (o->mode != NJOIN_WRITE || o->format != NJOIN_ELF || o->zero_left_out || o->salvage ||
	    !set_has_layers(&njoin->set) || !class_table_has(&njoin->set.classes, CLASS_LEFT_OUT))
		return STATUS_OK;
	status = njoin_find_absent(njoin, e);
	if (status || !layer_totals_leave_out_more(totals) ||
	    !contents_next_left_out(&njoin->absent.contents, &offset, &length) || offset >= njoin->to)
		return status;
	class_amounts_format(totals->memory.left_out, 0, text);
	return error_set(e, STATUS_USAGE, "the capture left pages out, which an ELF file could only show as "
			 "zeros: %s; use --format=kdump, or --zero-left-out to write zeros", text);
}

/* --- missing ----------------------------------------------------------------------------- */

static bool must_be_complete(const struct njoin *njoin)
{
	const struct njoin_options *o = &njoin->options;

	if (!set_has_layers(&njoin->set) || o->mode != NJOIN_WRITE || o->salvage)
		return false;
	for (size_t i = 0; i < njoin->outputs_count; i++)
		if (njoin->outputs[i].kind != OUTPUT_FILE)
			return true;
	return o->format == NJOIN_KDUMP;
}

/* The next hole at or after *offset in the range that is wanted. */
static bool next_hole(const struct njoin *njoin, uint64_t *offset, uint64_t *length)
{
	const struct walk *walk = njoin->walk;
	/* Of /proc/vmcore, holes are what is to be read last. */
	bool found = njoin->set.wishes.ask ? false : walk ? walk_hole(walk, offset, length)
			  : set_absent_next_missing(&njoin->set, &njoin->absent, offset, length);

	if (!found || *offset >= njoin->to)
		return false;
	*length = min_u64(*length, njoin->to - *offset);
	return true;
}

static bool has_holes(const struct njoin *njoin)
{
	uint64_t offset = njoin->from, length;

	return next_hole(njoin, &offset, &length);
}

/* A range that is complete does not depend on the end of the source. */
static bool ends_early(const struct njoin *njoin)
{
	return njoin->set.stopped && !njoin->options.range_given;
}

static bool is_incomplete(const struct njoin *njoin)
{
	return has_holes(njoin) || ends_early(njoin);
}

/* The end of a message about missing data. */
static const char *consequence(const struct njoin *njoin)
{
	bool stops = njoin->options.mode == NJOIN_WRITE && !njoin->options.salvage;

	return stops ? "; nothing was written; use --salvage to write what is available" : "";
}

/* What is missing, by class, as far as that is known, and the layers of which nothing is. */
static void report_missing_classes(const struct njoin *njoin)
{
	const struct layer_totals *totals = njoin->walk ? walk_totals(njoin->walk) :
							  &njoin->absent.contents.totals;
	char text[CLASS_AMOUNTS_LENGTH], twice[SIZE_TEXT_LENGTH];
	uint64_t second = layer_totals_sum(totals->second.missing), sum;
	unsigned complete = 0;

	if (!set_has_layers(&njoin->set))
		return;
	sum = class_amounts_format(totals->memory.missing, totals->memory.unknown, text);
	if (second)
		message("missing by class: %s, and %s that the source has twice", text, size_format(second, twice));
	else if (sum)
		message("missing by class: %s", text);
	/* Of the whole source.  If only records are left, its end is not known. */
	if (!njoin->set.assumed && !njoin->from && njoin->to >= njoin->set.source_size)
		complete = layer_totals_complete(totals, &njoin->set.classes);
	if (complete)
		message("complete: layers up to %u", complete);
}

static void report_holes(const struct njoin *njoin)
{
	struct message_ranges ranges;
	uint64_t offset = njoin->from, length;
	char text[SIZE_TEXT_LENGTH];

	message_ranges_begin(&ranges, njoin->options.verbose ? UINT_MAX : RANGES_SHOWN);
	for (; next_hole(njoin, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	report_missing_classes(njoin);
	message("missing: %s in total%s", size_format(ranges.bytes, text), consequence(njoin));
}

static void report_missing(const struct njoin *njoin)
{
	bool holes = has_holes(njoin);

	if (holes) {
		/* First the members, since they can be looked for. */
		members_report_missing(&njoin->set);
		report_holes(njoin);
	}
	if (ends_early(njoin))
		message("the capture ended before the end of the source%s",
			holes ? "" : consequence(njoin));
}

/* --- what a walk finds to be unreadable ---------------------------------- */

/* In any order, and in pieces; reported in the order of the source, as whole ranges. */
struct unreadable {
	struct njoin *njoin;
	pthread_mutex_t lock;
	struct range_list list;
	bool lacks;			/* there was no memory for a range */
};

static void take_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct unreadable *u = arg;

	pthread_mutex_lock(&u->lock);
	u->lacks |= !range_list_extend(&u->list, offset, length);
	pthread_mutex_unlock(&u->lock);
}

static void take_damage(void *arg, const struct error *e)
{
	struct unreadable *u = arg;

	njoin_report_damage(u->njoin, e);
}

/* Of a dump that is not exported, all counts; of an export, only what belongs to pages that are kept. */
static void report_range(struct njoin *njoin, bool exports, uint64_t offset, uint64_t length)
{
	uint64_t end = offset + length;

	if (!exports) {
		report_unreadable(njoin, offset, length);
		njoin->dump_pages += divide_up(length, njoin->set.members->dump->page_size);
		return;
	}
	for (; pages_next_wanted(&njoin->kdump.pages, &offset, end, &length); offset += length)
		report_unreadable(njoin, offset, length);
}

/* exports: kdump-compressed files.  Otherwise, it is a dump, and what the walk has not visited counts, too. */
static enum status walk_and_report(struct njoin *njoin, struct walk_settings settings, bool exports, struct error *e)
{
	struct unreadable u = { .njoin = njoin };
	uint64_t offset = 0, length;
	enum status status;

	pthread_mutex_init(&u.lock, NULL);
	settings.unreadable = take_unreadable;
	settings.damaged = take_damage;
	settings.arg = &u;
	status = njoin_run_walk(njoin, &settings, e);
	for (; !status && !exports && walk_hole(njoin->walk, &offset, &length); offset += length)
		take_unreadable(&u, offset, length);
	if (!status && u.lacks)
		status = error_system(e, ENOMEM, "list of missing ranges");
	range_list_merge(&u.list);
	for (size_t i = 0; i < u.list.count && !status; i++)
		report_range(njoin, exports, u.list.ranges[i].offset, u.list.ranges[i].length);
	range_list_free(&u.list);
	pthread_mutex_destroy(&u.lock);
	return status;
}

/* --- a kdump file -------------------------------------------------------- */

/* With what is missing according to the indexes; what turns out to be unreadable or damaged is absent. */
static enum status open_export(struct njoin *njoin, struct error *e)
{
	enum status status = njoin_find_absent(njoin, e);
	struct absent holes = set_absent_holes(&njoin->absent);

	if (!status)
		status = kdump_export_open(&njoin->kdump, &njoin->set, &holes, e);
	if (!status && (njoin->options.left_out.classes || kdump_export_is_guarded(&njoin->kdump)))
		status = kdump_export_filter(&njoin->kdump, njoin->options.threads, njoin->options.left_out.classes, e);
	if (!status && kdump_export_is_guarded(&njoin->kdump))
		njoin->set.wishes = kdump_export_wishes(&njoin->kdump);
	return status;
}

/* --- writing ------------------------------------------------------------------------------ */

/* Little space is left; or what is read next may stop the machine, so this has to be read before. */
static void warn(const struct error *e)
{
	message("%s", e->text);
	message_settle();
}

static enum status begin_files(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	const struct dump *dump = njoin->set.members->dump;
	struct kdump_settings settings = {
		.outputs = njoin->outputs,
		.outputs_count = njoin->outputs_count,
		.codec = o->codec,
		.level = o->level,
		/* Pages of a dump are copied as they are, unless another codec is asked for. */
		.repack = o->codec && dump,
		.past_damage = o->salvage,
		.threads = o->threads,
		.warn = warn,
	};

	if (o->keeps_pages && dump && !o->codec)
		settings.codec = &codec_raw;
	/* The header says that zero pages were left out. */
	if ((o->left_out.zero || (dump && dump->level & DUMP_LEVEL_ZERO)) && njoin->outputs_count == 1)
		njoin->kdump.form.dump_level |= DUMP_LEVEL_ZERO;
	return kdump_export_begin(&njoin->kdump, &settings, e);
}

/* Writes to the outputs, which are open; kdump_export_end() finishes them. */
static enum status write_kdump(struct njoin *njoin, struct error *e)
{
	enum status status = njoin_run_step(njoin, PHASE_STEP, open_export, e);
	struct walk_settings settings = { 0 };

	if (status)
		return status;
	left_out_report_kept(&njoin->kdump.filter);
	status = njoin_run_step(njoin, PHASE_STEP, begin_files, e);
	if (status)
		return status;
	kdump_export_walk(&njoin->kdump, &settings);
	return walk_and_report(njoin, settings, true, e);
}

/* Reports how many pages are missing, and how many were left out. */
static void report_pages(const struct njoin *njoin)
{
	const struct core *core = &njoin->kdump.source.core;
	uint64_t lost = kdump_export_missing(&njoin->kdump), end = core_segments_end(core);

	if (njoin->set.members->dump)
		report_dump(njoin);
	else if (lost && set_is_made(&njoin->set) && end > core->bytes.size)
		message("%s: cut short: it ends at byte %" PRIu64 ", but its segments at byte %" PRIu64,
			njoin->set.members->name, core->bytes.size, end);
	if (core->damage)
		message("%s: damaged: %s; what fits the rest of the core is used", njoin->set.members->name,
			core->damage);
	if (lost)
		message("missing: %" PRIu64 " page%s of %" PRIu32 " bytes", lost, plural(lost),
			njoin->kdump.pages.page_size);
	if (!njoin->options.quiet)
		left_out_report(&njoin->kdump.filter, njoin->kdump.pages.page_size);
}

/* --- a join -------------------------------------------------------------- */

/* Bytes to be written, for a check of the free space before that, which may take hours. */
struct need {
	uint64_t least;			/* that are certainly not zeros */
	uint64_t most;			/* all that the members hold */
};

/*
 * The payload of a record is at most as long as its blocks that are not zeros, since compressed
 * blocks are shorter than what they were compressed from.  Where these blocks are is unknown, so
 * only complete records count.
 */
static uint64_t least_of(const struct index_entry *entry)
{
	uint64_t blocks = divide_up(entry->source_length, BLOCK_SIZE_MIN);
	uint64_t head = round_up(RECORD_HEADER_LENGTH + (RUN_LENGTH + RECORD_ENTRY_LENGTH) * blocks, ALIGNMENT) + ALIGNMENT;
	uint64_t payload = entry->record_length - min_u64(entry->record_length, head);

	return min_u64(payload, entry->source_length);
}

/*
 * With layers, ranges that were captured again count twice, so nothing is certain but the size of the range, if
 * the output has no holes.
 */
static struct need need_of(const struct njoin *njoin)
{
	struct need need = { 0 };

	for (size_t i = 0; i < njoin->set.locations; i++) {
		const struct index_entry *entry = &njoin->set.map[i]->entry;
		uint64_t from = max_u64(entry->source_offset, njoin->from);
		uint64_t to = min_u64(entry->source_offset + entry->source_length, njoin->to);

		if (set_has_layers(&njoin->set)) {
			need.most += (uint64_t)GRANULE * entry->stored;
			continue;
		}
		if (njoin->set.map[i]->follows || from >= to)
			continue;
		need.most += to - from;
		if (to - from == entry->source_length)
			need.least += least_of(entry);
	}
	need.most = min_u64(need.most, njoin->to - min_u64(njoin->from, njoin->to));
	return need;
}

/* The free space of all outputs.  False: unknown. */
static bool free_space_of_all(const struct njoin *njoin, uint64_t *bytes)
{
	struct space spaces[OUTPUTS_MAX];

	for (size_t i = 0; i < njoin->outputs_count; i++)
		if (!free_space_of(&njoin->outputs[i], &spaces[i]))
			return false;
	*bytes = space_sum(spaces, njoin->outputs_count);
	return true;
}

/* The outputs are open.  Fails if the space is certainly too small, and warns if it may be. */
static enum status check_space(const struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	const struct output_file *output = njoin->outputs;
	char needed[SIZE_TEXT_LENGTH], available[SIZE_TEXT_LENGTH];
	bool kdump = o->format == NJOIN_KDUMP;
	struct need need;
	uint64_t bytes, certain, expected;

	if (o->mode != NJOIN_WRITE || !njoin->outputs_count)
		return STATUS_OK;
	need = need_of(njoin);
	/* A device must be as large as the range; a file without holes takes all bytes. */
	if (output->kind != OUTPUT_FILE)
		certain = njoin->to - min_u64(njoin->from, njoin->to);
	else
		certain = output->sparse ? need.least : need.most;
	/* Of a kdump-compressed file, only what is written first is certain: kdump_export_begin() checks that. */
	if (!kdump && free_space_check(output, certain, NULL, e))
		return e->status;
	/*
	 * For a device, this was exact.  How well a plain file can be compressed is not known, nor what remains of a
	 * dump without some of its pages.
	 */
	if (set_is_made(&njoin->set) || o->left_out.classes || (!kdump && output->kind != OUTPUT_FILE) ||
	    !free_space_of_all(njoin, &bytes))
		return STATUS_OK;
	expected = kdump ? need.least : need.most;
	if (expected > bytes)
		message("%s: may have too little space: up to %s needed, %s free; writing it "
			"anyway", output->name, size_format(expected, needed), size_format(bytes, available));
	return STATUS_OK;
}

/* njoin --verify: compares the roots of members (doc/format.md, section 9) with their records. */

static void report_root(struct njoin *njoin, unsigned i)
{
	const struct member *m = &njoin->set.members[i];
	char text[DIGEST_TEXT_LENGTH + 1], stated[DIGEST_TEXT_LENGTH + 1];
	uint8_t found[ROOT_LENGTH] = { 0 };
	enum root_verdict verdict = roots_verdict(njoin->roots, i, found);
	struct error e;

	hex_format(found, DIGEST_LENGTH, text);
	if (verdict == ROOT_DIFFERENT) {
		hex_format(m->footer.root, DIGEST_LENGTH, stated);
		error_set(&e, STATUS_DAMAGED, "%s: its records are not those with which it was closed: their root is %s, "
			  "but its footer has %s", m->name, text, stated);
		njoin_report_damage(njoin, &e);
	} else if (verdict == ROOT_UNKNOWN) {
		message("%s: its root was not checked, because not all of its records are intact", m->name);
	} else if (verdict == ROOT_SAME && !njoin->options.quiet) {
		message("%s: root verified: %s", m->name, text);
	}
}

/* After the walk that checked all records.  A root that is not that of the records is damage. */
static void report_roots(struct njoin *njoin)
{
	bool any = false;

	for (unsigned i = 0; i < njoin->set.count; i++) {
		any |= member_has_root(&njoin->set.members[i]);
		if (njoin->roots)
			report_root(njoin, i);
	}
	if (any && !njoin->roots)
		message("the roots of the members were not checked, because this build of njoin was made without the "
			"library nettle");
}

static enum status walk_set(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	bool writes = o->mode == NJOIN_WRITE;
	struct copy copy = { .output = njoin->outputs, .from = njoin->from };
	struct walk_settings settings = {
		.ordered = writes && !njoin_seekable(njoin),
		/* --verify reports all damage, not only the first. */
		.past_damage = o->salvage || !writes,
		.mode = writes ? WALK_BYTES : WALK_CHECK,
		.roots = njoin->roots,
		.deliver = copy_deliver,
		.deliver_arg = &copy,
		.unreadable = report_unreadable,
		.damaged = njoin_report_damage,
		.arg = njoin,
	};

	if (njoin->set.members->dump)
		return walk_and_report(njoin, settings, false, e);
	return njoin_run_walk(njoin, &settings, e);
}

static bool checks_roots(const struct njoin *njoin)
{
	return njoin->options.mode == NJOIN_VERIFY && !njoin->set.members->dump;
}

static enum status write_or_verify(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	enum status status = njoin_probe_outputs(njoin, e);

	/* Signals keep their default action meanwhile, since nothing has been written yet. */
	if (!status && must_be_complete(njoin)) {
		status = njoin_find_absent(njoin, e);
		if (!status && is_incomplete(njoin))
			return STATUS_OK;
	}
	if (!status)
		status = refuse_left_out(njoin, e);
	if (!status && checks_roots(njoin))
		status = roots_new(&njoin->roots, &njoin->set, e);
	if (!status)
		status = njoin_open_outputs(njoin, e);
	if (!status)
		status = check_space(njoin, e);
	if (status)
		return status;
	return o->format == NJOIN_KDUMP ? write_kdump(njoin, e) : walk_set(njoin, e);
}

static enum status clear_holes(struct njoin *njoin, struct error *e)
{
	uint64_t from = njoin->from, offset = from, length;
	enum status status = STATUS_OK;

	for (; walk_hole(njoin->walk, &offset, &length) && !status; offset += length)
		status = output_file_write_zeros(njoin->outputs, offset - from, length, e);
	return status;
}

static enum status sync_outputs(struct njoin *njoin, struct error *e)
{
	uint64_t to = min_u64(njoin->to, njoin->set.source_size);

	if (njoin->options.format == NJOIN_KDUMP)
		return kdump_export_end(&njoin->kdump, njoin->walk, e);
	return output_file_finish(njoin->outputs, to > njoin->from ? to - njoin->from : 0, e);
}

static enum status finish_outputs(struct njoin *njoin, struct error *e)
{
	enum status status = STATUS_OK;

	if (njoin->options.mode != NJOIN_WRITE)
		return STATUS_OK;
	/* A device holds old data where nothing was written; a new file and a stream do not. */
	if (njoin->options.format == NJOIN_ELF && njoin->outputs->kind == OUTPUT_DEVICE)
		status = njoin_run_step(njoin, PHASE_STEP, clear_holes, e);
	return status ? status : njoin_run_step(njoin, PHASE_SYNC, sync_outputs, e);
}

/* Without --salvage, the set is complete here. */
static enum njoin_finding finish(struct njoin *njoin, bool incomplete)
{
	const struct dump *dump = njoin->set.members->dump;
	struct error e;

	if (finish_outputs(njoin, &e)) {
		enum njoin_finding failed = njoin_failed(&e);

		/* That came while they were being synced. */
		if (njoin->stop.signal)
			njoin_die(njoin);
		return failed;
	}
	report_pages(njoin);
	if (njoin->progress.shown)
		njoin_report_summary(njoin);
	if (njoin->stop.signal) {
		message("nothing was left to write when the signal came; everything is kept");
		njoin_die(njoin);
	}
	if (incomplete || njoin->damage.count)
		return FOUND_INCOMPLETE;
	if (dump && (!dump_is_intact(dump) || dump->erased_lost))
		return FOUND_UNREADABLE;
	return njoin->unreadable.count || kdump_export_missing(&njoin->kdump) || njoin->kdump.source.core.damage ?
	       FOUND_UNREADABLE : FOUND_PERFECT;
}

static void report_left_out(const struct njoin *njoin)
{
	const struct walk *walk = njoin->walk;
	const struct layer_totals *totals = walk ? walk_totals(walk) : NULL;
	const struct njoin_options *o = &njoin->options;
	bool zeros = o->mode == NJOIN_WRITE && o->format == NJOIN_ELF && totals && !layer_totals_leave_out_more(totals);
	char text[CLASS_AMOUNTS_LENGTH];

	if (totals && set_has_layers(&njoin->set) && !o->quiet && class_amounts_format(totals->memory.left_out, 0, text))
		message("left out when captured: %s%s", text, zeros ? "; zeros in the ELF core" : "");
}

enum njoin_finding njoin_join(struct njoin *njoin)
{
	bool salvage = njoin->options.salvage;
	/* The indexes of layers say it only of some records, and salvage may find more damage than they show. */
	bool incomplete = !salvage && !set_has_layers(&njoin->set) && is_incomplete(njoin);
	bool reported = incomplete;
	struct error e;
	enum status status;
	unsigned more;

	if (incomplete)
		report_missing(njoin);
	if (incomplete && njoin->options.mode == NJOIN_WRITE)
		return FOUND_INCOMPLETE;
	status = write_or_verify(njoin, &e);
	if (status == STATUS_STOPPED)
		njoin_die(njoin);
	more = message_list_more(&njoin->unreadable);
	if (more)
		message("%s: %u more range%s", unreadable_word(njoin), more, plural(more));
	if (!status)
		report_left_out(njoin);
	if (status)
		return njoin_failed(&e);
	if (checks_roots(njoin))
		report_roots(njoin);
	if (!reported && is_incomplete(njoin)) {
		report_missing(njoin);
		incomplete = true;
	}
	if (!salvage && (incomplete || njoin->damage.count))
		return FOUND_INCOMPLETE;
	return finish(njoin, incomplete);
}
