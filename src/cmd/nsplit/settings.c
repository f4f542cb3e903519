// SPDX-License-Identifier: GPL-2.0-or-later
/* The settings of nsplit: the table of its options and keys, their setters, and the configuration file. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/option_table.h"
#include "base/text.h"
#include "cmd/common/common_options.h"
#include "cmd/nsplit/options.h"
#include "io/existing.h"
#include "io/transfer.h"

enum { SINK_TIMEOUT_MAX = 1000000, TIME_LIMIT_MAX = 3600000 };	/* seconds */

/* --- codec --------------------------------------------------------------- */

enum status setting_choose_codec(struct nsplit_options *o, const char *text, struct error *e)
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

/* Options without a value are called like their codec. */
static enum status setting_set_codec(void *settings, const struct option_call *call, struct error *e)
{
	return setting_choose_codec(settings, call->entry->argument ? call->text : call->entry->name, e);
}

/* --- sizes and numbers --------------------------------------------------- */

static enum status setting_set_block_size(void *settings, const struct option_call *call, struct error *e)
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

static enum status setting_set_threads(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status = option_set_number(settings, call, e);

	o->threads_given |= !status;
	return status;
}

/* Digits, optionally with a decimal point between them. */
static enum status setting_set_sink_timeout(void *settings, const struct option_call *call, struct error *e)
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

/* "10m", "90s", "2h", or a number of seconds. */
static enum status setting_set_time_limit(void *settings, const struct option_call *call, struct error *e)
{
	static const char units[] = "smh";
	struct nsplit_options *o = settings;
	size_t digits = strspn(call->text, "0123456789");
	const char *unit = call->text + digits;
	uint64_t seconds, factor = 1;

	if (!digits || (*unit && (unit[1] || !strchr(units, *unit))))
		return error_set(e, STATUS_USAGE, "%s: '%s' is not a time; use a number with s, m or h, as in 10m",
				 call->called, call->text);
	for (const char *u = units; *unit && *u != *unit; u++)
		factor *= 60;
	seconds = strtoull(call->text, NULL, 10);
	if (!seconds || seconds > TIME_LIMIT_MAX / factor)
		return error_set(e, STATUS_USAGE, "%s %s is out of range; use 1 second to %d hours", call->called, call->text,
				 TIME_LIMIT_MAX / 3600);
	o->capture.limits.seconds = seconds * factor;
	return STATUS_OK;
}

/* --- the set ------------------------------------------------------------- */

static enum status setting_set_uuid(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	if (!uuid_parse(call->text, &o->capture.id.uuid))
		return error_set(e, STATUS_USAGE, "%s: '%s' is not a UUID", call->called, call->text);
	o->uuid_given = true;
	return STATUS_OK;
}

/* "--no-digest" is always possible. */
static enum status setting_set_digest(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status;
	bool wanted = o->capture.digest;

	status = option_set_bool(settings, call, e);
	if (status || !o->capture.digest || digest_supported())
		return status;
	o->capture.digest = wanted;
	return error_set(e, STATUS_USAGE, "%s: this build of nsplit cannot compute digests, because it was made "
			 "without the library nettle", call->called);
}

/* --- commands ------------------------------------------------------------ */

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

static enum status setting_set_filter(void *settings, const struct option_call *call, struct error *e)
{
	if (!call->text[strspn(call->text, " \t\n")])
		return error_set(e, STATUS_USAGE, "%s: the command is empty", call->called);
	if (!uses_file(call->text))
		return error_set(e, STATUS_USAGE, "%s: the command must contain $FILE, the name of "
				 "its output, as in 'gzip > \"$FILE\"'", call->called);
	return option_set_text(settings, call, e);
}

/* --- what nsplit does ---------------------------------------------------- */

/* The last of --config and --no-config takes effect. */
static enum status setting_set_no_config(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	(void)call;
	(void)e;
	o->config_choice = "";
	return STATUS_OK;
}

static enum status setting_set_drill(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	if (*call->text && strcmp(call->text, call->entry->choices[0]) != 0)
		return error_set(e, STATUS_USAGE, "%s '%s' is not one of: crash", call->called, call->text);
	o->drill = *call->text ? DRILL_CRASH : DRILL_RUN;
	return STATUS_OK;
}

