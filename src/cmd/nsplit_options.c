// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/message.h"
#include "cmd/nsplit_config.h"
#include "cmd/nsplit_options.h"
#include "cmd/nsplit_settings.h"

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
	{ "fallback", required_argument, NULL, OPTION_FALLBACK },
	{ "filter", required_argument, NULL, OPTION_FILTER },
	{ "uuid", required_argument, NULL, OPTION_UUID },
	{ "also", required_argument, NULL, OPTION_ALSO },
	{ "force", no_argument, NULL, 'f' },
	{ "any-owner", no_argument, NULL, OPTION_ANY_OWNER },
	{ "overwrite-devices", no_argument, NULL, OPTION_OVERWRITE_DEVICES },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "check-params", no_argument, NULL, OPTION_CHECK_PARAMS },
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "no-config", no_argument, NULL, OPTION_NO_CONFIG },
	{ "progress", optional_argument, NULL, OPTION_PROGRESS },
	{ "stats", required_argument, NULL, OPTION_STATS },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "no-any-owner", no_argument, NULL, OPTION_TAKES_BACK + OPTION_ANY_OWNER },
	{ "no-force", no_argument, NULL, OPTION_TAKES_BACK + 'f' },
	{ "no-quiet", no_argument, NULL, OPTION_TAKES_BACK + 'q' },
	{ "no-stripe", no_argument, NULL, OPTION_TAKES_BACK + OPTION_STRIPE },
	{ "no-verbose", no_argument, NULL, OPTION_TAKES_BACK + 'v' },
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
"- for standard output, or '|COMMAND', which is fed a member on standard input.\n"
"{now} in an OUTPUT is the time, as YYYYMMDDHHMMSS.\n"
"{A..B} in an OUTPUT, or <A..B>, counts from A to B:\n"
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
"      --fallback=OUTPUT  write there when no other output takes anything any more\n"
"      --filter=COMMAND   feed each member to COMMAND, with OUTPUT in it as $FILE;\n"
"                         not those of outputs that are commands themselves\n"
"      --also=OUTPUT      one more output; may be given again\n"
"      --stripe           chunk k to output k mod K, in order\n"
"      --uuid=UUID        identify the set by UUID (default: a random one)\n"
"  -f, --force            write over files that exist, and to block devices that are blank\n"
"                         or hold a member\n"
"      --overwrite-devices\n"
"                         with -f, to any block device, whatever it holds\n"
"      --any-owner        write to files (with -f) and named pipes of other users\n"
"  -n, --dry-run          say what would be done, the memory included, and do nothing\n"
"      --check-params     print nothing, unless this could not be captured so\n"
"      --config=FILE      read settings from FILE, instead of /etc/nsplit.conf\n"
"      --no-config        read none\n"
"      --no-any-owner, --no-force, --no-stripe, --no-quiet, --no-verbose\n"
"                         take back what was said before, or in that file\n"
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

	if (c->stripe && c->presets.count > 1)
		return error_set(e, STATUS_USAGE, "--stripe gives the same members each time, and with "
				 "--compress=auto they depend on how fast all was");
	if (!chunk_size_valid(c->chunk_size, c->block_size))
		return error_set(e, STATUS_USAGE, "--chunksize=%" PRIu32 " is not a multiple of "
				 "the block size, %" PRIu32, c->chunk_size, c->block_size);
	return STATUS_OK;
}

/* What was not given on the command line comes from the configuration. */
static enum status gather_outputs(struct nsplit_options *o, int argc, char **argv,
				  struct error *e)
{
	const struct names *more[] = {
		optind == argc ? &o->configured : NULL, &o->also, &o->fallbacks,
	};
	enum status status = STATUS_OK;

	if (optind == argc && !o->configured.count)
		return error_set(e, STATUS_USAGE, "no OUTPUT given");
	for (; !status && optind < argc; optind++)
		status = stamp_expand(&o->outputs, argv[optind], o->now, MEMBERS_MAX, e);
	for (int i = 0; i < 3; i++) {
		for (size_t n = 0; more[i] && !status && n < more[i]->count; n++)
			status = names_append(&o->outputs, more[i]->names[n], MEMBERS_MAX, e);
		if (i == 0)
			o->required = o->outputs.count;
	}
	o->capture.fallbacks = (unsigned)o->fallbacks.count;
	return status ? error_prefix(e, "outputs: ") : STATUS_OK;
}

static enum status read_operands(struct nsplit_options *o, int argc, char **argv,
				 struct error *e)
{
	enum status status;

	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no SOURCE given");
	o->source = argv[optind++];
	status = gather_outputs(o, argc, argv, e);
	return status ? status : check_together(o, e);
}

/* What is to be known of a command line before anything of it is obeyed. */
struct overview {
	struct config_choice config;
	bool given[SETTINGS_MAX];
};

static int print_and_exit(int option)
{
	if (option == 'h')
		fputs(help, stdout);
	else if (option == 'V')
		puts(PACKAGE_STRING);
	else
		list_codecs();
	return EXIT_PERFECT;
}

/* The first of two passes.  Returns OPTIONS_READ, or what to exit with. */
static int look_over(struct overview *overview, int argc, char **argv)
{
	const struct setting *setting;
	int option;

	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		switch (option) {
		case '?':
			return message_try_help();
		case 'h':
		case 'V':
		case OPTION_LIST_CODECS:
			return print_and_exit(option);
		case OPTION_CONFIG:
			overview->config = (struct config_choice){ .file = optarg };
			break;
		case OPTION_NO_CONFIG:
			overview->config = (struct config_choice){ .none = true };
			break;
		default:
			setting = setting_of_option(option);
			if (setting)
				overview->given[setting_number(setting)] = true;
		}
	}
	return OPTIONS_READ;
}

/* The settings of the command line, over what the configuration says. */
static enum status obey(struct nsplit_options *o, const struct overview *overview, int argc,
			char **argv, struct error *e)
{
	enum status status = STATUS_OK;
	int option;

	settings_clear_lists(o, overview->given);
	/* All over again; what it complains of, it has complained of. */
	optind = 0;
	while (!status && (option = getopt_long(argc, argv, short_options, long_options,
						NULL)) != -1) {
		bool no = option >= OPTION_TAKES_BACK;
		const struct setting *setting =
			setting_of_option(no ? option - OPTION_TAKES_BACK : option);
		const char *letter = codec_letter(option);

		if (letter)
			status = setting_set_option(setting_of_option('C'), o, letter, e);
		else if (setting)
			status = setting_set_option(setting, o, no ? "no" : optarg, e);
	}
	return status ? status : read_operands(o, argc, argv, e);
}

int nsplit_options_read(struct nsplit_options *o, int argc, char **argv)
{
	struct overview overview = { 0 };
	struct error e;
	int exit_status;

	settings_init(o);
	exit_status = look_over(&overview, argc, argv);
	if (exit_status != OPTIONS_READ)
		return exit_status;
	if (nsplit_config_read(o, &overview.config, &e)) {
		message("%s", e.text);
		return e.status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	if (obey(o, &overview, argc, argv, &e))
		return message_usage_error(&e);
	return OPTIONS_READ;
}

void nsplit_options_free(struct nsplit_options *o)
{
	names_free(&o->configured);
	names_free(&o->also);
	names_free(&o->fallbacks);
	names_free(&o->outputs);
	free(o->stats_file);
	free(o->filter);
}
