// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/option_set.h"
#include "base/size.h"
#include "base/alignment.h"
#include "cmd/common/foreign_options.h"
#include "cmd/nsplit/settings.h"

enum {
	CHUNK_SIZE_DEFAULT = 1 << 20,
	SINK_TIMEOUT_MAX = 1000000,	/* seconds */
	DRILL_SIZE_MIN = 1 << 20,
};

enum status settings_choose_codec(struct nsplit_options *o, const char *text, struct error *e)
{
	struct capture_settings *c = &o->capture;
	enum status status = presets_find(text, &c->presets, e);

	if (status)
		return status;
	if (c->presets.count == 1)
		preset_format(&c->presets.list[0], o->codec_text);
	else
		snprintf(o->codec_text, sizeof(o->codec_text), "%s", text);
	c->codec_text = o->codec_text;
	return STATUS_OK;
}

static enum status set_codec(void *settings, const struct option_call *call, struct error *e)
{
	return settings_choose_codec(settings, call->text, e);
}

/* Of the options that are called like their codec. */
static enum status set_named_codec(void *settings, const struct option_call *call,
				   struct error *e)
{
	return settings_choose_codec(settings, call->entry->name, e);
}

static enum status set_block_size(void *settings, const struct option_call *call,
				  struct error *e)
{
	struct nsplit_options *o = settings;
	uint64_t size;

	if (size_parse(call->text, &size, e))
		return error_prefix(e, "%s: ", call->called);
	if (!block_size_valid(size))
		return error_set(e, STATUS_USAGE, "%s must be a power of two from 4096 to 1048576, "
				 "not '%s'", call->called, call->text);
	o->capture.block_size = (uint32_t)size;
	o->block_size_given = true;
	return STATUS_OK;
}

static enum status set_chunk_size(void *settings, const struct option_call *call,
				  struct error *e)
{
	struct nsplit_options *o = settings;

	o->capture.chunk_size_free = false;
	return option_set_size(settings, call, e);
}

/* Digits, optionally with a decimal point between them. */
static enum status set_sink_timeout(void *settings, const struct option_call *call,
				    struct error *e)
{
	struct nsplit_options *o = settings;
	const char *text = call->text;
	size_t whole = strspn(text, "0123456789"), fraction = 0;
	double seconds;

	if (whole && text[whole] == '.')
		fraction = 1 + strspn(text + whole + 1, "0123456789");
	if (!whole || fraction == 1 || text[whole + fraction])
		return error_set(e, STATUS_USAGE, "%s '%s' is not a number of seconds",
				 call->called, text);
	seconds = strtod(text, NULL);
	if (seconds > SINK_TIMEOUT_MAX || (seconds > 0 && seconds < 0.1))
		return error_set(e, STATUS_USAGE, "%s %s is out of range; use 0.1 to %d "
				 "seconds, or 0", call->called, text, SINK_TIMEOUT_MAX);
	o->capture.sink_timeout = seconds;
	return STATUS_OK;
}

static enum status set_uuid(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	if (!uuid_parse(call->text, &o->capture.id.uuid))
		return error_set(e, STATUS_USAGE, "%s: '%s' is not a UUID", call->called, call->text);
	o->uuid_given = true;
	return STATUS_OK;
}

/* "--no-digest" is always possible. */
static enum status set_digest(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status;
	bool wanted = o->capture.digest;

	status = option_set_bool(settings, call, e);
	if (status || !o->capture.digest || digest_supported())
		return status;
	o->capture.digest = wanted;
	return error_set(e, STATUS_USAGE, "%s: this build of nsplit cannot compute digests, because it was made without the "
			 "library nettle", call->called);
}

/* Will the shell replace $FILE or ${FILE...} in it? */
static bool uses_file(const char *text)
{
	while ((text = strchr(text, '$'))) {
		text++;
		text += *text == '{';
		if (strncmp(text, "FILE", 4) == 0 && !isalnum((unsigned char)text[4]) &&
		    text[4] != '_')
			return true;
	}
	return false;
}

