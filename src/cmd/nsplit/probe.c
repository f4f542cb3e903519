// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/nsplit/crash_machine.h"
#include "cmd/nsplit/probe.h"
#include "core/kinds/page_class.h"
#include "io/path.h"
#include "io/sink.h"
#include "set/dump_file.h"

/*
 * The source divided by these is the least space that is worth trying.  The memory of machines in
 * use usually compresses to between a quarter and a half.  raw shortens only blocks that repeat one
 * 8-byte value.
 */
enum { DIVISOR_COMPRESSED = 4, DIVISOR_RAW = 2 };
/* What a dump level leaves out differs much; with these classes, a tenth of the memory is often kept. */
enum { DIVISOR_LEFT_OUT = 10 };

bool nsplit_space_of(const struct sink *sink, struct space *space)
{
	return sink->name && (sink->kind == SINK_FILE || sink->kind == SINK_BLOCK_DEVICE) &&
	       space_of_name(sink->name, space);
}

static bool is_raw(const struct nsplit_options *o)
{
	return strcmp(o->capture.codec_text, "raw") == 0;
}

/* Free and user pages, and the page cache, are most of the memory of most machines. */
static bool leaves_out_most(const struct nsplit_options *o)
{
	const unsigned most = PAGE_CLASS_BIT(PAGE_CLASS_CACHE) | PAGE_CLASS_BIT(PAGE_CLASS_USER) |
			      PAGE_CLASS_BIT(PAGE_CLASS_FREE);

	return (o->left_out.classes & most) == most;
}

uint64_t nsplit_space_kept(const struct nsplit_options *o, uint64_t source_size)
{
	return source_size / (leaves_out_most(o) ? DIVISOR_LEFT_OUT : 1);
}

enum status nsplit_space_check(const struct nsplit_options *o, const struct source *source, const struct sink *sinks,
			       char text[SPACE_TEXT_LENGTH], struct error *e)
{
	uint64_t bytes, least = nsplit_space_kept(o, source->size) / (is_raw(o) ? DIVISOR_RAW : DIVISOR_COMPRESSED);
	const struct capture_limits *limits = &o->capture.limits;
	char here[SIZE_TEXT_LENGTH], all[SIZE_TEXT_LENGTH];
	struct space spaces[MEMBERS_MAX];

	text[0] = '\0';
	if (source->is_stream)
		return STATUS_OK;
	for (size_t i = 0; i < o->outputs.count; i++) {
		if (!nsplit_space_of(&sinks[i], &spaces[i]))
			return STATUS_OK;
		space_keep_free(&spaces[i], limits->keep_free);
	}
	/* With these limits, less than the whole is wanted. */
	if (limits->keep_free)
		least = o->capture.chunk_size;
	else if (limits->size)
		least = min_u64(least, limits->size);
	bytes = space_sum(spaces, o->outputs.count);
	snprintf(text, SPACE_TEXT_LENGTH, "%s %s; the source has %s%s%s",
		 size_format(bytes, here), limits->keep_free ? "more than is kept free" : "free", size_format(source->size, all),
		 leaves_out_most(o) ? ", of which a tenth is often kept" : "",
		 is_raw(o) ? ", of which raw shortens only blocks that repeat one 8-byte value" :
			     ", which usually compresses to between a quarter and a half");
	if (bytes >= least)
		return STATUS_OK;
	if (o->outputs.count == 1)
		return error_set(e, STATUS_SYSTEM, "%s: %s; free some space, or add outputs",
				 o->outputs.names[0], text);
	return error_set(e, STATUS_SYSTEM, "%zu outputs: %s; free some space, or add outputs",
			 o->outputs.count, text);
}

/*
 * Nothing could be left out of a dump, since its pages are not recognised in it; and what is named in place of the source
 * by mistake is often a member.  Pipes are not examined.
 */
static enum status refuse_dump(const struct source *source, struct error *e)
{
	if (!source->is_stream && holding_of_fd(source->fd) == HOLDS_MEMBER)
		return error_set(e, STATUS_USAGE, "%s: is a member, not the memory of a machine; njoin -o FILE MEMBER... "
				 "restores the source of it, and SOURCE comes before the OUTPUTs", source->name);
	switch (source->is_stream ? DUMP_NONE : dump_recognise(source->name)) {
	case DUMP_PLAIN:
		return error_set(e, STATUS_USAGE, "%s: is a kdump-compressed dump, not the memory of a machine; "
				 "use njoin -d LEVEL to make it smaller", source->name);
	case DUMP_FLATTENED:
		return error_set(e, STATUS_USAGE, "%s: is a flattened dump, not the memory of a machine; use njoin "
				 "-o FILE to make a plain file of it", source->name);
	default:
		return STATUS_OK;
	}
}

