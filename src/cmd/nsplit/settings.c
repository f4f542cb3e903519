// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/option_table.h"
#include "cmd/common/foreign_options.h"
#include "cmd/nsplit/setting_values.h"
#include "cmd/nsplit/settings.h"

enum {
	CHUNK_SIZE_DEFAULT = 1 << 20,
	DRILL_SIZE_MIN = 1 << 20,
};

static const char *const drills[] = { "crash", NULL };

/* In the order of enum nsplit_format. */
static const char *const formats[] = { "members", "kdump", "elf", NULL };

#define FIELD(field) OPTION_FIELD(struct nsplit_options, field)

static const struct option_entry entries[] = {
	{ NULL, .help = "Codec" },
	{ "raw", 'r', NULL, "do not compress (the default)", .set = setting_set_named_codec },
	{ "lzo", 'c', NULL, "compress with LZO1X", .set = setting_set_named_codec, .basic = true },
	{ "snappy", 's', NULL, "compress with Snappy", .set = setting_set_named_codec },
	{ "lz4", 'l', NULL, "compress with LZ4", .set = setting_set_named_codec },
	{ "zstd", 'z', NULL, "compress with Zstandard, level 1", .set = setting_set_named_codec },
	{ "compress", 'C', "NAME[:LEVEL]", "any codec of --list-codecs; auto: whichever is fastest",
	  .set = setting_set_codec, .value = codec_value, .key = true, .basic = true },
	{ "list-codecs", 0, NULL, "print the codecs of this build and exit",
	  .set = option_list_codecs, .early = true, .ends = true },

	{ NULL, .help = "Pages" },
	{ "dump-level", 'd', "LEVEL", "leave out pages, as makedumpfile -d does; usually 31",
	  left_out_set_level, FIELD(left_out), .key = true, .basic = true },
	{ "exclude", 0, "LIST", "the same by name: zero (1 in LEVEL), cache (2), private (4), user (8), "
	  "free (16); or none",
	  left_out_set_words, FIELD(left_out), .value = dump_level_word, .key = true },

	{ "format", 0, "FORM", "members; kdump or elf: a dump that crash opens",
	  option_set_choice, FIELD(format), .choices = formats, .key = true, .basic = true },

	{ NULL, .help = "Work and memory" },
	{ "threads", 'j', "N", "compress on N threads (default: one per usable CPU)",
	  setting_set_threads, FIELD(capture.threads), .least = 1, .most = THREADS_MAX, .key = true,
	  .basic = true },
	{ "blocksize", 'b', "SIZE", "compress SIZE bytes at a time: a power of two from 4K to 1M "
	  "(4K, or 16K: nsplit(1))",
	  .set = setting_set_block_size, .key = true },
	{ "chunksize", 0, "SIZE", "bytes of the source in each record: a multiple of the block size, "
	  "up to 64M (1M)", setting_set_chunk_size, FIELD(capture.chunk_size),
	  .least = BLOCK_SIZE_MIN, .most = CHUNK_SIZE_MAX, .key = true },
	{ "mem-limit", 0, "SIZE", "use at most SIZE bytes of memory, with fewer chunks in memory if "
	  "necessary", option_set_size, FIELD(capture.memory_limit),
	  .least = 1, .most = OFFSET_MAX, .key = true },
	{ "direct", 0, "WHEN", "use direct I/O: auto (the default), always or never",
	  option_set_choice, FIELD(direct), .choices = choices_when, .key = true },
	{ "mmap", 0, "WHEN", "map the source: auto (the default: files in /proc), always or never",
	  option_set_choice, FIELD(mmap), .choices = choices_when, .key = true },
	{ "sink-timeout", 0, "SECONDS", "give up on an output if one operation on it takes longer; 0: "
	  "never (600)", .set = setting_set_sink_timeout, .key = true },
	{ "serial", 0, NULL, "use no threads: one chunk at a time", option_set_bool,
	  FIELD(capture.serial) },

	{ NULL, .help = "Members" },
	{ "output", 0, "OUTPUT", "", setting_add_outputs, FIELD(configured), .key_only = true },
	{ "fallback", 0, "OUTPUT", "use OUTPUT only if all others have failed or are full",
	  setting_add_outputs, FIELD(fallbacks), .key = true },
	{ "filter", 0, "COMMAND", "pipe each member to COMMAND, which writes to \"$FILE\"",
	  setting_set_filter, FIELD(filter), .key = true },
	{ "also", 0, "OUTPUT", "write to OUTPUT as well; may be repeated", setting_add_outputs, FIELD(also),
	  .key = true },
	{ "stripe", 0, NULL, "write chunk k to output k modulo the number of outputs, in order",
	  option_set_bool, FIELD(capture.stripe), .negatable = true, .key = true },
	{ "digest", 0, NULL, "write the SHA-256 of a dump to FILE.sha256, and a root into each member",
	  setting_set_digest, FIELD(capture.digest), .negatable = true, .key = true },
	{ "uuid", 0, "UUID", "identify the set by UUID (default: random)", .set = setting_set_uuid },
	{ "force", 'f', NULL, "overwrite files and blank devices",
	  option_set_bool, FIELD(force), .negatable = true, .key = true, .basic = true },
	/* These two are no keys.  After a crash, nobody checks what the device holds, and -f overwrites old dumps. */
	{ "overwrite-dumps", 0, NULL, "as -f, and overwrite cores, dumps and members, too",
	  option_set_bool, FIELD(overwrite_dumps) },
	{ "overwrite-devices", 0, NULL, "with -f, overwrite block devices whatever they hold",
	  option_set_bool, FIELD(overwrite_devices) },
	{ "any-owner", 0, NULL, "write to files (with -f) and named pipes of other users",
	  option_set_bool, FIELD(any_owner), .negatable = true, .key = true },
	{ "dry-run", 'n', NULL, "print what would be done, and the memory for it",
	  option_set_bool, FIELD(dry_run), .basic = true },
	{ "check-params", 0, NULL, "check the setup; print only problems (-v: all items)",
	  option_set_bool, FIELD(check_params), .basic = true },
	{ "capture-only", 0, NULL, "with --check-params: only what the capture needs, not the system's "
	  "kdump and its initramfs", option_set_bool, FIELD(capture_only) },
	{ "drill", 0, "crash", "try a capture of made-up data; crash: print commands",
	  .set = setting_set_drill, .choices = drills, .absent = "", .basic = true },
	{ "drill-size", 0, "SIZE", "make up SIZE bytes (default: what --estimate expects a dump to keep)",
	  option_set_size, FIELD(drill_size), .least = DRILL_SIZE_MIN, .most = OFFSET_MAX },
	{ "drill-memory", 0, "SIZE", "leave SIZE bytes to the drill (default: what crashkernel= leaves)",
	  option_set_size, FIELD(drill_memory), .least = 1, .most = OFFSET_MAX },
	{ "drill-remove", 0, "COMMAND", "", setting_add_commands, FIELD(drill_remove), .key_only = true },
	{ "estimate", 0, NULL, "print size, time and room of a dump of this machine", option_set_bool,
	  FIELD(estimate), .basic = true },
	{ "json", 0, NULL, "with --check-params or --estimate: print a JSON object", option_set_bool, FIELD(json) },
	{ "config", 0, "FILE", "read settings from FILE instead of /etc/nsplit.conf", .set = setting_set_config,
	  .early = true },
	{ "no-config", 0, NULL, "read no settings from a file", .set = setting_set_no_config, .early = true },
	{ NULL, .help = "undo the option if it was given before or in the file",
	  .negatable = true },

	{ NULL, .help = "Messages" },
	{ "progress", 0, "WHEN", "show progress: auto (the default; not with -q), always or never",
	  option_set_choice, FIELD(progress), .choices = choices_when, .absent = "always",
	  .key = true },
	{ "stats", 0, "FILE", "write all figures as a JSON object to FILE", option_set_text,
	  FIELD(stats_file), .key = true },
	{ "quiet", 'q', NULL, "print only warnings and errors", option_set_bool, FIELD(quiet),
	  .negatable = true, .key = true },
	{ "verbose", 'v', NULL, "print more details", option_set_bool, FIELD(verbose),
	  .negatable = true, .key = true },
	OPTION_HELP,
	OPTION_VERSION,
};

