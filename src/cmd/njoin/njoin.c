// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/common/operands.h"
#include "cmd/njoin/njoin.h"
#include "core/elf.h"
#include "core/kinds/page_class.h"
#include "export/set_core.h"
#include "io/path.h"
#include "set/plain.h"

/* --- opening the set --------------------------------------------------------------------- */

static void show_progress(struct njoin *njoin, const char *action, uint64_t done, uint64_t total)
{
	const struct progress_figures figures = {
		.done = done,
		.total = total,
		.action = action,
		.seconds = clock_seconds() - njoin->started,
	};

	progress_tick(&njoin->progress, &figures);
}

static void show_search(void *arg, uint64_t done, uint64_t all)
{
	show_progress(arg, "searched", done, all);
}

static void show_spooling(void *arg, uint64_t done)
{
	show_progress(arg, "copied from pipes", done, UINT64_MAX);
}

static bool any_stream(const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (members_is_stream(names->names[i]))
			return true;
	return false;
}

/* Where members from pipes are copied to: beside the output, which needs as much space, if it is a file. */
static void choose_spool(const struct njoin_options *o, char directory[PATH_MAX])
{
	const char *fallback = getenv("TMPDIR");
	const char *output = o->outputs.count ? o->outputs.names[0] : "-";
	struct stat st;
	bool file = strcmp(output, "-") != 0 && (stat(output, &st) < 0 || S_ISREG(st.st_mode));
	char target[PATH_MAX];

	/* A link is followed when the output is written, too. */
	if (!file || !path_directory(realpath(output, target) ? target : output, directory))
		snprintf(directory, PATH_MAX, "%s", fallback && *fallback ? fallback : "/var/tmp");
}

/*
 * --info and --list describe damaged sets, too, but do not search files that have neither superblock
 * nor footer.  A stream can be read only once, so --salvage is needed to describe one that is damaged.
 */
static enum status open_members(struct set *set, const struct njoin_options *o,
				struct set_settings *settings, struct error *e)
{
	bool describes = o->mode == NJOIN_INFO || o->mode == NJOIN_LIST;
	enum status status;

	status = members_open(set, &o->members, settings, e);
	if (!status || status == STATUS_NO_MEMORY || settings->salvage || !describes ||
	    any_stream(&o->members))
		return status;
	set_close(set);
	settings->salvage = true;
	return members_open(set, &o->members, settings, e);
}

static enum status check_range(const struct njoin *njoin, struct error *e)
{
	uint64_t size = njoin->set.source_size;

	if (njoin->options.range_given && njoin->to > size)
		return error_set(e, STATUS_USAGE, "--range: byte %" PRIu64 " is beyond the end of "
				 "the source, which has %" PRIu64 " byte%s", njoin->to - 1, size, plural(size));
	return STATUS_OK;
}

/* Signals keep their default action meanwhile, since nothing has been written yet. */
static enum status open_set(struct njoin *njoin, struct error *e)
{
	struct njoin_options *o = &njoin->options;
	struct set *set = &njoin->set;
	char spool[PATH_MAX];
	struct set_settings settings = {
		.plain = true,
		.spool = spool,
		.salvage = o->salvage,
		.search = o->salvage,
		.warn = njoin_report_damage,
		.unfinished = members_report_unfinished,
		.arg = njoin,
		.watch = { .searching = show_search, .spooling = show_spooling, .arg = njoin },
	};
	enum status status;

	choose_spool(o, spool);
	/* A mistake is found before hours are spent on a stream, which cannot be read again. */
	if (any_stream(&o->members) && njoin_probe_outputs(njoin, e))
		return e->status;
	njoin_free_outputs(njoin);
	members_skip_absent(&o->members);
	settings.watch.interval = njoin_begin_progress(njoin);
	status = open_members(set, o, &settings, e);
	njoin_end_progress(njoin, settings.watch.interval);
	if (status)
		return status;
	members_report_in_use(set);
	if (o->verbose && !set_is_made(set))
		members_report(set);
	njoin->from = o->from;
	njoin->to = o->range_given ? o->from + o->length : set->source_size;
	return check_range(njoin, e);
}

static enum status check_dump(const struct set *set, struct njoin_options *o, struct error *e)
{
	unsigned absent = set_absent_classes(set), gone = absent & ~o->left_out.classes;
	const struct member *m = set->members;
	const char *other = m->dump->other_machine;

