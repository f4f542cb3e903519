// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cmd/bench_options.h"
#include "cmd/common_options.h"
#include "cmd/lists.h"
#include "cmd/message.h"
#include "format/format.h"

enum {
	CHUNK_SIZE_DEFAULT = 1 << 20,
	/* Even: one that came in the order backwards for each that came forwards. */
	ROUNDS_DEFAULT = 6,
	ROUNDS_MAX = 1000,
	RANDOM_READS_DEFAULT = 1000,
	RANDOM_READS_MAX = 1000000,
	SAMPLE_DEFAULT = 256 << 20,
};

/* Slower than any disk; a chunk of 1 MiB then takes four minutes. */
enum { DISK_RATE_MIN = 4096, LATER_MAX = 1000000 };

enum {
	OPTION_CACHE = 256,
	OPTION_CHUNK_SIZE,
	OPTION_CSV,
	OPTION_DIRECT,
	OPTION_DISK_RATE,
	OPTION_DISK_RATE_AFTER,
	OPTION_JOIN_TO,
	OPTION_JSON,
	OPTION_MMAP,
	OPTION_OVERWRITE_DEVICES,
	OPTION_PLOT,
	OPTION_PROGRESS,
	OPTION_RANDOM_READS,
	OPTION_SAMPLE,
	OPTION_WARMUP,
	OPTION_WRITE_ONLY,
};

static const char short_options[] = "j:C:o:b:n:fqhV";

static const struct option long_options[] = {
	{ "threads", required_argument, NULL, 'j' },
	{ "codecs", required_argument, NULL, 'C' },
	{ "outputs", required_argument, NULL, 'o' },
	{ "blocksize", required_argument, NULL, 'b' },
	{ "chunksize", required_argument, NULL, OPTION_CHUNK_SIZE },
	{ "direct", required_argument, NULL, OPTION_DIRECT },
	{ "mmap", required_argument, NULL, OPTION_MMAP },
	{ "disk-rate", required_argument, NULL, OPTION_DISK_RATE },
	{ "disk-rate-after", required_argument, NULL, OPTION_DISK_RATE_AFTER },
	{ "rounds", required_argument, NULL, 'n' },
	{ "warmup", required_argument, NULL, OPTION_WARMUP },
	{ "cache", required_argument, NULL, OPTION_CACHE },
	{ "sample", required_argument, NULL, OPTION_SAMPLE },
	{ "write-only", no_argument, NULL, OPTION_WRITE_ONLY },
	{ "join-to", required_argument, NULL, OPTION_JOIN_TO },
	{ "random-reads", required_argument, NULL, OPTION_RANDOM_READS },
	{ "force", no_argument, NULL, 'f' },
	{ "overwrite-devices", no_argument, NULL, OPTION_OVERWRITE_DEVICES },
	{ "json", optional_argument, NULL, OPTION_JSON },
	{ "csv", optional_argument, NULL, OPTION_CSV },
	{ "plot", required_argument, NULL, OPTION_PLOT },
	{ "progress", optional_argument, NULL, OPTION_PROGRESS },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 }
};

static const char help[] =
"Usage: nsplit-bench [OPTION]... SOURCE OUTPUT...\n"
"Measure captures of SOURCE to OUTPUTs, and what of the machine's ceiling they reach.\n"
"\n"
"SOURCE is a file, a block device, /proc/vmcore, /proc/fakevmcore, or made in memory:\n"
"  fake:SIZE[,pattern=NAME][,compressible=PERCENT][,seed=NUMBER][,pool=SIZE]\n"
"OUTPUT is a file, a block device (with -f), or null:, which stands for any number\n"
"when it is the only one.  {A..B} counts as in nsplit.  All are written over and over.\n"
"\n"
"What is measured: every combination of\n"
"  -j, --threads=LIST     as 1,2,4-8; or serial (default: 1 and the CPUs that may be used)\n"
"  -C, --codecs=LIST      as raw,lzo,zstd:3 (raw,lzo,snappy,lz4,zstd)\n"
"  -o, --outputs=LIST     so many, the first ones of those given; or threads: as many as\n"
"                         threads (default: all)\n"
"  -b, --blocksize=LIST   as 4K,64K (4K)\n"
"\n"
"How:\n"
"  -n, --rounds=N         measure each so often (6)\n"
"      --warmup=N         rounds before, which do not count (1)\n"
"      --disk-rate=LIST   emulate disks that take so many bytes a second: 50M for all,\n"
"                         50M,50M,5M for the outputs in turn\n"
"      --disk-rate-after=SECONDS:LIST\n"
"                         what their rates become in the middle of each capture\n"
"      --cache=WAY        drop the page cache before each measurement, or keep it (drop)\n"
"      --chunksize=SIZE   bytes in a record (1M)\n"
"      --direct=WHEN      write past the page cache: auto, always or never (auto)\n"
"      --mmap=WHEN        map the source: auto (/proc files), always or never (auto)\n"
"      --sample=SIZE      so much of SOURCE is enough for the ceiling (256M)\n"
"  -f, --force            write over files that exist, and to block devices that are blank\n"
"                         or hold a member\n"
"      --overwrite-devices\n"
"                         with -f, to any block device, whatever it holds\n"
"\n"
"Reading back, where all OUTPUTs are files or block devices:\n"
"      --write-only       leave it out\n"
"      --join-to=FILE     put the source together in FILE (/dev/null)\n"
"      --random-reads=N   read 4 KiB at so many places in each round (1000)\n"
"\n"
"Report:\n"
"      --json[=FILE]      as JSON, in place of the table or to FILE\n"
"      --csv[=FILE]       a line for each combination, likewise\n"
"      --plot=FILE        a picture, by gnuplot: FILE ends in .svg or .png\n"
"      --progress[=WHEN]  how far, and how long still: auto (unless -q), always or never\n"
"  -q, --quiet            only the report, warnings and errors\n"
"  -h, --help             print this and exit\n"
"  -V, --version          print the version and exit\n"
"\n"
"Exit status: 0 all was measured; 1 something failed; 2 usage.  What was measured before a\n"
"failure or a signal is reported.\n";