/* --- {now} --------------------------------------------------------------- */

static const char mark[] = "{now}";

/* In UTC, since an initramfs seldom knows its time zone. */
static void stamp_now(char stamp[STAMP_LENGTH + 1])
{
	time_t now = time(NULL);
	struct tm tm;

	/* A wrong clock must not prevent a capture. */
	if (!gmtime_r(&now, &tm) || !strftime(stamp, STAMP_LENGTH + 1, "%Y%m%d%H%M%S", &tm))
		strcpy(stamp, "0");
}

static const char *find_mark(const char *pattern, bool command)
{
	const char *found = strstr(pattern, mark);

	while (found && !command && found > pattern && found[-1] == '\\')
		found = strstr(found + 1, mark);
	return found;
}

enum status stamp_expand(struct names *list, const char *pattern, const char *stamp, size_t limit,
			 struct error *e)
{
	/* A command has braces for its shell, which must stay. */
	const char *found = find_mark(pattern, pattern[0] == '|');
	enum status status;
	char *name;

	if (!found)
		return names_expand(list, pattern, limit, e);
	if (asprintf(&name, "%.*s%s%s", (int)(found - pattern), pattern, stamp,
		     found + strlen(mark)) < 0)
		return error_system(e, ENOMEM, "list of names");
	/* The rest of the name may hold another {now}. */
	status = stamp_expand(list, name, stamp, limit, e);
	free(name);
	return status;
}

/* --- lists --------------------------------------------------------------- */

static struct names *setting_list(struct nsplit_options *o, const struct option_entry *entry)
{
	return (struct names *)((char *)o + entry->offset);
}

/* {now} and braces as in an output that is a command. */
static enum status setting_add_commands(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status;
	char *output;

	if (!call->text[strspn(call->text, " \t\n")])
		return error_set(e, STATUS_USAGE, "%s: the command is empty", call->called);
	if (asprintf(&output, "|%s", call->text) < 0)
		return error_system(e, ENOMEM, "%s", call->called);
	status = stamp_expand(setting_list(o, call->entry), output, o->now, MEMBERS_MAX, e);
	free(output);
	return status ? error_prefix(e, "%s: ", call->called) : STATUS_OK;
}

static enum status setting_add_outputs(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	if (!*call->text)
		return error_set(e, STATUS_USAGE, "%s: the name of the output is empty",
				 call->called);
	if (stamp_expand(setting_list(o, call->entry), call->text, o->now, MEMBERS_MAX, e))
		return error_prefix(e, "%s: ", call->called);
	return STATUS_OK;
}

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
	{ "raw", 'r', NULL, "do not compress (the default)", .set = setting_set_codec },
	{ "lzo", 'c', NULL, "compress with LZO1X", .set = setting_set_codec, .basic = true },
	{ "snappy", 's', NULL, "compress with Snappy", .set = setting_set_codec },
	{ "lz4", 'l', NULL, "compress with LZ4", .set = setting_set_codec },
	{ "zstd", 'z', NULL, "compress with Zstandard, level 1", .set = setting_set_codec },
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

	{ "read-all", 0, NULL, "read offline and poisoned pages, too, last: that may stop the machine",
	  option_set_bool, FIELD(read_all), .negatable = true, .key = true },
	{ "format", 0, "FORM", "members; kdump or elf: a dump that crash opens",
	  option_set_choice, FIELD(format), .choices = formats, .key = true, .basic = true },

	{ NULL, .help = "Limits" },
	{ "size-limit", 0, "SIZE", "end when all OUTPUTs together have SIZE bytes", option_set_size,
	  FIELD(capture.limits.size), .least = 1, .most = OFFSET_MAX, .key = true },
	{ "keep-free", 0, "SIZE", "end a file when its file system has no more than SIZE bytes free", option_set_size,
	  FIELD(capture.limits.keep_free), .least = 1, .most = OFFSET_MAX, .key = true },
	{ "time-limit", 0, "TIME", "end after TIME, as in 90s, 10m or 2h, with everything closed",
	  .set = setting_set_time_limit, .key = true },

	{ NULL, .help = "Work and memory" },
	{ "threads", 'j', "N", "compress on N threads (default: one per usable CPU)",
	  setting_set_threads, FIELD(capture.threads), .least = 1, .most = THREADS_MAX, .key = true,
	  .basic = true },
	{ "blocksize", 'b', "SIZE", "compress SIZE bytes at a time: a power of two from 4K to 1M "
	  "(4K, or 16K: nsplit(1))",
	  .set = setting_set_block_size, .key = true },
	{ "chunksize", 0, "SIZE", "bytes of the source in each record: a multiple of the block size, "
	  "up to 64M (1M)", option_set_size, FIELD(capture.chunk_size),
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
	{ "estimate", 0, NULL, "print size and duration of a dump, and whether it fits", option_set_bool,
	  FIELD(estimate), .basic = true },
	{ "json", 0, NULL, "with --check-params or --estimate: print a JSON object", option_set_bool, FIELD(json) },
	{ "config", 0, "FILE", "read settings from FILE instead of /etc/nsplit.conf", option_set_text,
	  FIELD(config_choice), .early = true },
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
"- is standard input or output; a COMMAND reads its member from standard input.\n"
"An OUTPUT can also be a named pipe, a character device, or null:, which discards\n"
"all data.  In its name, {now} is the time as YYYYMMDDHHMMSS; {A..B} stands for\n"
"all numbers or letters from A to B, {A,B} for A and B, and \\{ for a brace.\n"
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
};

