// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cmd/message.h"
#include "cmd/nsplit_options.h"

enum { CHUNK_SIZE_DEFAULT = 1 << 20 };

enum { SINK_TIMEOUT_MAX = 1000000 };

/* Options without a letter. */
enum {
	OPTION_CHUNK_SIZE = 256,
	OPTION_DIRECT,
	OPTION_LIST_CODECS,
	OPTION_MEM_LIMIT,
	OPTION_MMAP,
	OPTION_PROGRESS,
	OPTION_SERIAL,
	OPTION_SINK_TIMEOUT,
	OPTION_STATS,
	OPTION_STRIPE,
	OPTION_UUID,
};

static const char short_options[] = "rcslzC:j:b:fqvnhV";

static const struct option long_options[] = {
	{ "raw", no_argument, NULL, 'r' },
	{ "lzo", no_argument, NULL, 'c' },
	{ "snappy", no_argument, NULL, 's' },
	{ "lz4", no_argument, NULL, 'l' },
	{ "zstd", no_argument, NULL, 'z' },
	{ "compress", required_argument, NULL, 'C' },
	{ "list-codecs", no_argument, NULL, OPTION_LIST_CODECS },
	{ "threads", required_argument, NULL, 'j' },
	{ "blocksize", required_argument, NULL, 'b' },
	{ "chunksize", required_argument, NULL, OPTION_CHUNK_SIZE },
	{ "mem-limit", required_argument, NULL, OPTION_MEM_LIMIT },
	{ "direct", required_argument, NULL, OPTION_DIRECT },
	{ "mmap", required_argument, NULL, OPTION_MMAP },
	{ "stripe", no_argument, NULL, OPTION_STRIPE },
	{ "serial", no_argument, NULL, OPTION_SERIAL },
	{ "sink-timeout", required_argument, NULL, OPTION_SINK_TIMEOUT },
	{ "uuid", required_argument, NULL, OPTION_UUID },
	{ "force", no_argument, NULL, 'f' },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "progress", optional_argument, NULL, OPTION_PROGRESS },
	{ "stats", required_argument, NULL, OPTION_STATS },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 }
};

static const char help[] =
"Usage: nsplit [OPTION]... SOURCE OUTPUT...\n"
"Capture a core on N threads to K outputs; njoin puts it back.\n"
"\n"
"SOURCE is a file, a block device, /proc/vmcore, or - for standard input.\n"
"OUTPUT is a file, a block device (with -f), a pipe or character device, null:,\n"
"or - for standard output.  {A..B} in an OUTPUT, or <A..B>, counts from A to B:\n"
"  nsplit -c -j8 /proc/vmcore '/mnt/disk{0..7}/a'\n"
"\n"
"Codec:\n"
"  -r, --raw              store blocks as they are (default)\n"
"  -c, --lzo              LZO1X\n"
"  -s, --snappy           Snappy\n"
"  -l, --lz4              LZ4\n"
"  -z, --zstd             Zstandard, level 1\n"
"  -C, --compress=NAME[:LEVEL]\n"
"                         any codec of --list-codecs, or auto: what suits the CPUs and\n"
"                         the outputs, and may change from record to record\n"
"      --list-codecs      print the codecs of this build with their levels\n"
"\n"
"Work and memory:\n"
"  -j, --threads=N        compress on N threads (default: the CPUs that may be used)\n"
"  -b, --blocksize=SIZE   bytes compressed at a time: a power of two from 4K to 1M (4K)\n"
"      --chunksize=SIZE   bytes in a record: a multiple of the block size, to 64M (1M)\n"
"      --mem-limit=SIZE   stay below SIZE, with fewer chunks in memory if need be\n"
"      --direct=WHEN      write past the page cache: auto, always or never (auto)\n"
"      --mmap=WHEN        map the source: auto (/proc files), always or never (auto)\n"
"      --sink-timeout=SECONDS\n"
"                         give up an output that hangs so long in one call; 0: never (600)\n"
"      --serial           no threads: one chunk at a time\n"
"\n"
"Members:\n"
"      --stripe           chunk k to output k mod K, in order\n"
"      --uuid=UUID        identify the set by UUID (default: a random one)\n"
"  -f, --force            write over files that exist, and to block devices\n"
"  -n, --dry-run          say what would be done, the memory included, and do nothing\n"
"\n"
"Messages:\n"
"      --progress[=WHEN]  a line a second: auto (unless -q), always or never (auto)\n"
"      --stats=FILE       write a JSON object with all figures to FILE\n"
"  -q, --quiet            only warnings and errors\n"
"  -v, --verbose          more about what is done\n"
"  -h, --help             print this and exit\n"
"  -V, --version          print the version and exit\n"
"\n"
"SIZE takes a suffix: K, M, G, T are powers of 1024; kB, MB, GB of 1000.\n"
"SIGUSR1 prints progress at once.  SIGINT, SIGTERM and SIGHUP close the members.\n"
"SOURCE_DATE_EPOCH in the environment fixes the times in the members.\n"
"\n"
"Exit status: 0 the copy is perfect; 1 failed; 2 usage; 3 finished, and something is\n"
"missing, which is named.\n";

