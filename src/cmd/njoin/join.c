// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/size.h"
#include "cmd/common/members.h"
#include "cmd/common/message.h"
#include "cmd/njoin/dump.h"
#include "cmd/njoin/join.h"
#include "cmd/njoin/kdump.h"
#include "cmd/njoin/missing.h"
#include "cmd/njoin/outputs.h"
#include "cmd/njoin/report.h"
#include "cmd/njoin/set.h"
#include "export/copy.h"
#include "export/free_space.h"
#include "format/format.h"
#include "format/record.h"
#include "set/dump.h"
#include "set/read/roots.h"

/* Checks the free space of the outputs before anything is written, which may take hours. */

/* Bytes to be written. */
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
 * Ranges that were captured again count twice, so nothing is certain but the size of the range, if
 * the output has no holes.
 */
static struct need need_of_layers(const struct njoin_input *in)
{
	struct need need = { 0 };

	for (size_t i = 0; i < in->set.locations; i++)
		need.most += (uint64_t)GRANULE * in->set.map[i]->entry.stored;
	need.most = min_u64(need.most, in->to - min_u64(in->from, in->to));
	return need;
}

static struct need need_of(const struct njoin_input *in)
{
	struct need need = { 0 };

	if (set_has_layers(&in->set))
		return need_of_layers(in);
	for (size_t i = 0; i < in->set.locations; i++) {
		const struct index_entry *entry = &in->set.map[i]->entry;
		uint64_t from = max_u64(entry->source_offset, in->from);
		uint64_t to = min_u64(entry->source_offset + entry->source_length, in->to);

		if (in->set.map[i]->follows || from >= to)
			continue;
		need.most += to - from;
		if (to - from == entry->source_length)
			need.least += least_of(entry);
	}
	return need;
}

/*
 * The bytes that the output must certainly have space for.  A device must be as large as the range; a file
 * without holes takes all bytes.
 */
static uint64_t certain_need(const struct njoin_input *in, const struct output_file *o,
			     const struct need *need)
{
	if (o->kind != OUTPUT_FILE)
		return in->to > in->from ? in->to - in->from : 0;
	return o->sparse ? need->least : need->most;
}

/* The free space of all outputs.  False: unknown. */
static bool free_space_of_all(const struct njoin_outputs *outputs, uint64_t *bytes)
{
	struct space spaces[OUTPUTS_MAX];

	for (size_t i = 0; i < outputs->count; i++)
		if (!free_space_of(&outputs->files[i], &spaces[i]))
			return false;
	*bytes = space_sum(spaces, outputs->count);
	return true;
}

static bool is_needed(const struct njoin_outputs *outputs, const struct njoin_options *o,
		      const struct njoin_input *in)
{
	return o->mode == NJOIN_WRITE && !in->set.has_stream && outputs->count;
}

/*
 * Both do nothing for members that are streams, since their indexes come last.  The outputs are
 * open.  The first fails if the space is certainly too small.  For a kdump-compressed file, whose
 * length is unknown, only what is written first is certain: kdump_export_begin() checks that.
 */
static enum status njoin_check_free_space(const struct njoin_outputs *outputs, const struct njoin_options *o,
					  const struct njoin_input *in, struct error *e)
{
	struct need need;

	if (!is_needed(outputs, o, in) || o->format == NJOIN_KDUMP)
		return STATUS_OK;
	need = need_of(in);
	return free_space_check(outputs->files, certain_need(in, outputs->files, &need), NULL, NULL, e);
}

/* Warns if the space may be too small. */
static void njoin_report_little_space(const struct njoin_outputs *outputs, const struct njoin_options *o,
				      const struct njoin_input *in)
{
	char needed[SIZE_TEXT_LENGTH], available[SIZE_TEXT_LENGTH];
	bool kdump = o->format == NJOIN_KDUMP;
	struct need need;
	uint64_t bytes, expected;

	/*
	 * For a device, njoin_check_free_space() is exact.  How well a plain file can be compressed is
	 * not known, nor what remains of a dump without some of its pages.
	 */
	if (!is_needed(outputs, o, in) || set_is_made(&in->set) || o->left_out.classes ||
	    (!kdump && outputs->files->kind != OUTPUT_FILE) ||
	    !free_space_of_all(outputs, &bytes))
		return;
	need = need_of(in);
	expected = kdump ? need.least : need.most;
	if (expected > bytes)
		message("%s: may have too little space: up to %s needed, %s free; writing it "
			"anyway", outputs->files->name, size_format(expected, needed),
			size_format(bytes, available));
}

/* njoin --verify: compares the roots of members (doc/format.md, section 9) with their records. */