static enum status set_filter(void *settings, const struct option_call *call, struct error *e)
{
	if (!call->text[strspn(call->text, " \t\n")])
		return error_set(e, STATUS_USAGE, "%s: the command is empty", call->called);
	if (!uses_file(call->text))
		return error_set(e, STATUS_USAGE, "%s: the command must contain $FILE, the name of "
				 "its output, as in 'gzip > \"$FILE\"'", call->called);
	return option_set_text(settings, call, e);
}

/* The last of --config and --no-config takes effect. */
static enum status set_config(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	(void)e;
	o->config_choice = (struct config_choice){ .file = call->text };
	return STATUS_OK;
}

static enum status set_no_config(void *settings, const struct option_call *call,
				 struct error *e)
{
	struct nsplit_options *o = settings;

	(void)call;
	(void)e;
	o->config_choice = (struct config_choice){ .none = true };
	return STATUS_OK;
}

static struct names *list_of(struct nsplit_options *o, const struct option_entry *entry)
{
	return (struct names *)((char *)o + entry->offset);
}

static enum status set_threads(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status = option_set_number(settings, call, e);

	o->threads_given |= !status;
	return status;
}

static const char *const drills[] = { "crash", NULL };

static enum status set_drill(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	if (*call->text && strcmp(call->text, drills[0]) != 0)
		return error_set(e, STATUS_USAGE, "%s '%s' is not one of: crash", call->called, call->text);
	o->drill = *call->text ? DRILL_CRASH : DRILL_RUN;
	return STATUS_OK;
}

/* {now} and braces as in an output that is a command. */
static enum status add_commands(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status;
	char *output;

	if (!call->text[strspn(call->text, " \t\n")])
		return error_set(e, STATUS_USAGE, "%s: the command is empty", call->called);
	if (asprintf(&output, "|%s", call->text) < 0)
		return error_system(e, ENOMEM, "%s", call->called);
	status = stamp_expand(list_of(o, call->entry), output, o->now, MEMBERS_MAX, e);
	free(output);
	return status ? error_prefix(e, "%s: ", call->called) : STATUS_OK;
}

static enum status add_outputs(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	if (!*call->text)
		return error_set(e, STATUS_USAGE, "%s: the name of the output is empty",
				 call->called);
	if (stamp_expand(list_of(o, call->entry), call->text, o->now, MEMBERS_MAX, e))
		return error_prefix(e, "%s: ", call->called);
	return STATUS_OK;
}

/* In the order of enum nsplit_format. */
static const char *const formats[] = { "members", "kdump", "elf", NULL };

#define FIELD(field) OPTION_FIELD(struct nsplit_options, field)

