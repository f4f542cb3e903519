// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/size.h"
#include "cmd/message.h"
#include "cmd/nsplit_mount_options.h"
#include "format/format.h"

/* Enough for the tables that are walked again and again, and for some readers ahead. */
static const uint64_t cache_default = 64 << 20;

enum { FUSE_OPTIONS_MAX = 100 };

enum {
	OPTION_CACHE = 256,
	OPTION_GROUP,
	OPTION_MODE,
	OPTION_SALVAGE,
	OPTION_ZERO_HOLES,
};

static const char short_options[] = "fj:o:qvhV";

static const struct option long_options[] = {
	{ "cache", required_argument, NULL, OPTION_CACHE },
	{ "mode", required_argument, NULL, OPTION_MODE },
	{ "group", required_argument, NULL, OPTION_GROUP },
	{ "zero-holes", no_argument, NULL, OPTION_ZERO_HOLES },
	{ "salvage", no_argument, NULL, OPTION_SALVAGE },
	{ "threads", required_argument, NULL, 'j' },
	{ "foreground", no_argument, NULL, 'f' },
	{ "options", required_argument, NULL, 'o' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 }
};

static const char help[] =
"Usage: nsplit-mount [OPTION]... MEMBER... MOUNTPOINT\n"
"Show what nsplit captured as files, without putting it together: MOUNTPOINT/vmcore,\n"
"and MOUNTPOINT/vmcore.kdump, the same in the kdump-compressed form.\n"
"\n"
"MEMBERs are given in any order; {A..B} in one, or <A..B>, counts from A to B.\n"
"\"fusermount3 -u MOUNTPOINT\" ends it.\n"
"\n"
"      --cache=SIZE       keep up to SIZE of records in memory (64M)\n"
"      --group=GROUP      let GROUP read the files; needs -o allow_other\n"
"      --mode=MODE        permissions of the files: 0400 (the default), 0440, 0404 or\n"
"                         0444; all but 0400 need -o allow_other\n"
"      --zero-holes       what is missing reads as zeros, instead of failing\n"
"      --salvage          use members with no footer, and do without what is damaged\n"
"  -j, --threads=N        answer N requests at a time, and read ahead on N threads\n"
"                         (default: the CPUs that may be used, 4 at least)\n"
"  -f, --foreground       stay in the foreground until it is unmounted\n"
"  -o, --options=LIST     mount options, as in -o allow_other\n"
"  -q, --quiet            only warnings and errors\n"
"  -v, --verbose          more about what is done\n"
"  -h, --help             print this and exit\n"
"  -V, --version          print the version and exit\n"
"\n"
"Exit status: 0 mounted, and everything is there; 1 failed; 2 usage; 3 mounted, and\n"
"something is missing, which is named.\n";

static enum status set_cache(struct mount_options *o, const char *text, struct error *e)
{
	enum status status = size_parse(text, &o->cache, e);

	return status ? error_prefix(e, "--cache: ") : STATUS_OK;
}

static enum status set_option(struct mount_options *o, int option, struct error *e)
{
	switch (option) {
	case 'f':
		o->foreground = true;
		return STATUS_OK;
	case 'j':
		return threads_parse("--threads", optarg, &o->threads, e);
	case 'o':
		if (names_expand(&o->fuse, optarg, FUSE_OPTIONS_MAX, e))
			return error_prefix(e, "-o: ");
		return STATUS_OK;
	case 'q':
		o->quiet = true;
		return STATUS_OK;
	case 'v':
		o->verbose = true;
		return STATUS_OK;
	case OPTION_CACHE:
		return set_cache(o, optarg, e);
	case OPTION_GROUP:
		return mount_access_set_group(&o->access, optarg, e);
	case OPTION_MODE:
		return mount_access_set_mode(&o->access, optarg, e);
	case OPTION_ZERO_HOLES:
		o->zero_holes = true;
		return STATUS_OK;
	default:
		o->salvage = true;
		return STATUS_OK;
	}
}

/* To open a pipe is to wait for its writer, and all for nothing. */
static bool is_stream(const char *name)
{
	struct stat st;

	if (strcmp(name, "-") == 0)
		return true;
	return stat(name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

static enum status read_operands(struct mount_options *o, int argc, char **argv, struct error *e)
{
	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no MEMBER given");
	if (optind + 1 == argc)
		return error_set(e, STATUS_USAGE, "no MOUNTPOINT given, which goes last");
	o->mountpoint = argv[argc - 1];
	for (; optind < argc - 1; optind++)
		if (names_expand(&o->members, argv[optind], MEMBERS_MAX, e))
			return error_prefix(e, "members: ");
	for (size_t i = 0; i < o->members.count; i++)
		if (is_stream(o->members.names[i]))
			return error_set(e, STATUS_USAGE, "%s: is a stream; what is mounted must "
					 "be read anywhere, so store it in a file first",
					 o->members.names[i]);
	return mount_access_check(&o->access, &o->fuse, e);
}

/* Threads that wait for a disk leave the CPUs to others. */
static unsigned threads_here(void)
{
	unsigned threads = threads_default();

	return threads < 4 ? 4 : threads;
}

int mount_options_read(struct mount_options *o, int argc, char **argv)
{
	struct error e;
	int option;

	*o = (struct mount_options){ .cache = cache_default, .threads = threads_here() };
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

void mount_options_free(struct mount_options *o)
{
	names_free(&o->fuse);
	names_free(&o->members);
}