static bool setting_is_list(const struct option_entry *entry)
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

/* --- the configuration file ---------------------------------------------- */

/*
 * "key = value" lines.  White space around the key and the value is ignored.  A line whose
 * first character is # is a comment; a # later in a line is part of the value, which may be a
 * command or a name.  Empty lines are ignored.
 */

/* Bytes in a file.  A larger file is not a configuration file. */
enum { CONFIG_MAX = 64 * 1024 };

static const char white[] = " \t\r\f\v";
static const char default_file[] = "/etc/nsplit.conf";

/* Without the white space at both ends; cut in place. */
static char *trimmed(char *text)
{
	size_t length;

	text += strspn(text, white);
	for (length = strlen(text); length && strchr(white, text[length - 1]); length--)
		continue;
	text[length] = '\0';
	return text;
}

/* The entry of a key, or NULL. */
static const struct option_entry *find_key(const char *key, struct error *e)
{
	struct nearest nearest;

	nearest_begin(&nearest, key);
	for (const struct option_entry *entry = entries; entry < entries + nsplit_option_table.count; entry++) {
		if (!entry->key && !entry->key_only)
			continue;
		if (strcmp(entry->name, key) == 0)
			return entry;
		nearest_offer(&nearest, entry->name);
	}
	if (nearest.best)
		error_set(e, STATUS_USAGE, "unknown key '%s'; do you mean '%s'? nsplit.conf(5) lists all", key,
			  nearest.best);
	else
		error_set(e, STATUS_USAGE, "unknown key '%.100s'; see nsplit.conf(5)", key);
	return NULL;
}

static bool has_command(const struct option_call *call)
{
	return call->entry->set == setting_set_filter || call->entry->set == setting_add_commands ||
	       (call->entry->set == setting_add_outputs && *call->text == '|');
}

/*
 * A command of which others may write the program is not run either; its directory of PATH is trusted.  Only a first word
 * that the shell takes as it is names the program.
 */
static enum status refuse_program(const struct option_call *call, struct error *e)
{
	const char *word = call->text + (*call->text == '|');
	size_t length;
	char program[128];

	word += strspn(word, " \t\n");
	length = strcspn(word, " \t\n|&;");
	if (length >= sizeof(program) || strcspn(word, "\"'\\`$(){}[]<>=*?#~!") < length)
		return STATUS_OK;
	memcpy(program, word, length);
	program[length] = '\0';
	if (!strchr(program, '/') || access(program, F_OK))
		return STATUS_OK;
	return writers_refuse(program, e) ? error_prefix(e, "%s: ", call->called) : STATUS_OK;
}