static enum status set_size(const char *option, const char *text, uint64_t most, uint64_t *size,
			    struct error *e)
{
	enum status status = size_parse(text, size, e);

	if (status)
		return error_prefix(e, "%s: ", option);
	if (!*size || *size > most)
		return error_set(e, STATUS_USAGE, "%s: %s is out of range", option, text);
	return STATUS_OK;
}

static enum status set_count(const char *option, const char *text, uint64_t least, uint64_t most,
			     unsigned *count, struct error *e)
{
	uint64_t number;
	enum status status = number_parse(text, option, least, most, &number, e);

	if (!status)
		*count = (unsigned)number;
	return status;
}

static enum status set_choice(int option, struct bench_options *o, struct error *e)
{
	const char *name = option == OPTION_DIRECT ? "--direct" :
			   option == OPTION_MMAP ? "--mmap" : "--progress";
	int choice = 0;
	enum status status = choice_parse(name, optarg, &choice, e);

	if (option == OPTION_DIRECT)
		o->bench.direct = (enum direct_mode)choice;
	else if (option == OPTION_MMAP)
		o->mmap = (enum mmap_mode)choice;
	else
		o->progress = (enum progress_mode)choice;
	return status;
}

static enum status set_cache(struct bench_settings *b, const char *text, struct error *e)
{
	b->keep_caches = strcmp(text, "keep") == 0;
	if (!b->keep_caches && strcmp(text, "drop") != 0)
		return error_set(e, STATUS_USAGE, "--cache takes drop or keep, not '%s'", text);
	return STATUS_OK;
}

static enum status set_plot(struct bench_options *o, const char *text, struct error *e)
{
	size_t len = strlen(text);

	if (len < 5 || (strcmp(text + len - 4, ".svg") != 0 &&
			strcmp(text + len - 4, ".png") != 0))
		return error_set(e, STATUS_USAGE, "--plot=%s: must end in .svg or .png", text);
	o->plot = text;
	return STATUS_OK;
}

static const struct list_kind rates = { "--disk-rate", DISK_RATE_MIN, INT64_MAX, true, NULL };
static const struct list_kind later_rates = { "--disk-rate-after", DISK_RATE_MIN, INT64_MAX, true,
					      NULL };

/* SECONDS:LIST. */
static enum status set_later_rates(struct bench_settings *b, const char *text, struct error *e)
{
	char *colon;

	b->later = strtod(text, &colon);
	if (*colon != ':' || !isdigit((unsigned char)*text) || !(b->later <= LATER_MAX))
		return error_set(e, STATUS_USAGE, "--disk-rate-after=%s: takes SECONDS:LIST, and at "
				 "most %d seconds", text, LATER_MAX);
	return list_parse(&b->later_rates, colon + 1, &later_rates, e);
}

/* What the matrix is made of. */
static enum status set_list(struct bench_settings *b, int option, struct error *e)
{
	static const struct list_kind threads = { "--threads", 1, THREADS_MAX, false, "serial" };
	static const struct list_kind outputs = { "--outputs", 1, MEMBERS_MAX, false, "threads" };
	static const struct list_kind blocks = { "--blocksize", BLOCK_SIZE_MIN, BLOCK_SIZE_MAX,
						 true, NULL };