static void report_different(struct njoin_findings *findings, const struct member *m, const char *found)
{
	char stated[DIGEST_TEXT_LENGTH + 1];
	struct error e;

	digest_format(m->footer.root, stated);
	error_set(&e, STATUS_DAMAGED, "%s: its records are not those with which it was closed: their root is %s, but its "
		  "footer has %s", m->name, found, stated);
	njoin_report_damage(findings, &e);
}

static void report_root(struct njoin_findings *findings, const struct set *set, const struct roots *roots, unsigned i,
			bool quiet)
{
	const struct member *m = &set->members[i];
	char text[DIGEST_TEXT_LENGTH + 1];
	uint8_t found[ROOT_LENGTH] = { 0 };
	enum root_verdict verdict = roots_verdict(roots, i, found);

	digest_format(found, text);
	if (verdict == ROOT_DIFFERENT)
		report_different(findings, m, text);
	else if (verdict == ROOT_UNKNOWN)
		message("%s: its root was not checked, because not all of its records are intact", m->name);
	else if (verdict == ROOT_SAME && !quiet)
		message("%s: root verified: %s", m->name, text);
}

static bool any_root(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (member_has_root(&set->members[i]))
			return true;
	return false;
}

/*
 * After the walk that checked all records; roots: what it found, or NULL if this build cannot compare.  A root that is
 * not that of the records is damage.  quiet: says nothing of those that are.
 */
static void njoin_report_roots(struct njoin_findings *findings, const struct set *set, const struct roots *roots, bool quiet)
{
	if (!roots && any_root(set))
		message("the roots of the members were not checked, because this build of njoin was made without the "
			"library nettle");
	for (unsigned i = 0; roots && i < set->count; i++)
		report_root(findings, set, roots, i, quiet);
}

/*
 * Opening a pipe may wait long for its reader, and any signal may end the program meanwhile.  Once
 * there is a file to remove, none may.
 */
static enum status open_outputs_and_signals(struct njoin_run *run, struct error *e)
{
	bool seekable = njoin_seekable(&run->outputs);
	enum status status = STATUS_OK;

	signals_prepare();
	if (!seekable)
		status = njoin_open_outputs(&run->outputs, e);
	if (!status)
		status = signals_open(&run->signal_fd, e);
	if (!status && seekable)
		status = njoin_open_outputs(&run->outputs, e);
	return status;
}

static enum status walk_set(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	bool writes = o->mode == NJOIN_WRITE;
	struct copy copy = { .output = njoin->run.outputs.files, .from = njoin->input.from };
	struct walk_settings settings = {
		.ordered = writes && !njoin_seekable(&njoin->run.outputs),
		/* --verify reports all damage, not only the first. */
		.past_damage = o->salvage || !writes,
		.mode = writes ? WALK_BYTES : WALK_CHECK,
		.roots = njoin->roots,
		.deliver = copy_deliver,
		.deliver_arg = &copy,
		.unreadable = njoin_report_unreadable,
		.damaged = njoin_report_damage,
		.unfinished = o->salvage ? NULL : members_report_unfinished,
		.arg = &njoin->findings,
	};

	if (njoin->findings.dump)
		return njoin_walk_dump(njoin, &settings, e);
	return njoin_run_walk(&njoin->run, &settings, e);
}

static bool checks_roots(const struct njoin *njoin)
{
	return njoin->options.mode == NJOIN_VERIFY && !njoin->findings.dump;
}

static enum status write_or_verify(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	struct njoin_outputs *outputs = &njoin->run.outputs;
	enum status status = njoin_probe_outputs(outputs, o, &njoin->input.set, e);

	/* Signals keep their default action meanwhile, since nothing has been written yet. */
	if (!status && njoin_must_be_complete(njoin)) {
		status = njoin_find_absent(njoin, e);
		if (!status && njoin_is_incomplete(njoin))
			return STATUS_OK;
	}
	if (!status)
		status = njoin_refuse_left_out(njoin, e);
	if (!status && checks_roots(njoin))
		status = roots_new(&njoin->roots, &njoin->input.set, e);
	if (!status)
		status = open_outputs_and_signals(&njoin->run, e);
	if (!status)
		status = njoin_check_free_space(outputs, o, &njoin->input, e);
	if (status)
		return status;
	njoin_report_little_space(outputs, o, &njoin->input);
	return o->format == NJOIN_KDUMP ? njoin_write_kdump(njoin, e) : walk_set(njoin, e);
}

static enum status clear_holes(void *arg, struct error *e)
{
	const struct njoin_run *run = arg;
	uint64_t from = run->input->from, offset = from, length;
	enum status status = STATUS_OK;

	for (; walk_hole(run->walk, &offset, &length) && !status; offset += length)
		status = output_file_write_zeros(run->outputs.files, offset - from, length, e);
	return status;
}