static void list_codecs(void)
{
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++) {
		const struct codec *codec = entry->codec;

		if (!codec)
			continue;
		if (codec->has_levels)
			printf("%-8s levels %d to %d, default %d\n", codec->name,
			       codec->level_min, codec->level_max, codec->level_default);
		else
			printf("%s\n", codec->name);
	}
}

static enum status set_codec(struct nsplit_options *o, const char *text, struct error *e)
{
	struct capture_settings *c = &o->capture;
	enum status status = ladder_find(text, &c->ladder, e);

	if (status)
		return status;
	if (c->ladder.count == 1)
		rung_format(&c->ladder.rungs[0], o->codec_text);
	else
		snprintf(o->codec_text, sizeof(o->codec_text), "%s", text);
	c->codec_text = o->codec_text;
	return STATUS_OK;
}

static enum status size_option(const char *text, const char *option, uint64_t *size,
			       struct error *e)
{
	return size_parse(text, size, e) ? error_prefix(e, "%s: ", option) : STATUS_OK;
}

static enum status set_block_size(struct nsplit_options *o, const char *text, struct error *e)
{
	uint64_t size;
	enum status status = size_option(text, "--blocksize", &size, e);

	if (status)
		return status;
	if (!block_size_valid(size))
		return error_set(e, STATUS_USAGE, "--blocksize=%s: takes a power of two from 4096 "
				 "to 1048576", text);
	o->capture.block_size = (uint32_t)size;
	return STATUS_OK;
}

static enum status set_chunk_size(struct nsplit_options *o, const char *text, struct error *e)
{
	uint64_t size;
	enum status status = size_option(text, "--chunksize", &size, e);

	if (status)
		return status;
	if (size < BLOCK_SIZE_MIN || size > CHUNK_SIZE_MAX)
		return error_set(e, STATUS_USAGE, "--chunksize=%s: takes 4096 to 67108864", text);
	o->capture.chunk_size = (uint32_t)size;
	return STATUS_OK;
}

static enum status set_memory_limit(struct nsplit_options *o, const char *text, struct error *e)
{
	enum status status = size_option(text, "--mem-limit", &o->capture.memory_limit, e);

	if (!status && !o->capture.memory_limit)
		return error_set(e, STATUS_USAGE, "--mem-limit=%s: nothing works with that", text);
	return status;
}

/* Digits, perhaps with a point between them. */
static enum status set_sink_timeout(struct nsplit_options *o, const char *text,
				    struct error *e)
{
	size_t whole = strspn(text, "0123456789"), fraction = 0;

	if (whole && text[whole] == '.')
		fraction = 1 + strspn(text + whole + 1, "0123456789");
	if (!whole || fraction == 1 || text[whole + fraction])
		return error_set(e, STATUS_USAGE, "--sink-timeout='%s' is not a number of seconds",
				 text);
	o->capture.sink_timeout = strtod(text, NULL);
	if (o->capture.sink_timeout > SINK_TIMEOUT_MAX ||
	    (o->capture.sink_timeout > 0 && o->capture.sink_timeout < 0.1))
		return error_set(e, STATUS_USAGE, "--sink-timeout=%s: takes 0.1 to %d seconds, or 0",
				 text, SINK_TIMEOUT_MAX);
	return STATUS_OK;
}

static enum status set_uuid(struct nsplit_options *o, const char *text, struct error *e)
{
	if (!uuid_parse(text, &o->capture.uuid))
		return error_set(e, STATUS_USAGE, "--uuid: '%s' is not a UUID", text);
	o->uuid_given = true;
	return STATUS_OK;
}