enum status nsplit_open_source(const struct nsplit_options *o, struct source **source, struct error *e)
{
	const struct codec *codec = presets_single(&o->capture.presets);
	enum status status = vmcore_open(source, o->source, o->mmap, e);

	/* "nsplit -z 3 core new": the options of codecs take no level. */
	if (status && e->errnum == ENOENT && codec && codec->has_levels && !o->source[strspn(o->source, "0123456789")])
		error_suffix(e, "; use -C %s:%s for a level of the codec", codec->name, o->source);
	if (!status && refuse_dump(*source, e)) {
		status = e->status;
		source_close(*source);
		*source = NULL;
	}
	return status;
}

/* By this name, or through links. */
static bool is_vmcore(const char *source)
{
	char path[PATH_MAX];

	return strcmp(source, vmcore_name) == 0 ||
	       (realpath(source, path) && strcmp(path, vmcore_name) == 0);
}

static bool is_device(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISBLK(st.st_mode);
}

/*
 * The flags for what the options allow to overwrite.  A drill overwrites no file, and only devices that are blank.
 * In the capture kernel, no other core is the only one, and old dumps make way for the new one, also if /proc/vmcore is
 * read through a pipe, or by another name.
 */
static unsigned permits(const struct nsplit_options *o, const char *name)
{
	unsigned overwrite = o->force && (!o->drill || is_device(name)) ? PERMIT_OVERWRITE : 0;

	return overwrite |
	       (o->overwrite_dumps || !vmcore_absent(vmcore_name) ? PERMIT_DUMPS : 0) |
	       (o->any_owner ? PERMIT_ANY_OWNER : 0) |
	       (o->overwrite_devices && !o->drill ? PERMIT_DEVICES : 0);
}

/* With --filter, outputs other than commands are names for its command. */
static enum status probe(struct sink *s, const struct nsplit_options *o, const char *name,
			 struct error *e)
{
	if (!o->filter || name[0] == '|')
		return sink_probe(s, name, NULL, permits(o, name), o->direct, e);
	if (strcmp(name, "-") == 0 || strcmp(name, "null:") == 0) {
		/* As below: --check-params continues with this sink. */
		sink_probe(s, name, NULL, permits(o, name), o->direct, e);
		return error_set(e, STATUS_USAGE, "%s: cannot be combined with --filter, which requires "
				 "file names", name);
	}
	return sink_probe(s, name, o->filter, permits(o, name), DIRECT_AUTO, e);
}

/* "nsplit -f c vmcore out": a dash was forgotten, and the core is in the place of an output. */
static void explain_order(const struct source *source, const struct sink *sink, struct error *e)
{
	if (S_ISREG(sink->identity.type) && holding_of(sink->name) == HOLDS_CORE &&
	    (source->is_stream || holding_of_head(source->fd) != HOLDS_CORE))
		error_set(e, STATUS_USAGE, "%s: is a core; SOURCE comes before the OUTPUTs, and '%s' is the SOURCE here",
			  sink->name, source->name);
}

enum status nsplit_probe_output(const struct nsplit_options *o, const struct source *source,
				struct sink *sinks, unsigned i, struct error *e)
{
	const char *name = o->outputs.names[i];
	enum status status = outputs_refuse_source(name, source, e);
	struct error ignored;

	/* --check-params continues with this sink: it must have been probed. */
	if (status) {
		probe(&sinks[i], o, name, &ignored);
		return status;
	}
	status = probe(&sinks[i], o, name, e);
	if (status == STATUS_USAGE)
		explain_order(source, &sinks[i], e);
	return status ? status : outputs_refuse_repeated(sinks, i, source, e);
}

/* The first keys that nsplit_stats_write() writes. */
struct side_file nsplit_stats_file(const struct nsplit_options *o)
{
	static const char *const words[] = { "{", "\"version\"", "\"outcome\"", "\"uuid\"", "\"source\"", NULL };

	return (struct side_file){ .called = "--stats", .name = o->stats_file, .signs = words };
}

/* --stats must not overwrite the source, a member, or anything but statistics. */
static enum status refuse_stats(const struct nsplit_options *o, const struct source *source,
				const struct sink *sinks, struct error *e)
{
	const struct side_file file = nsplit_stats_file(o);

	if (!o->stats_file || outputs_refuse_file("--stats", o->stats_file, source, sinks, o->outputs.count, e))
		return o->stats_file ? e->status : STATUS_OK;
	return side_file_refuse(&file, e);
}

enum status nsplit_probe_together(const struct nsplit_options *o, const struct source *source,
				  const struct sink *sinks, struct error *e)
{
	enum status status = outputs_refuse_holes(sinks, o->outputs.count, e);

	return status ? status : refuse_stats(o, source, sinks, e);
}

