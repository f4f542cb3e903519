// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "cmd/message.h"
#include "cmd/njoin_options.h"
#include "export/kdump.h"
#include "format/format.h"

/* As many as a set has members: there is no reason for more. */
enum { OUTPUTS_MAX = MEMBERS_MAX };

enum {
	OPTION_COMPRESS = 256,
	OPTION_DMESG,
	OPTION_FORMAT,
	OPTION_INFO,
	OPTION_JSON,
	OPTION_LIST,
	OPTION_NO_SPARSE,
	OPTION_PROGRESS,
	OPTION_RANGE,
	OPTION_SALVAGE,
	OPTION_VERIFY,
};

static const char short_options[] = "o:j:fqvhV";

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "compress", required_argument, NULL, OPTION_COMPRESS },
	{ "verify", no_argument, NULL, OPTION_VERIFY },
	{ "info", no_argument, NULL, OPTION_INFO },
	{ "list", no_argument, NULL, OPTION_LIST },
	{ "dmesg", no_argument, NULL, OPTION_DMESG },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "range", required_argument, NULL, OPTION_RANGE },
	{ "salvage", no_argument, NULL, OPTION_SALVAGE },
	{ "no-sparse", no_argument, NULL, OPTION_NO_SPARSE },
	{ "threads", required_argument, NULL, 'j' },
	{ "force", no_argument, NULL, 'f' },
	{ "progress", optional_argument, NULL, OPTION_PROGRESS },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 }
};

static const char help[] =
"Usage: njoin [OPTION]... -o FILE MEMBER...\n"
"  or:  njoin [OPTION]... --verify MEMBER...\n"
"  or:  njoin [OPTION]... --info MEMBER...\n"
"  or:  njoin [OPTION]... --list MEMBER...\n"
"  or:  njoin [OPTION]... --dmesg [-o FILE] MEMBER...\n"
"Put together what nsplit captured.\n"
"\n"
"MEMBERs are given in any order; {A..B} in one, or <A..B>, counts from A to B.\n"
"A pipe may be a MEMBER; - as the only one is standard input.\n"
"\n"
"  -o, --output=FILE      write to FILE; -: standard output\n"
"      --format=FORM      elf: the source's bytes (default); kdump: a kdump-compressed\n"
"                         file, or, with -o given again and again, a split set\n"
"      --compress=NAME[:LEVEL]\n"
"                         with kdump, of pages that are packed otherwise than the form\n"
"                         knows: lzo, snappy, zlib or zstd (lzo)\n"
"      --range=OFFSET:LENGTH\n"
"                         only these bytes of the source\n"
"      --salvage          use members with no footer, pass over damage, and write\n"
"                         what there is\n"
"      --no-sparse        write zeros, instead of leaving holes in FILE\n"
"      --verify           check everything and write nothing\n"
"      --info             tell about the set; with --json as a JSON object\n"
"      --list             tell about the core in it: segments, pages, what is\n"
"                         missing; with --json as a JSON object\n"
"      --dmesg            write the kernel log that is in the core\n"
"  -j, --threads=N        unpack on N threads (default: the CPUs that may be used)\n"
"  -f, --force            write over a file that exists, or to a block device\n"
"      --progress[=WHEN]  a line a second: auto (unless -q), always or never (auto)\n"
"  -q, --quiet            only warnings and errors\n"
"  -v, --verbose          more about what is done\n"
"  -h, --help             print this and exit\n"
"  -V, --version          print the version and exit\n"
"\n"
"Exit status: 0 everything is there and whole; 1 failed, no new file is left; 2 usage;\n"
"3 finished, and something is missing, which is named.\n";

static enum status set_range(struct njoin_options *o, const char *text, struct error *e)
{
	const char *colon = strchr(text, ':');
	char offset[SIZE_TEXT_LENGTH];
	enum status status;

	if (!colon || (size_t)(colon - text) >= sizeof(offset))
		return error_set(e, STATUS_USAGE, "--range takes OFFSET:LENGTH, not '%s'", text);
	memcpy(offset, text, (size_t)(colon - text));
	offset[colon - text] = '\0';
	status = size_parse(offset, &o->from, e);
	if (!status)
		status = size_parse(colon + 1, &o->length, e);
	if (status)
		return error_prefix(e, "--range: ");
	if (!o->length)
		return error_set(e, STATUS_USAGE, "--range: a length of 0 asks for nothing");
	o->range_given = true;
	return STATUS_OK;
}

static enum status set_progress(struct njoin_options *o, const char *text, struct error *e)
{
	int choice = 0;
	enum status status = choice_parse("--progress", text, &choice, e);

	o->progress = (enum progress_mode)choice;
	return status;
}

const char *njoin_mode_name(enum njoin_mode mode)
{
	switch (mode) {
	case NJOIN_VERIFY:
		return "verify";
	case NJOIN_INFO:
		return "info";
	case NJOIN_LIST:
		return "list";
	case NJOIN_DMESG:
		return "dmesg";
	default:
		return "output";
	}
}

static enum status set_mode(struct njoin_options *o, enum njoin_mode mode, struct error *e)
{
	if (o->mode != NJOIN_WRITE && o->mode != mode)
		return error_set(e, STATUS_USAGE, "--%s and --%s are two things to do; give one of them",
				 njoin_mode_name(o->mode), njoin_mode_name(mode));
	o->mode = mode;
	return STATUS_OK;
}

static enum status set_format(struct njoin_options *o, const char *text, struct error *e)
{
	if (strcmp(text, "elf") != 0 && strcmp(text, "kdump") != 0)
		return error_set(e, STATUS_USAGE, "--format takes elf or kdump, not '%s'", text);
	o->format = strcmp(text, "elf") == 0 ? NJOIN_ELF : NJOIN_KDUMP;
	o->format_given = true;
	return STATUS_OK;
}

