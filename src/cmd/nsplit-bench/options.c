// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of nsplit-bench. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/option_table.h"
#include "base/text.h"
#include "cmd/common/common_options.h"
#include "cmd/nsplit-bench/nsplit_bench.h"
#include "format/format.h"

/*
 * Lists of values on a command line: setters for the tables of option_table.h.  The new list
 * replaces the one that the field held.
 */

enum { LIST_MAX = 4096 };		/* more is a typing error */

static enum status list_append(struct numbers *list, uint64_t value, struct error *e)
{
	if (list->count == LIST_MAX)
		return error_set(e, STATUS_USAGE, "more than %d values", LIST_MAX);
	if (!array_grow(&list->values, list->count, sizeof(*list->values)))
		return error_system(e, ENOMEM, "benchmark");
	list->values[list->count++] = value;
	return STATUS_OK;
}

static void list_free(struct numbers *list)
{
	free(list->values);
	*list = (struct numbers){ 0 };
}

/* One number or FIRST-LAST; text is cut at the dash. */
static enum status append_numbers(struct numbers *list, const struct option_call *call,
				  char *text, struct error *e)
{
	uint64_t least = call->entry->least, most = call->entry->most;
	char *dash = strchr(text, '-');
	uint64_t first, last;
	enum status status;

	if (dash)
		*dash = '\0';
	status = number_parse(text, call->called, least, most, &first, e);
	last = first;
	if (!status && dash)
		status = number_parse(dash + 1, call->called, least, most, &last, e);
	if (!status && last < first)
		return error_set(e, STATUS_USAGE, "%s: the range %" PRIu64 "-%" PRIu64 " is empty",
				 call->called, first, last);
	for (; !status && first <= last; first++)
		status = list_append(list, first, e);
	return status;
}

static enum status append_size(struct numbers *list, const struct option_call *call, char *text,
			       struct error *e)
{
	uint64_t value;
	enum status status = option_parse_size(call, text, &value, e);

	return status ? status : list_append(list, value, e);
}

/* A word among the choices of the option, if it has any, stands for 0. */
static enum status set_list(void *settings, const struct option_call *call,
			    enum status (*append)(struct numbers *list,
						  const struct option_call *call, char *text,
						  struct error *e),
			    struct error *e)
{
	struct numbers *list = (struct numbers *)((char *)settings + call->entry->offset);
	const char *const *word = call->entry->choices;
	char *copy = strdup(call->text), *rest = copy, *item;
	enum status status = STATUS_OK;

	if (!copy)
		return error_system(e, ENOMEM, "benchmark");
	list_free(list);
	while (!status && (item = strsep(&rest, ",")))
		status = word && strcmp(item, *word) == 0 ? list_append(list, 0, e) : append(list, call, item, e);
	free(copy);
	return status;
}

/* 1,2,4-8 and 4K,64K, in a struct numbers; each value from least to most of the option. */
static enum status list_set_numbers(void *settings, const struct option_call *call, struct error *e)
{
	return set_list(settings, call, append_numbers, e);
}

static enum status list_set_sizes(void *settings, const struct option_call *call, struct error *e)
{
	return set_list(settings, call, append_size, e);
}

static enum status append_codec(struct bench_settings *s, const char *text, struct error *e)
{
	struct bench_codec one;
	enum status status = presets_find(text, &one.presets, e);

	if (status)
		return status;
	if (!array_grow(&s->codecs, s->codecs_count, sizeof(*s->codecs)))
		return error_system(e, ENOMEM, "benchmark");
	one.text = strdup(text);
	if (!one.text)
		return error_system(e, ENOMEM, "benchmark");
	s->codecs[s->codecs_count++] = one;
	return STATUS_OK;
}

static void codecs_free(struct bench_settings *settings)
{
	for (size_t i = 0; i < settings->codecs_count; i++)
		free(settings->codecs[i].text);
	free(settings->codecs);
	settings->codecs = NULL;
	settings->codecs_count = 0;
}

/* NAME[:LEVEL],... likewise. */
static enum status set_codecs(void *settings, const struct option_call *call, struct error *e)
{
	struct bench_options *o = settings;
	char *copy = strdup(call->text), *rest = copy, *item;
	enum status status = STATUS_OK;

	if (!copy)
		return error_system(e, ENOMEM, "benchmark");
	codecs_free(&o->bench);
	while (!status && (item = strsep(&rest, ",")))
		status = append_codec(&o->bench, item, e);
	free(copy);
	return status;
}

enum {
	CHUNK_SIZE_DEFAULT = 1 << 20,
	/* Even, because every other round runs the combinations in reverse order. */
	ROUNDS_DEFAULT = 6,
	ROUNDS_MAX = 1000,
	SAMPLE_DEFAULT = 256 << 20,
};

enum {
	DISK_RATE_MIN = 4096,	/* bytes per second: slower than any disk */
	LATER_MAX = 1000000,	/* seconds */
};

/* SECONDS:LIST. */
static enum status set_later_rates(void *settings, const struct option_call *call,
				   struct error *e)
{
	struct bench_options *o = settings;
	struct option_call rates = *call;
	char *colon;