static const struct option_entry entries[] = {
	{ NULL, .help = "Codec" },
	{ "raw", 'r', NULL, "do not compress (the default)", .set = set_named_codec },
	{ "lzo", 'c', NULL, "compress with LZO1X", .set = set_named_codec, .basic = true },
	{ "snappy", 's', NULL, "compress with Snappy", .set = set_named_codec },
	{ "lz4", 'l', NULL, "compress with LZ4", .set = set_named_codec },
	{ "zstd", 'z', NULL, "compress with Zstandard, level 1", .set = set_named_codec },
	{ "compress", 'C', "NAME[:LEVEL]", "any codec of --list-codecs; auto: whichever is fastest",
	  .set = set_codec, .value = codec_value, .key = true, .basic = true },
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
	  set_threads, FIELD(capture.threads), .least = 1, .most = THREADS_MAX, .key = true,
	  .basic = true },
	{ "blocksize", 'b', "SIZE", "compress SIZE bytes at a time: a power of two from 4K to 1M "
	  "(4K, or 16K: nsplit(1))",
	  .set = set_block_size, .key = true },
	{ "chunksize", 0, "SIZE", "bytes of the source in each record: a multiple of the block size, "
	  "up to 64M (1M)", set_chunk_size, FIELD(capture.chunk_size),
	  .least = BLOCK_SIZE_MIN, .most = CHUNK_SIZE_MAX, .key = true },
	{ "mem-limit", 0, "SIZE", "use at most SIZE bytes of memory, with fewer chunks in memory if "
	  "necessary", option_set_size, FIELD(capture.memory_limit),
	  .least = 1, .most = OFFSET_MAX, .key = true },
	{ "direct", 0, "WHEN", "use direct I/O: auto (the default), always or never",
	  option_set_choice, FIELD(direct), .choices = choices_when, .key = true },
	{ "mmap", 0, "WHEN", "map the source: auto (the default: files in /proc), always or never",
	  option_set_choice, FIELD(mmap), .choices = choices_when, .key = true },
	{ "sink-timeout", 0, "SECONDS", "give up on an output if one operation on it takes longer; 0: "
	  "never (600)", .set = set_sink_timeout, .key = true },
	{ "serial", 0, NULL, "use no threads: one chunk at a time", option_set_bool,
	  FIELD(capture.serial) },

	{ NULL, .help = "Members" },
	{ "output", 0, "OUTPUT", "", add_outputs, FIELD(configured), .key_only = true },
	{ "fallback", 0, "OUTPUT", "use OUTPUT only if all others have failed or are full",
	  add_outputs, FIELD(fallbacks), .key = true, .basic = true },
	{ "filter", 0, "COMMAND", "pipe each member to COMMAND, which writes to \"$FILE\"",
	  set_filter, FIELD(filter), .key = true, .basic = true },
	{ "also", 0, "OUTPUT", "write to OUTPUT as well; may be repeated", add_outputs, FIELD(also),
	  .key = true },
	{ "stripe", 0, NULL, "write chunk k to output k modulo the number of outputs, in order",
	  option_set_bool, FIELD(capture.stripe), .negatable = true, .key = true },
	{ "digest", 0, NULL, "write the SHA-256 of a dump to FILE.sha256, and a root into each member",
	  set_digest, FIELD(capture.digest), .negatable = true, .key = true },
	{ "uuid", 0, "UUID", "identify the set by UUID (default: random)", .set = set_uuid },
	{ "force", 'f', NULL, "overwrite files, blank devices, and old members",
	  option_set_bool, FIELD(force), .negatable = true, .key = true, .basic = true },
	/* Not a key: after a crash, nobody checks what the device holds. */
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
	{ "drill", 0, "crash", "capture made-up data as after a crash, verify and remove it; crash: only print the "
	  "commands of a crash", .set = set_drill, .choices = drills, .absent = "" },
	{ "drill-size", 0, "SIZE", "make up SIZE bytes (default: what --estimate expects a dump to keep)",
	  option_set_size, FIELD(drill_size), .least = DRILL_SIZE_MIN, .most = OFFSET_MAX },
	{ "drill-memory", 0, "SIZE", "leave SIZE bytes to the drill (default: what crashkernel= leaves)",
	  option_set_size, FIELD(drill_memory), .least = 1, .most = OFFSET_MAX },
	{ "drill-remove", 0, "COMMAND", "", add_commands, FIELD(drill_remove), .key_only = true },
	{ "estimate", 0, NULL, "print size, time, memory and room of a dump of this machine; takes no "
	  "SOURCE", option_set_bool, FIELD(estimate) },
	{ "json", 0, NULL, "with --check-params or --estimate: print a JSON object", option_set_bool, FIELD(json) },
	{ "config", 0, "FILE", "read settings from FILE instead of /etc/nsplit.conf", .set = set_config,
	  .early = true },
	{ "no-config", 0, NULL, "read no settings from a file", .set = set_no_config, .early = true },
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
"letters from A to B, {A,B} for A and B, and \\{ for a brace.\n",
	.entries = entries,
	.count = sizeof(entries) / sizeof(entries[0]),
	.examples =
"  nsplit -c /proc/vmcore '/mnt/disk{0..7}/core-{now}'\n"
"  nsplit -d31 -C zstd:3 /proc/vmcore /mnt/a '|ssh host \"umask 077; cat > b\"'\n"
"  nsplit --filter='gzip > \"$FILE\"' --fallback=/mnt/c vmcore /mnt/a /mnt/b\n",
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
	return entry->set == add_outputs || entry->set == add_commands;
}

void setting_begin(struct nsplit_options *o, const struct option_entry *entry)
{
	if (setting_is_list(entry))
		names_free(list_of(o, entry));
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
	settings_choose_codec(o, "raw", &ignored);
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