/* A codec that was left out of this build, too. */
static bool form_knows(const char *text)
{
	size_t len = strcspn(text, ":");
	const struct codec_entry *entry = codec_entries();

	for (; entry->name; entry++)
		if (strlen(entry->name) == len && !strncmp(entry->name, text, len))
			return kdump_flag(entry->id);
	return false;
}

static enum status set_codec(struct njoin_options *o, const char *text, struct error *e)
{
	enum status status;

	if (!form_knows(text))
		return error_set(e, STATUS_USAGE, "--compress: a kdump-compressed file knows lzo, "
				 "snappy, zlib and zstd, not %.*s", (int)strcspn(text, ":"), text);
	status = codec_find(text, &o->codec, &o->level, e);
	return status ? error_prefix(e, "--compress: ") : STATUS_OK;
}

static enum status add_output(struct njoin_options *o, const char *name, struct error *e)
{
	enum status status = names_append(&o->outputs, name, OUTPUTS_MAX, e);

	return status ? error_prefix(e, "outputs: ") : STATUS_OK;
}

static enum status set_option(struct njoin_options *o, int option, struct error *e)
{
	switch (option) {
	case 'o':
		return add_output(o, optarg, e);
	case OPTION_FORMAT:
		return set_format(o, optarg, e);
	case OPTION_COMPRESS:
		return set_codec(o, optarg, e);
	case 'j':
		return threads_parse("--threads", optarg, &o->threads, e);
	case 'f':
		o->force = true;
		return STATUS_OK;
	case 'q':
		o->quiet = true;
		return STATUS_OK;
	case 'v':
		o->verbose = true;
		return STATUS_OK;
	case OPTION_VERIFY:
		return set_mode(o, NJOIN_VERIFY, e);
	case OPTION_INFO:
		return set_mode(o, NJOIN_INFO, e);
	case OPTION_LIST:
		return set_mode(o, NJOIN_LIST, e);
	case OPTION_DMESG:
		return set_mode(o, NJOIN_DMESG, e);
	case OPTION_JSON:
		o->json = true;
		return STATUS_OK;
	case OPTION_NO_SPARSE:
		o->sparse = false;
		return STATUS_OK;
	case OPTION_SALVAGE:
		o->salvage = true;
		return STATUS_OK;
	case OPTION_PROGRESS:
		return set_progress(o, optarg, e);
	default:
		return set_range(o, optarg, e);
	}
}

static enum status check_format(const struct njoin_options *o, struct error *e)
{
	if (o->format == NJOIN_ELF && o->codec)
		return error_set(e, STATUS_USAGE, "--compress goes with --format=kdump only");
	if (o->format == NJOIN_ELF && o->outputs.count > 1)
		return error_set(e, STATUS_USAGE, "several -o go with --format=kdump only");
	if (o->format_given && o->mode != NJOIN_WRITE)
		return error_set(e, STATUS_USAGE, "--format goes with -o only");
	if (o->format == NJOIN_KDUMP && o->range_given)
		return error_set(e, STATUS_USAGE, "--range does not go with --format=kdump, which "
				 "is of a whole core");
	return STATUS_OK;
}

/* It may be a file that exists by now, which is the shell's and not to be replaced. */
static bool is_stdout(const char *name)
{
	return !strcmp(name, "-") || !strcmp(name, "/dev/stdout");
}

static enum status check_together(struct njoin_options *o, struct error *e)
{
	bool looks_in = o->mode == NJOIN_LIST || o->mode == NJOIN_DMESG;

	if (o->mode != NJOIN_INFO && o->mode != NJOIN_LIST && o->json)
		return error_set(e, STATUS_USAGE, "--json goes with --info and --list only");
	if (o->mode == NJOIN_WRITE && !o->outputs.count)
		return error_set(e, STATUS_USAGE, "no -o FILE given (or --verify, --info, --list or "
				 "--dmesg)");
	if (o->mode != NJOIN_WRITE && o->mode != NJOIN_DMESG && o->outputs.count)
		return error_set(e, STATUS_USAGE, "-o does not go with --%s, which writes nothing",
				 njoin_mode_name(o->mode));
	if (looks_in && o->range_given)
		return error_set(e, STATUS_USAGE, "--range does not go with --%s, which looks for what "
				 "it needs", njoin_mode_name(o->mode));
	/* Unlike a core, a log may go to a terminal. */
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
		if (names_expand(&o->members, argv[optind], MEMBERS_MAX, e))
			return error_prefix(e, "members: ");
	for (size_t i = 0; i < o->members.count; i++)
		if (strcmp(o->members.names[i], "-") == 0 && o->members.count > 1)
			return error_set(e, STATUS_USAGE, "- goes as the only MEMBER");
	return check_together(o, e);
}

int njoin_options_read(struct njoin_options *o, int argc, char **argv)
{
	struct error e;
	int option;

	*o = (struct njoin_options){ .sparse = true, .threads = threads_default() };
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		if (option == '?')
			return message_try_help();
		if (option == 'h' || option == 'V') {
			fputs(option == 'h' ? help : PACKAGE_STRING "\n", stdout);
			return EXIT_PERFECT;
		}
		if (set_option(o, option, &e))
			return message_usage_error(&e);
	}
	if (read_operands(o, argc, argv, &e))
		return message_usage_error(&e);
	return OPTIONS_READ;
}

void njoin_options_free(struct njoin_options *o)
{
	names_free(&o->members);
	names_free(&o->outputs);
}
