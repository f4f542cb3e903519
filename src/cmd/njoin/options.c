// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of njoin; njoin.1 describes it. */
#include "config.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/option_table.h"
#include "base/text.h"
#include "cmd/common/operands.h"
#include "cmd/njoin/njoin.h"
#include "set/dump.h"
#include "set/spool.h"

static enum status set_range(void *settings, const struct option_call *call, struct error *e)
{
	struct njoin_options *o = settings;
	const char *colon = strchr(call->text, ':');
	char offset[SIZE_TEXT_LENGTH];
	enum status status;

	if (!colon || (size_t)(colon - call->text) >= sizeof(offset))
		return error_set(e, STATUS_USAGE, "--range must be OFFSET:LENGTH, not '%s'",
				 call->text);
	memcpy(offset, call->text, (size_t)(colon - call->text));
	offset[colon - call->text] = '\0';
	status = size_parse(offset, &o->from, e);
	if (!status)
		status = size_parse(colon + 1, &o->length, e);
	if (status)
		return error_prefix(e, "--range: ");
	if (!o->length)
		return error_set(e, STATUS_USAGE, "--range: the length must not be 0");
	o->range_given = true;
	return STATUS_OK;
}

/* The option of a mode other than NJOIN_WRITE, without its dashes. */
static const char *mode_name(enum njoin_mode mode)
{
	static const char *const names[] = {
		[NJOIN_WRITE] = "output", [NJOIN_VERIFY] = "verify", [NJOIN_INFO] = "info",
		[NJOIN_LIST] = "list", [NJOIN_DMESG] = "dmesg",
	};

	return names[mode];
}

/* Of the options that are called like their mode. */
static enum status set_mode(void *settings, const struct option_call *call, struct error *e)
{
	struct njoin_options *o = settings;
	enum njoin_mode mode = NJOIN_VERIFY;

	while (strcmp(mode_name(mode), call->entry->name) != 0)
		mode++;
	if (o->mode != NJOIN_WRITE && o->mode != mode)
		return error_set(e, STATUS_USAGE, "--%s and --%s cannot be combined",
				 mode_name(o->mode), mode_name(mode));
	o->mode = mode;
	return STATUS_OK;
}

/* In the order of enum njoin_format. */
static const char *const formats[] = { "elf", "kdump", NULL };

static enum status set_format(void *settings, const struct option_call *call, struct error *e)
{
	struct njoin_options *o = settings;

	o->format_given = true;
	return option_set_choice(settings, call, e);
}

/* Includes the codecs that were left out of this build. */
static bool kdump_supports(const char *text)
{
	size_t len = strcspn(text, ":");
	const struct codec_entry *entry = codec_entries();

	for (; entry->name; entry++)
		if (strlen(entry->name) == len && !strncmp(entry->name, text, len))
			return kdump_flag(entry->id);
	return false;
}

static const char *kdump_codec(unsigned n)
{
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++)
		if (kdump_flag(entry->id) && n-- == 0)
			return entry->name;
	return NULL;
}

static enum status set_codec(void *settings, const struct option_call *call, struct error *e)
{
	struct njoin_options *o = settings;

	if (!kdump_supports(call->text))
		return error_set(e, STATUS_USAGE, "--compress must be lzo, lzohc, snappy, zlib or zstd, "
				 "not '%s'", call->text);
	if (codec_find(call->text, &o->codec, &o->level, e))
		return error_prefix(e, "--compress: ");
	return STATUS_OK;
}

static enum status add_output(void *settings, const struct option_call *call, struct error *e)
{
	struct njoin_options *o = settings;

	if (!*call->text)
		return error_set(e, STATUS_USAGE, "%s: the name of the output is empty",
				 call->called);
	if (names_append(&o->outputs, call->text, OUTPUTS_MAX, e))
		return error_prefix(e, "outputs: ");
	return STATUS_OK;
}

#define FIELD(field) OPTION_FIELD(struct njoin_options, field)