	o->bench.later = strtod(call->text, &colon);
	if (*colon != ':' || !isdigit((unsigned char)*call->text) ||
	    !(o->bench.later <= LATER_MAX))
		return error_set(e, STATUS_USAGE, "--disk-rate-after must be SECONDS:LIST, with at "
				 "most %d seconds, not '%s'", LATER_MAX, call->text);
	rates.text = colon + 1;
	return list_set_sizes(settings, &rates, e);
}

#define FIELD(field) OPTION_FIELD(struct bench_options, field)

/* Words for 0 in a list. */
static const char *const serial_word[] = { "serial", NULL };
static const char *const threads_word[] = { "threads", NULL };

/* In the order of enum cache_way. */
static const char *const cache_choices[] = { "members", "keep", NULL };

static const struct option_entry entries[] = {
	{ NULL, .help = "Measure every combination of" },
	{ "threads", 'j', "LIST", "numbers of threads, such as 1,2,4-8; or serial (default: 1, and the "
	  "number of usable CPUs)", list_set_numbers, FIELD(bench.threads),
	  .least = 1, .most = THREADS_MAX, .choices = serial_word, .basic = true },
	{ "codecs", 'C', "LIST", "such as raw,lzo,zstd:3, or auto (default: raw,lzo,snappy,lz4,zstd)",
	  .set = set_codecs, .value = codec_value, .basic = true },
	{ "list-codecs", 0, NULL, "print the codecs of this build and exit",
	  .set = option_list_codecs, .early = true, .ends = true },
	{ "outputs", 'o', "LIST", "numbers of outputs, the first ones of those given, or threads: "
	  "one for each thread (default: all)", list_set_numbers, FIELD(bench.output_counts),
	  .least = 1, .most = MEMBERS_MAX, .choices = threads_word, .basic = true },
	{ "blocksize", 'b', "LIST", "such as 4K,64K (4K)", list_set_sizes,
	  FIELD(bench.block_sizes), .least = BLOCK_SIZE_MIN, .most = BLOCK_SIZE_MAX },

	{ NULL, .help = "Procedure" },
	{ "rounds", 'n', "N", "measure each combination N times (6)", option_set_number,
	  FIELD(bench.rounds), .least = 1, .most = ROUNDS_MAX, .basic = true },
	{ "warmup", 0, "N", "begin with N rounds that do not count (1)", option_set_number,
	  FIELD(bench.warmups), .most = ROUNDS_MAX },
	{ "disk-rate", 0, "LIST", "limit the outputs to these bytes per second: 50M for all, "
	  "50M,50M,5M in turn", list_set_sizes, FIELD(bench.disk_rates),
	  .least = DISK_RATE_MIN, .most = OFFSET_MAX },
	{ "disk-rate-after", 0, "SECONDS:LIST", "change these rates SECONDS after the start of each "
	  "capture", set_later_rates, FIELD(bench.later_rates),
	  .least = DISK_RATE_MIN, .most = OFFSET_MAX },
	{ "cache", 0, "WAY", "before each measurement, drop what the page cache has of the members "
	  "(the default); keep: nothing", option_set_choice, FIELD(bench.cache), .choices = cache_choices },
	{ "chunksize", 0, "SIZE", "bytes of the source in each record (1M)", option_set_size,
	  FIELD(bench.chunk_size), .least = 1, .most = CHUNK_SIZE_MAX },
	{ "direct", 0, "WHEN", "use direct I/O: auto (the default), always or never",
	  option_set_choice, FIELD(bench.direct), .choices = choices_when },
	{ "mmap", 0, "WHEN", "map the source: auto (the default: files in /proc), always or never",
	  option_set_choice, FIELD(mmap), .choices = choices_when },
	{ "sample", 0, "SIZE", "measure the ceiling on SIZE bytes of SOURCE (256M)", option_set_size,
	  FIELD(bench.sample), .least = 1, .most = OFFSET_MAX },
	{ "force", 'f', NULL, "overwrite files and blank devices", option_set_bool,
	  FIELD(force), .basic = true },
	{ "overwrite-dumps", 0, NULL, "as -f, and overwrite cores, dumps and members, too",
	  option_set_bool, FIELD(overwrite_dumps) },
	{ "overwrite-devices", 0, NULL, "with -f, overwrite block devices whatever they hold",
	  option_set_bool, FIELD(overwrite_devices) },
	{ "any-owner", 0, NULL, "write to files (with -f) and named pipes of other users",
	  option_set_bool, FIELD(any_owner) },

	{ NULL, .help = "Reading back, if all OUTPUTs are files or block devices" },
	{ "write-only", 0, NULL, "do not read back", option_clear_bool, FIELD(bench.reads),
	  .basic = true },
	{ "join-to", 0, "FILE", "restore the source to FILE (/dev/null)", option_set_text,
	  FIELD(bench.join_to) },

	{ NULL, .help = "Report" },
	{ "json", 0, "FILE", "print JSON instead of the table, or write it to FILE; draw.py makes pictures of it",
	  option_set_text, FIELD(json), .absent = "", .basic = true },
	{ "progress", 0, "WHEN", "show progress: auto (the default; not with -q), always or never",
	  option_set_choice, FIELD(progress), .choices = choices_when, .absent = "always" },
	{ "quiet", 'q', NULL, "print only the report, warnings and errors", option_set_bool,
	  FIELD(quiet) },
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option_table table = {
	.program = "nsplit-bench",
	.usage =
"Usage: nsplit-bench [OPTION]... SOURCE OUTPUT...\n"
"Measure captures of SOURCE to OUTPUTs, and compare them with the ceiling of the\n"
"machine.  SOURCE is a file, or fake:SIZE, which is made in memory.  OUTPUTs are\n"
"files, which are overwritten repeatedly, or null:.\n",
	.operands =
"SOURCE is a file, a block device, /proc/vmcore, /proc/fakevmcore, or made in\n"
"memory:\n"
"  fake:SIZE[,pattern=NAME][,compressible=PERCENT][,seed=NUMBER][,pool=SIZE]\n"
"OUTPUT is a file, a block device (with -f), or null:, which stands for any\n"
"number of outputs if it is the only one.  Braces in it are as in nsplit.\n"
"All OUTPUTs are overwritten repeatedly.\n",
	.examples =
"  nsplit-bench fake:1G null:\n"
"  nsplit-bench -j1-8 --outputs=threads fake:8G '/mnt/disk{0..7}/bench'\n"
"  nsplit-bench -C raw,lz4,zstd:3 --json=codecs.json vmcore null:\n",
	.entries = entries,
	.count = sizeof(entries) / sizeof(entries[0]),
	.notes =
"SIZE takes a suffix: K, M, G, T are powers of 1024; kB, MB, GB, TB of 1000.\n"
"\n"
"Exit status: 0: everything was measured; 1: failure; 2: usage error.  Results\n"
"from before a failure or a signal are reported.\n",
};

/* The usual codecs, without those that this build lacks. */
static enum status default_codecs(struct bench_settings *b, struct error *e)
{
	static const char *const usual[] = { "raw", "lzo", "snappy", "lz4", "zstd" };
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual) && !status; i++) {
		const struct codec *codec;
		int level;

		if (!codec_find(usual[i], &codec, &level, e))
			status = append_codec(b, usual[i], e);
	}
	return status;
}