/* line_of: by the number of the entry; 0: not set so far. */
static enum status set_key(struct nsplit_options *o, unsigned line_of[OPTIONS_MAX], unsigned number, const char *key,
			   const char *value, struct error *e)
{
	const struct option_call call = {
		.table = &nsplit_option_table, .entry = find_key(key, e), .called = key, .text = value,
	};
	enum status status;
	unsigned *line;

	if (!call.entry)
		return e->status;
	line = &line_of[call.entry - entries];
	/* Refused, because it is unclear which of the two lines is meant. */
	if (*line && !setting_is_list(call.entry))
		return error_set(e, STATUS_USAGE, "key '%s' is already set in line %u", key, *line);
	if (has_command(&call) && o->config_unsafe.status) {
		o->config_commands = true;
		o->config_filter |= call.entry->set == setting_set_filter;
		return STATUS_OK;
	}
	status = has_command(&call) ? refuse_program(&call, e) : STATUS_OK;
	if (!status)
		status = option_set(o, &call, e);
	if (!status)
		*line = number;
	return status;
}

static enum status read_line(struct nsplit_options *o, unsigned line_of[OPTIONS_MAX], unsigned number, char *line,
			     size_t length, struct error *e)
{
	char *equals;

	if (memchr(line, '\0', length))
		return error_set(e, STATUS_USAGE, "contains a NUL byte");
	line = trimmed(line);
	if (!*line || *line == '#')
		return STATUS_OK;
	equals = strchr(line, '=');
	if (!equals || equals == line)
		return error_set(e, STATUS_USAGE, "'%.100s' is not of the form 'key = value'", line);
	*equals = '\0';
	return set_key(o, line_of, number, trimmed(line), trimmed(equals + 1), e);
}

/* text[length] is overwritten. */
static enum status read_lines(struct nsplit_options *o, char *text, size_t length,
			      const struct mistake_reporter *reporter, struct error *e)
{
	unsigned line_of[OPTIONS_MAX] = { 0 };
	char *end = text + length;

	for (unsigned number = 1; text < end; number++) {
		char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline)
			newline = end;
		*newline = '\0';
		if (read_line(o, line_of, number, text, (size_t)(newline - text), e)) {
			error_prefix(e, "%s:%u: ", o->config, number);
			if (e->status != STATUS_USAGE || !reporter)
				return e->status;
			reporter->report(reporter->arg, e);
		}
		text = newline + 1;
	}
	return STATUS_OK;
}

/* *text is NULL, or has CONFIG_MAX + 1 bytes, which the caller frees, even after an error. */
static enum status read_file(const char *file, char **text, size_t *length, struct error *e)
{
	/* O_NONBLOCK: open() would wait for the writer of a pipe, which is refused. */
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	enum status status = STATUS_OK;
	struct stat st;

	if (fd < 0)
		return error_system(e, errno, "%s", file);
	*text = malloc(CONFIG_MAX + 1);
	errno = *text ? 0 : ENOMEM;
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		status = error_set(e, STATUS_USAGE, "%s: is not a regular file", file);
	else if (!errno)
		*length = transfer_pread(fd, *text, CONFIG_MAX + 1, 0);
	if (!status && errno)
		status = error_system(e, errno, "%s", file);
	else if (!status && *length > CONFIG_MAX)
		status = error_set(e, STATUS_USAGE, "%s: is longer than %d bytes", file, CONFIG_MAX);
	close(fd);
	return status;
}

enum status nsplit_config_read(struct nsplit_options *o, const struct mistake_reporter *reporter, struct error *e)
{
	enum status status;
	size_t length = 0;

	o->config = o->config_choice ? o->config_choice : getenv("NSPLIT_CONFIG");
	if (!o->config)
		o->config = default_file;
	if (!*o->config) {
		o->config = NULL;
		return STATUS_OK;
	}
	if (access(o->config, F_OK) == 0)
		writers_refuse(o->config, &o->config_unsafe);
	status = read_file(o->config, &o->config_text, &length, e);
	if (status == STATUS_SYSTEM && e->errnum == ENOENT && o->config == default_file) {
		o->config = NULL;
		return STATUS_OK;
	}
	if (!status)
		status = read_lines(o, o->config_text, length, reporter, e);
	if (!status || status == STATUS_NO_MEMORY || !reporter)
		return status;
	reporter->report(reporter->arg, e);
	return STATUS_OK;
}