	if (o->mode == NJOIN_WRITE && !o->format_given)
		o->format = NJOIN_KDUMP;
	if (*other)
		message("%s: the header names the machine '%s', which njoin does not know; %s is assumed", m->name, other,
			machine_name(m->dump->machine));
	else if (m->dump->machine_assumed)
		message("%s: the dump does not name its machine; %s is assumed", m->name,
			machine_name(m->dump->machine));
	for (size_t i = 0; i < m->dump->findings.count; i++)
		message("%s", m->dump->findings.names[i]);
	if (o->mode != NJOIN_INFO && dump_check_pages(set, e))
		return e->status;
	if (o->range_given && o->format == NJOIN_KDUMP)
		return error_set(e, STATUS_USAGE, "%s: is a dump; --range of a dump requires --format=elf", m->name);
	if (o->mode == NJOIN_WRITE && o->format == NJOIN_ELF && m->dump->runs >= CORE_HEADERS_MAX)
		return error_set(e, STATUS_USAGE, "%s: an ELF core of it would have %zu program headers, and one with more "
				 "than %d cannot be read; leave out --format=elf", m->name, m->dump->runs + 1,
				 CORE_HEADERS_MAX);
	if (!o->left_out.given || !gone)
		return STATUS_OK;
	if (o->raises_level) {
		o->left_out.classes |= absent;
		message("%s: was made with dump level %" PRIu32 ", which the new dump has, too", m->name, m->dump->level);
		return STATUS_OK;
	}
	return error_set(e, STATUS_USAGE, "%s: was made with dump level %" PRIu32 ", so pages that are asked for "
			 "are not there; use a level that leaves them out, too, such as %u", m->name, m->dump->level,
			 dump_level_of_classes(absent | o->left_out.classes));
}

/* --- --dmesg: the kernel log in the core -------------------------------------------------- */

struct log_copy {
	struct output_file *output;	/* NULL: standard output */
	uint64_t written;
};

static enum status write_text(void *arg, const char *text, size_t len, struct error *e)
{
	struct log_copy *l = arg;
	uint64_t at = l->written;

	/* message_close_output() reports errors of standard output. */
	if (!l->output)
		return fwrite(text, 1, len, stdout) == len ? STATUS_OK : STATUS_END;
	l->written += len;
	return output_file_write(l->output, at, (const uint8_t *)text, len, e);
}

/* Data that was not found in the core may be in a member that was not given. */
static enum njoin_finding not_found(const struct set *set, const struct error *e)
{
	enum njoin_finding finding = njoin_failed(e);

	if (e->status == STATUS_MISSING)
		members_report_missing(set);
	return finding;
}

static enum status print(struct njoin *njoin, const struct core *core, const struct log_output *output, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	struct log_result result = { 0 };
	struct vmcoreinfo info;
	struct virt virt;
	enum status status = vmcoreinfo_find(core, &info, e);

	if (!status && o->inspect)
		o->inspect(o->inspect_arg, &info, njoin->set.members->dump);
	if (!status) {
		virt_init(&virt, core, &info);
		status = log_print(&virt, o->log_part, output, &result, e);
	}
	if (!status && result.whole.status)
		message("%s", result.whole.text);
	njoin->log_lost = !status && result.lost.status;
	if (njoin->log_lost)
		not_found(&njoin->set, &result.lost);
	/* The operands are right, but the core has no log. */
	if (status == STATUS_USAGE)
		status = e->status = STATUS_UNSUPPORTED;
	return status;
}

/* To the output, which is open, or to standard output.  STATUS_END: standard output accepts no more. */
static enum status write_log(struct njoin *njoin, struct error *e)
{
	struct log_copy l = { .output = njoin->outputs_count ? njoin->outputs : NULL };
	const struct log_output output = { .write = write_text, .arg = &l };
	struct set_core source;
	enum status status = set_core_open(&source, &njoin->set, e);

	source.reader.needs_all = true;
	if (!status)
		status = print(njoin, &source.core, &output, e);
	set_core_close(&source);
	return status || !l.output ? status : output_file_finish(l.output, l.written, e);
}

enum { DAMAGE_LISTED = 100 };

static enum njoin_finding print_log(struct njoin *njoin)
{
	struct error e;
	enum status status = njoin_probe_outputs(njoin, &e);