static const struct option_entry entries[] = {
	{ "output", 'o', "FILE", "write to FILE; -: standard output", .set = add_output, .basic = true },
	{ "format", 0, "FORM", "elf, the source as it was (the default), or kdump, a "
	  "kdump-compressed file (repeat -o to split it)",
	  set_format, FIELD(format), .choices = formats, .basic = true },
	{ "dump-level", 'd', "LEVEL", "with kdump, leave out pages; LEVEL is the sum of 1 (zero), 2 (cache), "
	  "4 (private cache), 8 (user) and 16 (free)", left_out_set_level, FIELD(left_out) },
	{ "exclude", 0, "LIST", "the same by name: zero, cache, private, user, free",
	  left_out_set_words, FIELD(left_out), .value = dump_level_word },
	{ "compress", 0, "NAME[:LEVEL]", "with kdump, the codec for pages that cannot be copied as "
	  "they are: lzo (the default), lzohc, snappy, zlib or zstd",
	  .set = set_codec, .value = kdump_codec },
	{ "range", 0, "OFFSET:LENGTH", "write only these bytes of the source", .set = set_range },
	{ "salvage", 0, NULL, "read truncated or damaged members, and write what is left",
	  option_set_bool, FIELD(salvage), .basic = true },
	{ "zero-left-out", 0, NULL, "with elf, write zeros for pages that the capture left out",
	  option_set_bool, FIELD(zero_left_out) },
	{ "no-sparse", 0, NULL, "write zeros instead of leaving holes in FILE", option_clear_bool,
	  FIELD(sparse) },
	{ "verify", 0, NULL, "check everything and write nothing", .set = set_mode, .basic = true },
	{ "info", 0, NULL, "describe the set", .set = set_mode, .basic = true },
	{ "list", 0, NULL, "describe the captured core: segments, pages, missing data", .set = set_mode,
	  .basic = true },
	{ "dmesg", 0, NULL, "write the kernel log in the core", .set = set_mode, .basic = true },
	{ "json", 0, NULL, "with --info or --list, print a JSON object", option_set_bool,
	  FIELD(json) },
	{ "threads", 'j', "N", "unpack on N threads (default: one per usable CPU)",
	  option_set_number, FIELD(threads), .least = 1, .most = THREADS_MAX },
	{ "force", 'f', NULL, "overwrite an existing file or a block device", option_set_bool,
	  FIELD(force), .basic = true },
	{ "overwrite-dumps", 0, NULL, "as -f, and overwrite cores, dumps and members, too",
	  option_set_bool, FIELD(overwrite_dumps) },
	{ "any-owner", 0, NULL, "write to files (with -f) and named pipes of other users",
	  option_set_bool, FIELD(any_owner) },
	{ "progress", 0, "WHEN", "show progress: auto (the default; not with -q), always or never",
	  option_set_choice, FIELD(progress), .choices = choices_when, .absent = "always" },
	{ "quiet", 'q', NULL, "print only warnings and errors", option_set_bool, FIELD(quiet) },
	{ "verbose", 'v', NULL, "print more details", option_set_bool, FIELD(verbose) },
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option_table table = {
	.program = "njoin",
	.usage =
"Usage: njoin [OPTION]... -o FILE MEMBER...\n"
"  or:  njoin [OPTION]... --verify | --info | --list | --dmesg MEMBER...\n"
"Restore the source that nsplit has captured, or examine the MEMBERs.  They may\n"
"also be a kdump-compressed dump: -o FILE repairs it, and --verify checks it.\n",
	.operands =
"MEMBERs may be given in any order.  Braces in a MEMBER, such as {0..7} or {a,b},\n"
"make several names of it.  A MEMBER may be a pipe; - is standard input, and must\n"
"be the only one.  With --format=kdump, --list and --dmesg, a single ELF core may\n"
"be given in place of the MEMBERs.\n"
"Of a kdump-compressed dump, plain, flattened or split, -o FILE keeps all pages\n"
"that can be read, in a kdump-compressed file unless --format=elf is given.\n",
	.entries = entries,
	.count = sizeof(entries) / sizeof(entries[0]),
	.examples =
"  njoin -o vmcore '/mnt/disk{0..7}/a'\n"
"  njoin --verify /mnt/a /mnt/b\n"
"  njoin --format=kdump -d31 -o vmcore.small /mnt/a /mnt/b\n",
	.notes =
"Exit status: 0: everything is present and undamaged; 1: failure, no new file is\n"
"left; 2: usage error; 3: finished, but data is missing, and is listed.\n",
};

/*
 * Dumps are written as dumps, unless --format says otherwise.  Standard input is looked at only if an option depends
 * on it, since its first bytes may be long in coming.
 */
static bool reads_dump(const struct njoin_options *o)
{
	bool depends = o->codec || o->left_out.given || o->outputs.count > 1;
	enum dump_form form;
	struct error ignored;
	bool all;
	int fd;

	/* An error is reported when they are opened. */
	if (!depends || strcmp(o->members.names[0], "-") != 0)
		return dump_recognise_all(&o->members, &all, &ignored) || all;
	form = dump_stream_recognise("-", &fd);
	if (fd >= 0)
		close(fd);
	return form != DUMP_NONE;
}

static enum status check_format(struct njoin_options *o, struct error *e)
{
	if (o->mode == NJOIN_WRITE && !o->format_given && reads_dump(o))
		o->format = NJOIN_KDUMP;
	if (o->format == NJOIN_ELF && o->codec)
		return error_set(e, STATUS_USAGE, "--compress requires --format=kdump");
	if (o->format == NJOIN_ELF && o->left_out.given)
		return error_set(e, STATUS_USAGE, "--dump-level and --exclude require --format=kdump");
	if (o->format == NJOIN_ELF && o->outputs.count > 1)
		return error_set(e, STATUS_USAGE, "more than one -o requires --format=kdump");
	if (o->format_given && o->mode != NJOIN_WRITE)
		return error_set(e, STATUS_USAGE, "--format requires -o");
	return STATUS_OK;
}

/* /dev/stdout may be a file that the shell has opened, which must not be replaced. */
static bool is_stdout(const char *name)
{
	return !strcmp(name, "-") || !strcmp(name, "/dev/stdout");
}

static enum status check_together(struct njoin_options *o, struct error *e)
{
	bool reads_core = o->mode == NJOIN_LIST || o->mode == NJOIN_DMESG;
	bool writes_kdump = o->mode == NJOIN_WRITE && o->format == NJOIN_KDUMP;
	const char *option = writes_kdump ? "format=kdump" : mode_name(o->mode);

	if (o->mode != NJOIN_INFO && o->mode != NJOIN_LIST && o->json)
		return error_set(e, STATUS_USAGE, "--json requires --info or --list");
	if (o->mode == NJOIN_WRITE && !o->outputs.count)
		return error_set(e, STATUS_USAGE, "no -o FILE given (or --verify, --info, --list or "
				 "--dmesg)");
	if (o->mode != NJOIN_WRITE && o->mode != NJOIN_DMESG && o->outputs.count)
		return error_set(e, STATUS_USAGE, "-o cannot be combined with --%s, which "
				 "writes no file", option);
	if (o->range_given && (reads_core || writes_kdump))
		return error_set(e, STATUS_USAGE, "--range cannot be combined with --%s", option);
	/* Unlike a core, a log may be written to a terminal. */
	if (o->mode == NJOIN_DMESG && o->outputs.count == 1 && is_stdout(o->outputs.names[0]))
		names_free(&o->outputs);
	return check_format(o, e);
}

static enum status read_operands(struct njoin_options *o, int argc, char **argv,
				 struct error *e)
{
	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no MEMBER given");
	for (; optind < argc; optind++)
		if (members_expand(&o->members, argv[optind], e))
			return error_prefix(e, "members: ");
	for (size_t i = 0; i < o->members.count; i++)
		if (strcmp(o->members.names[i], "-") == 0 && o->members.count > 1)
			return error_set(e, STATUS_USAGE, "- must be the only MEMBER");
	return check_together(o, e);
}

void njoin_options_init(struct njoin_options *o)
{
	*o = (struct njoin_options){ .sparse = true, .threads = threads_default() };
}

int njoin_options_read(struct njoin_options *o, int argc, char **argv)
{
	const struct option_reader reader = { .each = option_set, .arg = o };
	enum status status;
	struct error e;

	njoin_options_init(o);
	status = option_table_read(&table, argc, argv, &reader, &e);
	if (!status)
		status = read_operands(o, argc, argv, &e);
	return options_result(status, &e);
}

void njoin_options_free(struct njoin_options *o)
{
	names_free(&o->members);
	names_free(&o->outputs);
}