const struct option_table nsplit_option_table = {
	.program = "nsplit",
	.usage =
"Usage: nsplit [OPTION]... SOURCE OUTPUT...\n"
"Save the memory of a crashed machine to OUTPUTs at once; njoin restores it.\n"
"SOURCE is /proc/vmcore, a file, a device or -.  An OUTPUT is a file, a device\n"
"(with -f), - or '|COMMAND'; {0..7} in it stands for eight, {now} for the time.\n",
	.operands =
"- is standard input or output, and a COMMAND reads a member.  An OUTPUT can also\n"
"be a named pipe, a character device, or null:, which discards all data.  In its\n"
"name, {now} is the time as YYYYMMDDHHMMSS; {A..B} stands for all numbers or\n"
"letters from A to B, {A,B} for A and B, and \\{ for a brace.\n"
"--check-params, --drill and --estimate have the same operands; before a single\n"
"new OUTPUT, /proc/vmcore may be left out.\n",
	.entries = entries,
	.count = sizeof(entries) / sizeof(entries[0]),
	.examples =
"  nsplit -c /proc/vmcore '/mnt/disk{0..7}/core-{now}'\n"
"  nsplit -d31 -C zstd:3 /proc/vmcore /mnt/a '|ssh host \"umask 077; cat > b\"'\n"
"  nsplit --check-params -c -d31 /proc/vmcore /mnt/a\n",
	.notes =
"SIZE takes a suffix: K, M, G, T are powers of 1024; kB, MB, GB, TB of 1000.\n"
"SIGUSR1 prints progress at once; SIGINT, SIGTERM and SIGHUP close the members.\n"
"SOURCE_DATE_EPOCH in the environment sets the times in the members.\n"
"\n"
"Exit status: 0: the copy is complete; 1: failure; 2: usage error; 3: finished,\n"
"but data is missing, and is listed.\n",
	.foreign = foreign_to_nsplit,
};

bool setting_is_list(const struct option_entry *entry)
{
	return entry->set == setting_add_outputs || entry->set == setting_add_commands;
}

void setting_begin(struct nsplit_options *o, const struct option_entry *entry)
{
	if (setting_is_list(entry))
		names_free(setting_list(o, entry));
	else if (entry->offset == offsetof(struct nsplit_options, left_out))
		o->left_out = (struct left_out_option){ 0 };
}

void settings_init_sizes(struct nsplit_options *o)
{
	o->capture.block_size = BLOCK_SIZE_MIN;
	o->block_size_given = false;
	o->capture.chunk_size = CHUNK_SIZE_DEFAULT;
	o->capture.chunk_size_free = true;
}

void settings_init_codec(struct nsplit_options *o)
{
	struct error ignored;

	/* Cannot fail: every build has this codec. */
	setting_choose_codec(o, "raw", &ignored);
}

void settings_init(struct nsplit_options *o)
{
	*o = (struct nsplit_options){ 0 };
	stamp_now(o->now);
	settings_init_sizes(o);
	o->capture.threads = threads_default();
	o->capture.sink_timeout = SINK_TIMEOUT_DEFAULT;
	settings_init_codec(o);
}