	switch (option) {
	case 'j':
		return list_parse(&b->threads, optarg, &threads, e);
	case 'o':
		return list_parse(&b->output_counts, optarg, &outputs, e);
	case 'b':
		return list_parse(&b->block_sizes, optarg, &blocks, e);
	case OPTION_DISK_RATE:
		return list_parse(&b->disk_rates, optarg, &rates, e);
	default:
		return codecs_parse(b, optarg, e);
	}
}

static enum status set_value(struct bench_options *o, int option, struct error *e)
{
	struct bench_settings *b = &o->bench;
	enum status status;
	uint64_t size;

	switch (option) {
	case OPTION_DISK_RATE_AFTER:
		return set_later_rates(b, optarg, e);
	case 'n':
		return set_count("--rounds", optarg, 1, ROUNDS_MAX, &b->rounds, e);
	case OPTION_WARMUP:
		return set_count("--warmup", optarg, 0, ROUNDS_MAX, &b->warmups, e);
	case OPTION_RANDOM_READS:
		return set_count("--random-reads", optarg, 1, RANDOM_READS_MAX, &b->random_reads, e);
	case OPTION_CACHE:
		return set_cache(b, optarg, e);
	case OPTION_SAMPLE:
		return set_size("--sample", optarg, INT64_MAX, &b->sample, e);
	case OPTION_CHUNK_SIZE:
		status = set_size("--chunksize", optarg, CHUNK_SIZE_MAX, &size, e);
		b->chunk_size = (uint32_t)size;
		return status;
	case OPTION_DIRECT:
	case OPTION_MMAP:
	case OPTION_PROGRESS:
		return set_choice(option, o, e);
	case OPTION_PLOT:
		return set_plot(o, optarg, e);
	default:
		return set_list(b, option, e);
	}
}

/* Options that cannot be wrong; false: it is none of them. */
static bool set_flag(struct bench_options *o, int option)
{
	switch (option) {
	case 'f':
		/* What is measured is mostly made up, and a named pipe is refused. */
		o->bench.permits |= SINK_OVERWRITE | SINK_ANY_OWNER;
		return true;
	case OPTION_OVERWRITE_DEVICES:
		o->bench.permits |= SINK_OVERWRITE_DEVICES;
		return true;
	case 'q':
		o->quiet = true;
		return true;
	case OPTION_WRITE_ONLY:
		o->bench.reads = false;
		return true;
	case OPTION_JOIN_TO:
		o->bench.join_to = optarg;
		return true;
	case OPTION_JSON:
		o->json = optarg ? optarg : "";
		return true;
	case OPTION_CSV:
		o->csv = optarg ? optarg : "";
		return true;
	default:
		return false;
	}
}

/* Those of the usual codecs that this build has. */
static enum status default_codecs(struct bench_settings *b, struct error *e)
{
	static const char *const usual[] = { "raw", "lzo", "snappy", "lz4", "zstd" };
	char text[64] = "";

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		const struct codec *codec;
		int level;

		if (codec_find(usual[i], &codec, &level, e))
			continue;
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 text[0] ? "," : "", usual[i]);
	}
	return codecs_parse(b, text, e);
}

static enum status set_defaults(struct bench_settings *b, struct error *e)
{
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
		return error_set(e, STATUS_USAGE, "--join-to takes a file or a device; /dev/null keeps "
				 "nothing");
	if (o->bench.later_rates.count && !o->bench.disk_rates.count)
		return error_set(e, STATUS_USAGE, "--disk-rate-after needs --disk-rate");
	if (o->json && !*o->json && o->csv && !*o->csv)
		return error_set(e, STATUS_USAGE, "--json and --csv cannot both go to standard "
				 "output; --csv=FILE");
	return set_defaults(&o->bench, e);
}

int bench_options_read(struct bench_options *o, int argc, char **argv)
{
	struct error e;
	int option;

	*o = (struct bench_options){
		.bench = {
			.chunk_size = CHUNK_SIZE_DEFAULT,
			.rounds = ROUNDS_DEFAULT,
			.warmups = 1,
			.reads = true,
			.join_to = "/dev/null",
			.random_reads = RANDOM_READS_DEFAULT,
			.sink_timeout = SINK_TIMEOUT_DEFAULT,
			.sample = SAMPLE_DEFAULT,
		},
	};
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		if (option == '?')
			return message_try_help();
		if (option == 'h' || option == 'V') {
			fputs(option == 'h' ? help : PACKAGE_STRING "\n", stdout);
			return EXIT_PERFECT;
		}
		if (!set_flag(o, option) && set_value(o, option, &e))
			return message_usage_error(&e);
	}
	if (read_operands(o, argc, argv, &e))
		return message_usage_error(&e);
	return OPTIONS_READ;
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