enum status nsplit_probe_stats(const struct nsplit_options *o, struct error *e)
{
	int failed = o->stats_file ? outputs_write_errno(o->stats_file) : 0;

	if (!failed)
		return STATUS_OK;
	path_creation_error(e, failed, o->stats_file);
	return error_prefix(e, "--stats=");
}

enum status nsplit_probe_memory(const struct nsplit_options *o, const struct sink *sink,
				struct error *e)
{
	if (!sink->in_memory[0] || !is_vmcore(o->source))
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "%s: is in memory (%s); this part of the dump is lost "
			 "when the machine restarts; mount the disk first, or copy the file before "
			 "the restart", sink->name, sink->in_memory);
}

static bool stdout_is_device(void)
{
	struct stat st;

	return fstat(STDOUT_FILENO, &st) == 0 && S_ISCHR(st.st_mode);
}

/*
 * It is a warning, because the text of a command shows this only for a few programs.  Standard output
 * is left as it is: on a terminal, gzip and others refuse to write to it, which is reported.  After a crash, nobody could
 * correct the command.
 */
enum status nsplit_probe_stored(const struct nsplit_options *o, const struct sink *sink, struct error *e)
{
	if (sink->kind == SINK_NULL || identity_keeps_nothing(&sink->identity))
		return error_set(e, STATUS_USAGE, "%s: keeps nothing of what is written to it; this part of the dump is "
				 "not stored", sink->kind == SINK_NULL ? "null" : sink->name);
	if (sink->name[0] != '|' || (is_vmcore(o->source) && !o->check_params) || !nsplit_command_prints(sink->name + 1))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: writes its member to standard output, %s; add a redirection to a file, as "
			 "in '%s > FILE'", sink->name, o->check_params ? "which is the console or a log after a crash" :
			 stdout_is_device() ? "which does not store it" :
			 "and nsplit cannot tell whether that stores it", sink->name);
}

void nsplit_warn_not_lasting(const struct nsplit_options *o, const struct sink *sink)
{
	/* Who writes null: knows what it does, and a drill reports what was not stored. */
	bool known = o->drill || sink->kind == SINK_NULL;
	struct error e;

	if (nsplit_probe_memory(o, sink, &e) || (!known && nsplit_probe_stored(o, sink, &e)))
		message("warning: %s", e.text);
}

/* As if it had not been given, so that the set does not count it as a missing member. */
static void remove_output(struct nsplit_options *o, struct sink *sink, unsigned i,
		      const struct error *why)
{
	if (o->dry_run)
		message("%s; it would be skipped", why->text);
	else
		message("%s; continuing without it", why->text);
	if (i >= o->outputs.count - o->capture.fallbacks)
		o->capture.fallbacks--;
	names_remove(&o->outputs, i);
	sink_free(sink);
}

static enum status probe_all(struct nsplit_options *o, const struct source *source,
			     struct sink *sinks, unsigned *unusable, struct error *e)
{
	unsigned i = 0;

	while (i < o->outputs.count) {
		bool required = i < o->required;
		enum status status = nsplit_probe_output(o, source, sinks, i, e);

		/* null: is refused beside other outputs, but as an additional output it does not end the capture. */
		if (!status && !required && sinks[i].kind == SINK_NULL && sinks[0].kind != SINK_NULL)
			status = outputs_refuse_holes(sinks, i + 1, e);
		if (status == STATUS_USAGE && !required) {
			++*unusable;
			remove_output(o, &sinks[i], i, e);
			continue;
		}
		if (status == STATUS_SYSTEM) {
			++*unusable;
			if (o->dry_run)
				message("%s; it would be given up", e->text);
		} else if (status) {
			return status;
		}
		i++;
	}
	return STATUS_OK;
}

enum status nsplit_probe(struct nsplit_options *o, const struct source *source,
			 struct sink *sinks, unsigned *unusable, struct error *e)
{
	enum status status = probe_all(o, source, sinks, unusable, e);

	if (!status)
		status = outputs_refuse_holes(sinks, o->outputs.count, e);
	if (!status && refuse_stats(o, source, sinks, e)) {
		/* Figures are not worth a dump. */
		if (!is_vmcore(o->source))
			return e->status;
		mistake_print(e);
		o->stats_file = NULL;
	}
	for (size_t i = 0; !status && i < o->outputs.count; i++)
		nsplit_warn_not_lasting(o, &sinks[i]);
	if (!status && o->dry_run && nsplit_probe_stats(o, e)) {
		++*unusable;
		message("%s; it would not be written", e->text);
	}
	return status;
}
