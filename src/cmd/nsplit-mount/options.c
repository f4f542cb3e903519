// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/option_table.h"
#include "cmd/common/common_options.h"
#include "cmd/common/operands.h"
#include "cmd/nsplit-mount/options.h"

/* Enough for the tables that readers visit repeatedly, and for some readers ahead. */
enum { CACHE_DEFAULT = 64 << 20 };

enum { FUSE_OPTIONS_MAX = 100 };

static enum status add_fuse_options(void *settings, const struct option_call *call,
				    struct error *e)
{
	struct mount_options *o = settings;

	if (names_append(&o->fuse, call->text, FUSE_OPTIONS_MAX, e))
		return error_prefix(e, "-o: ");
	return STATUS_OK;
}

#define FIELD(field) OPTION_FIELD(struct mount_options, field)

static const struct option_entry entries[] = {
	{ "cache", 0, "SIZE", "keep up to SIZE bytes of records in memory (64M)",
	  option_set_size, FIELD(cache), .most = OFFSET_MAX, .basic = true },
	{ "dump-level", 'd', "LEVEL", "leave pages out of vmcore.kdump; LEVEL is the sum of 1 (zero), 2 (cache), "
	  "4 (private cache), 8 (user) and 16 (free)", left_out_set_level, FIELD(left_out), .basic = true },
	{ "exclude", 0, "LIST", "the same by name: zero, cache, private, user, free",
	  left_out_set_words, FIELD(left_out), .value = dump_level_word },
	{ "zero-holes", 0, NULL, "return zeros for data that is missing or was left out, instead of an error",
	  option_set_bool, FIELD(zero_holes), .basic = true },
	{ "salvage", 0, NULL, "read truncated or damaged members, and leave out what is damaged",
	  option_set_bool, FIELD(salvage), .basic = true },
	{ "threads", 'j', "N", "answer up to N requests at a time, and read ahead on N threads "
	  "(default: one per usable CPU, at least 4)",
	  option_set_number, FIELD(threads), .least = 1, .most = THREADS_MAX },
	{ "foreground", 'f', NULL, "stay in the foreground until unmounted", option_set_bool,
	  FIELD(foreground), .basic = true },
	{ "options", 'o', "LIST", "mount options, such as -o allow_other", .set = add_fuse_options,
	  .basic = true },
	{ "quiet", 'q', NULL, "print only warnings and errors", option_set_bool, FIELD(quiet) },
	{ "verbose", 'v', NULL, "print more details", option_set_bool, FIELD(verbose) },
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option_table table = {
	.program = "nsplit-mount",
	.usage =
"Usage: nsplit-mount [OPTION]... MEMBER... MOUNTPOINT\n"
"Mount a captured core without restoring it: MOUNTPOINT/vmcore is the source, and\n"
"MOUNTPOINT/vmcore.kdump the same core as a kdump-compressed file.\n",
	.operands =
"MEMBERs may be given in any order.  Braces in a MEMBER, such as {0..7} or {a,b},\n"
"make several names of it.  \"fusermount3 -u MOUNTPOINT\" unmounts.\n",
	.entries = entries,
	.count = sizeof(entries) / sizeof(entries[0]),
	.examples =
"  nsplit-mount '/mnt/disk{0..7}/a' mnt\n"
"  nsplit-mount --salvage /mnt/a /mnt/b mnt\n"
"  fusermount3 -u mnt\n",
	.notes =
"Exit status: 0: mounted, and all data is present; 1: failure; 2: usage error;\n"
"3: mounted, but data is missing, and is listed.\n",
};

static enum status read_operands(struct mount_options *o, int argc, char **argv, struct error *e)
{
	struct stat st;

	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no MEMBER given");
	if (optind + 1 == argc)
		return error_set(e, STATUS_USAGE, "no MOUNTPOINT given; it is the last operand");
	o->mountpoint = argv[argc - 1];
	if (stat(o->mountpoint, &st) == 0 && !S_ISDIR(st.st_mode))
		return error_set(e, STATUS_USAGE, "no MOUNTPOINT given: '%s' is a file; the last operand must be a directory, "
				 "such as mnt after 'mkdir mnt'", o->mountpoint);
	for (; optind < argc - 1; optind++)
		if (members_expand(&o->members, argv[optind], e))
			return error_prefix(e, "members: ");
	for (size_t i = 0; i < o->members.count; i++)
		if (members_is_stream(o->members.names[i]))
			return error_set(e, STATUS_USAGE, "%s: is a stream, which cannot be mounted; "
					 "store it in a file first",
					 o->members.names[i]);
	return STATUS_OK;
}

/* At least four: threads that wait for a disk use no CPU. */
static unsigned default_threads(void)
{
	unsigned threads = threads_default();

	return threads < 4 ? 4 : threads;
}

int mount_options_read(struct mount_options *o, int argc, char **argv)
{
	const struct option_reader reader = { .each = option_set, .arg = o };
	enum status status;
	struct error e;

	*o = (struct mount_options){ .cache = CACHE_DEFAULT, .threads = default_threads() };
	status = option_table_read(&table, argc, argv, &reader, &e);
	if (!status)
		status = read_operands(o, argc, argv, &e);
	return options_result(status, &e);
}

void mount_options_free(struct mount_options *o)
{
	names_free(&o->fuse);
	names_free(&o->members);
}