static enum status set_defaults(struct bench_options *o, struct error *e)
{
	struct bench_settings *b = &o->bench;
	enum status status = STATUS_OK;
	unsigned cpus = threads_default();

	if (!b->threads.count) {
		status = list_append(&b->threads, 1, e);
		if (!status && cpus > 1)
			status = list_append(&b->threads, cpus, e);
	}
	if (!status && !b->output_counts.count)
		status = list_append(&b->output_counts, b->outputs.count, e);
	if (!status && !b->block_sizes.count)
		status = list_append(&b->block_sizes, BLOCK_SIZE_MIN, e);
	if (!status && !b->codecs_count)
		status = default_codecs(b, e);
	return status;
}

static enum status read_operands(struct bench_options *o, int argc, char **argv, struct error *e)
{
	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no SOURCE given");
	o->source = argv[optind++];
	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no OUTPUT given");
	for (; optind < argc; optind++)
		if (names_expand(&o->bench.outputs, argv[optind], MEMBERS_MAX, e))
			return error_prefix(e, "outputs: ");
	if (strcmp(o->bench.join_to, "null:") == 0)
		return error_set(e, STATUS_USAGE, "--join-to=null: is not supported; use /dev/null to "
				 "discard the data");
	if (o->bench.later_rates.count && !o->bench.disk_rates.count)
		return error_set(e, STATUS_USAGE, "--disk-rate-after requires --disk-rate");
	if (o->force || o->overwrite_dumps)
		o->bench.permits |= PERMIT_OVERWRITE;
	if (o->overwrite_dumps)
		o->bench.permits |= PERMIT_DUMPS;
	if (o->any_owner)
		o->bench.permits |= PERMIT_ANY_OWNER;
	if (o->overwrite_devices)
		o->bench.permits |= PERMIT_DEVICES;
	return set_defaults(o, e);
}

int bench_options_read(struct bench_options *o, int argc, char **argv)
{
	const struct option_reader reader = { .each = option_set, .arg = o };
	enum status status;
	struct error e;

	*o = (struct bench_options){
		.bench = {
			.chunk_size = CHUNK_SIZE_DEFAULT,
			.rounds = ROUNDS_DEFAULT,
			.warmups = 1,
			.reads = true,
			.join_to = "/dev/null",
			.sink_timeout = SINK_TIMEOUT_DEFAULT,
			.sample = SAMPLE_DEFAULT,
		},
	};
	status = option_table_read(&table, argc, argv, &reader, &e);
	if (!status)
		status = read_operands(o, argc, argv, &e);
	return options_result(status, &e);
}

void bench_options_free(struct bench_options *o)
{
	names_free(&o->bench.outputs);
	list_free(&o->bench.threads);
	list_free(&o->bench.output_counts);
	list_free(&o->bench.block_sizes);
	list_free(&o->bench.disk_rates);
	list_free(&o->bench.later_rates);
	codecs_free(&o->bench);
}