/* Options that take a value, which may be wrong. */
static enum status set_value(struct nsplit_options *o, int option, const char *text,
			     struct error *e)
{
	enum status status;
	int choice = 0;

	switch (option) {
	case 'C':
		return set_codec(o, text, e);
	case 'j':
		return threads_parse(text, &o->capture.threads, e);
	case 'b':
		return set_block_size(o, text, e);
	case OPTION_CHUNK_SIZE:
		return set_chunk_size(o, text, e);
	case OPTION_MEM_LIMIT:
		return set_memory_limit(o, text, e);
	case OPTION_SINK_TIMEOUT:
		return set_sink_timeout(o, text, e);
	case OPTION_UUID:
		return set_uuid(o, text, e);
	case OPTION_DIRECT:
		status = choice_parse("--direct", text, &choice, e);
		o->direct = (enum direct_mode)choice;
		return status;
	case OPTION_MMAP:
		status = choice_parse("--mmap", text, &choice, e);
		o->mmap = (enum mmap_mode)choice;
		return status;
	case OPTION_PROGRESS:
		status = choice_parse("--progress", text, &choice, e);
		o->progress = (enum progress_mode)choice;
		return status;
	default:
		return error_set(e, STATUS_USAGE, "unknown option");
	}
}

/* Options that are on or off; false if it is none of them. */
static bool set_flag(struct nsplit_options *o, int option)
{
	switch (option) {
	case 'f':
		o->force = true;
		return true;
	case 'n':
		o->dry_run = true;
		return true;
	case 'q':
		o->quiet = true;
		return true;
	case 'v':
		o->verbose = true;
		return true;
	case OPTION_SERIAL:
		o->capture.serial = true;
		return true;
	case OPTION_STRIPE:
		o->capture.stripe = true;
		return true;
	case OPTION_STATS:
		o->stats_file = optarg;
		return true;
	default:
		return false;
	}
}

/* The codec that a letter stands for, or NULL. */
static const char *codec_letter(int option)
{
	switch (option) {
	case 'r':
		return "raw";
	case 'c':
		return "lzo";
	case 's':
		return "snappy";
	case 'l':
		return "lz4";
	case 'z':
		return "zstd";
	default:
		return NULL;
	}
}

static enum status check_together(const struct nsplit_options *o, struct error *e)
{
	const struct capture_settings *c = &o->capture;

	if (c->stripe && c->ladder.count > 1)
		return error_set(e, STATUS_USAGE, "--stripe gives the same members each time, and with "
				 "--compress=auto they depend on how fast all was");
	if (!chunk_size_valid(c->chunk_size, c->block_size))
		return error_set(e, STATUS_USAGE, "--chunksize=%" PRIu32 " is not a multiple of "
				 "the block size, %" PRIu32, c->chunk_size, c->block_size);
	return STATUS_OK;
}

static enum status read_operands(struct nsplit_options *o, int argc, char **argv,
				 struct error *e)
{
	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no SOURCE given");
	o->source = argv[optind++];
	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no OUTPUT given");
	for (; optind < argc; optind++) {
		enum status status = names_expand(&o->outputs, argv[optind], MEMBERS_MAX, e);

		if (status)
			return error_prefix(e, "outputs: ");
	}
	return check_together(o, e);
}

int nsplit_options_read(struct nsplit_options *o, int argc, char **argv)
{
	struct error e;
	int option;

	*o = (struct nsplit_options){ 0 };
	o->capture.block_size = BLOCK_SIZE_MIN;
	o->capture.chunk_size = CHUNK_SIZE_DEFAULT;
	o->capture.threads = threads_default();
	o->capture.sink_timeout = SINK_TIMEOUT_DEFAULT;
	set_codec(o, "raw", &e);
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		const char *letter = codec_letter(option);

		if (option == '?')
			return message_try_help();
		if (option == 'h' || option == 'V' || option == OPTION_LIST_CODECS) {
			if (option == 'h')
				fputs(help, stdout);
			else if (option == 'V')
				puts(PACKAGE_STRING);
			else
				list_codecs();
			return EXIT_PERFECT;
		}
		if (letter ? set_codec(o, letter, &e)
			   : !set_flag(o, option) && set_value(o, option, optarg, &e))
			return message_usage_error(&e);
	}
	if (read_operands(o, argc, argv, &e))
		return message_usage_error(&e);
	return OPTIONS_READ;
}

void nsplit_options_free(struct nsplit_options *o)
{
	names_free(&o->outputs);
}