static enum status finish_source(void *arg, struct error *e)
{
	const struct njoin_run *run = arg;
	const struct njoin_input *in = run->input;
	uint64_t to = min_u64(in->to, in->set.source_size);

	return output_file_finish(run->outputs.files, to > in->from ? to - in->from : 0, e);
}

static enum status finish_kdump(void *arg, struct error *e)
{
	return kdump_export_end(arg, e);
}

static enum status finish_outputs(struct njoin *njoin, struct error *e)
{
	struct njoin_run *run = &njoin->run;
	enum status status = STATUS_OK;

	if (njoin->options.mode != NJOIN_WRITE)
		return STATUS_OK;
	if (njoin->options.format == NJOIN_KDUMP)
		return njoin_run_sync(run, finish_kdump, &njoin->kdump, e);
	/* A device holds old data where nothing was written; a new file and a stream do not. */
	if (run->outputs.files->kind == OUTPUT_DEVICE)
		status = njoin_run_step(run, clear_holes, run, e);
	return status ? status : njoin_run_sync(run, finish_source, run, e);
}

static void report_summary(const struct njoin *njoin)
{
	const struct njoin_findings *found = &njoin->findings;
	/* All 0 unless a kdump-compressed file was written. */
	const struct pages *p = &njoin->kdump.pages;
	struct njoin_pages pages = { .written = p->count * p->page_size, .missing = p->lost * p->page_size };

	if (found->dump_pages)
		pages.missing = found->dump_pages * found->dump->page_size;
	njoin_report_summary(&njoin->run, &pages);
}

/* Without --salvage, the set is complete here. */
static enum njoin_finding finish(struct njoin *njoin, bool incomplete)
{
	const struct njoin_findings *found = &njoin->findings;
	struct njoin_run *run = &njoin->run;
	struct error e;

	if (finish_outputs(njoin, &e)) {
		enum njoin_finding failed = njoin_failed(&e);

		/* That came while they were being synced. */
		if (run->stop.signal)
			njoin_die(run);
		return failed;
	}
	njoin_report_pages(njoin);
	if (run->progress.shown)
		report_summary(njoin);
	if (run->stop.signal) {
		message("nothing was left to write when the signal came; everything is kept");
		njoin_die(run);
	}
	if (incomplete || found->damage.count)
		return FOUND_INCOMPLETE;
	if (found->dump && (!dump_is_intact(found->dump) || found->dump->erased_lost))
		return FOUND_UNREADABLE;
	return found->unreadable.count || njoin->kdump.pages.lost ? FOUND_UNREADABLE : FOUND_PERFECT;
}

static void report_left_out(const struct njoin *njoin)
{
	const struct walk *walk = njoin->run.walk;
	const struct layer_totals *totals = walk ? walk_totals(walk) : NULL;
	char text[CLASS_AMOUNTS_LENGTH];

	if (totals && set_has_layers(&njoin->input.set) && !njoin->options.quiet &&
	    class_amounts_format(totals->memory.left_out, text))
		message("left out when captured: %s", text);
}

enum njoin_finding njoin_join(struct njoin *njoin)
{
	const struct set *set = &njoin->input.set;
	bool salvage = njoin->options.salvage;
	/*
	 * The indexes of a stream come last, those of layers say it only of some records, and
	 * salvage may find more damage than they show.
	 */
	bool indexed = !set->has_stream && !set_has_layers(set);
	bool incomplete = !salvage && indexed && njoin_is_incomplete(njoin);
	bool reported = incomplete;
	struct error e;
	enum status status;

	if (incomplete)
		njoin_report_missing(njoin);
	if (incomplete && njoin->options.mode == NJOIN_WRITE)
		return FOUND_INCOMPLETE;
	status = write_or_verify(njoin, &e);
	if (status == STATUS_STOPPED)
		njoin_die(&njoin->run);
	njoin_report_more_unreadable(&njoin->findings);
	if (!status)
		report_left_out(njoin);
	/* The size of a stream is known now. */
	if (!status && !salvage)
		status = njoin_check_range(&njoin->input, &njoin->options, &e);
	if (status)
		return njoin_failed(&e);
	if (checks_roots(njoin))
		njoin_report_roots(&njoin->findings, set, njoin->roots, njoin->options.quiet);
	if (!reported && njoin_is_incomplete(njoin)) {
		njoin_report_missing(njoin);
		incomplete = true;
	}
	if (!salvage && (incomplete || njoin->findings.damage.count))
		return FOUND_INCOMPLETE;
	if (njoin_check_range(&njoin->input, &njoin->options, &e)) {
		message("%s", e.text);
		incomplete = true;
	}
	return finish(njoin, incomplete);
}