	if (!status && njoin->outputs_count)
		status = njoin_open_outputs(njoin, &e);
	/* Without a file that a signal would have to remove, signals keep their default action. */
	if (!status)
		status = njoin->outputs_count ? njoin_run_step(njoin, PHASE_STEP, write_log, &e) : write_log(njoin, &e);
	/* message_close_output() reports errors of standard output. */
	if (status == STATUS_END)
		return FOUND_FAILURE;
	if (status)
		return not_found(&njoin->set, &e);
	return njoin->log_lost || njoin->damage.count ? FOUND_INCOMPLETE : FOUND_PERFECT;
}

/* --info and --list. */
static enum njoin_finding describe(struct njoin *njoin)
{
	const struct set *set = &njoin->set;
	bool lists = njoin->options.mode == NJOIN_LIST, complete;
	struct error e;

	if (((lists || set_has_layers(set) || set_is_dump(set)) && njoin_find_absent(njoin, &e)) ||
	    (lists && list_print(&njoin->options, set, &njoin->absent, &complete, &e)))
		return not_found(set, &e);
	if (!lists)
		complete = info_print(&njoin->options, set, &njoin->absent);
	return complete && !njoin->damage.count ? FOUND_PERFECT : FOUND_INCOMPLETE;
}

/* ------------------------------------------------------------------------------------------- */

/* True if this is done with a plain core, too. */
static bool takes_plain(const struct njoin_options *o)
{
	return o->mode == NJOIN_LIST || o->mode == NJOIN_DMESG ||
	       (o->mode == NJOIN_WRITE && o->format == NJOIN_KDUMP);
}

static enum njoin_finding run_all(struct njoin *njoin)
{
	struct njoin_options *o = &njoin->options;
	struct error e;
	enum njoin_finding finding;
	const struct dump_file *flat;
	bool hurt = false;

	njoin->began = clock_seconds();
	njoin->damage.limit = DAMAGE_LISTED;
	njoin->unreadable.limit = o->verbose ? UINT_MAX : RANGES_LISTED;
	if (open_set(njoin, &e))
		return njoin_failed(&e);
	flat = set_flat_core(&njoin->set);
	/* It becomes an ELF core. */
	if (flat && o->mode == NJOIN_WRITE && !o->format_given)
		o->format = NJOIN_ELF;
	if (!(flat && o->mode == NJOIN_WRITE) && !takes_plain(o) && members_refuse_plain(&njoin->set, &e))
		return njoin_failed(&e);
	if (set_is_dump(&njoin->set) && check_dump(&njoin->set, o, &e))
		return njoin_failed(&e);
	if (flat)
		hurt = njoin_report_file(flat);
	if (o->mode == NJOIN_INFO || o->mode == NJOIN_LIST)
		finding = describe(njoin);
	else
		finding = o->mode == NJOIN_DMESG ? print_log(njoin) : njoin_join(njoin);
	return hurt && finding == FOUND_PERFECT ? FOUND_UNREADABLE : finding;
}

/* njoin(1), EXIT STATUS, describes this. */
static enum exit_status exit_status(const struct njoin_options *o, enum njoin_finding worst)
{
	bool lenient = o->salvage || o->mode == NJOIN_INFO || o->mode == NJOIN_LIST ||
		       o->mode == NJOIN_DMESG;

	switch (worst) {
	case FOUND_PERFECT:
		return EXIT_PERFECT;
	case FOUND_UNREADABLE:
		return EXIT_INCOMPLETE;
	case FOUND_INCOMPLETE:
		return lenient ? EXIT_INCOMPLETE : EXIT_FAILED;
	case FOUND_USAGE:
		return EXIT_USAGE;
	default:
		return EXIT_FAILED;
	}
}

int njoin_run(struct njoin_options *options)
{
	struct njoin njoin = { .options = *options, .signal_fd = -1 };
	int status = (int)exit_status(&njoin.options, run_all(&njoin));

	walk_free(njoin.walk);
	kdump_export_free(&njoin.kdump);
	roots_free(njoin.roots);
	set_absent_free(&njoin.absent);
	njoin_free_outputs(&njoin);
	set_close(&njoin.set);
	if (njoin.signal_fd >= 0)
		close(njoin.signal_fd);
	*options = njoin.options;
	return status;
}
