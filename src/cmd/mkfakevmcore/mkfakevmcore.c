// SPDX-License-Identifier: GPL-2.0-or-later
/* mkfakevmcore: writes or checks a core like /proc/vmcore. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/option_table.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "export/output_file.h"
#include "fakevmcore/stream.h"
#include "io/existing.h"

#define SIZE_DEFAULT (64ULL << 20)

struct mkfakevmcore {
	struct core core;
	bool check, force, overwrite_dumps, any_owner;
	const char *file;	/* "-": standard input or output */
};

/* A size that the field cannot hold becomes one that core_check() rejects. */
static enum status set_block_size(void *settings, const struct option_call *call,
				  struct error *e)
{
	struct mkfakevmcore *r = settings;
	uint64_t size;
	enum status status = option_parse_size(call, call->text, &size, e);

	if (!status)
		r->core.pattern.block_size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	return status;
}

static enum status set_pattern(void *settings, const struct option_call *call, struct error *e)
{
	struct mkfakevmcore *r = settings;

	return core_pattern(call->text, call->called, &r->core.pattern.kind, e);
}

#define FIELD(field) OPTION_FIELD(struct mkfakevmcore, field)

static const struct option_entry entries[] = {
	{ "size", 's', "SIZE", "size of the file (64M)", option_set_size, FIELD(core.size),
	  .most = OFFSET_MAX, .basic = true },
	{ "block-size", 'b', "SIZE", "block size of the pattern, 4K to 1M (4K)",
	  .set = set_block_size, .most = OFFSET_MAX },
	{ "seed", 'S', "NUMBER", "seed of all random values (0)", option_set_number,
	  FIELD(core.pattern.seed), .most = UINT64_MAX },
	{ "pattern", 'p', "NAME", "random, zero, same, text or mixed (mixed)", .set = set_pattern,
	  .value = pattern_name,
	  .basic = true },
	{ "compressible", 'C', "PERCENT", "part of each random block that is zero (0)",
	  option_set_number, FIELD(core.pattern.compressible), .most = 100, .basic = true },
	{ "pool", 'P', "SIZE", "repeat the blocks after SIZE bytes (64M)", option_set_size,
	  FIELD(core.pattern.pool_size), .most = OFFSET_MAX },
	{ "check", 'c', NULL, "compare FILE (- for standard input) instead", option_set_bool,
	  FIELD(check), .basic = true },
	{ "force", 'f', NULL, "overwrite an existing file", option_set_bool, FIELD(force),
	  .basic = true },
	{ "overwrite-dumps", 0, NULL, "as -f, and overwrite cores, dumps and members, too",
	  option_set_bool, FIELD(overwrite_dumps) },
	{ "any-owner", 0, NULL, "write to files (with -f) and named pipes of other users",
	  option_set_bool, FIELD(any_owner) },
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option_table table = {
	.program = "mkfakevmcore",
	.usage =
"Usage: mkfakevmcore [OPTION]... FILE\n"
"Write an ELF core like /proc/vmcore to FILE (- for standard output).\n"
"The same options give the same bytes on any machine.\n",
	.entries = entries,
	.count = sizeof(entries) / sizeof(entries[0]),
	.examples =
"  mkfakevmcore --size=1G core\n"
"  njoin -o - a b | mkfakevmcore --size=1G --check -\n"
"  mkfakevmcore --pattern=random --compressible=50 core\n",
	.notes =
"SIZE takes a suffix: K, M, G, T are powers of 1024; kB, MB, GB, TB of 1000.\n"
"\n"
"Exit status: 0: success (with --check: FILE is identical); 1: failure; 2: usage\n"
"error, or FILE exists.\n",
};

/* --- the file ------------------------------------------------------------------------ */

static enum status make(const struct mkfakevmcore *r, struct error *e)
{
	unsigned permits = (r->force || r->overwrite_dumps ? PERMIT_OVERWRITE : 0) |
			   (r->overwrite_dumps ? PERMIT_DUMPS : 0) | (r->any_owner ? PERMIT_ANY_OWNER : 0);
	struct output_file output;
	enum status status = output_file_probe(&output, r->file, permits, false, e);

	if (!status)
		status = output_file_open(&output, e);
	if (!status)
		status = core_write(&r->core, output.fd, output.name, e);
	/* Of a stream, that many bytes were written. */
	output.position = r->core.size;
	if (!status)
		status = output_file_finish(&output, r->core.size, e);
	output_file_free(&output);
	return status;
}

static enum status check(const struct mkfakevmcore *r, struct error *e)
{
	bool standard = strcmp(r->file, "-") == 0;
	const char *name = standard ? "standard input" : r->file;
	int fd = standard ? STDIN_FILENO : open(r->file, O_RDONLY | O_CLOEXEC);
	enum status status;

	if (fd < 0)
		return error_system(e, errno, "%s", name);
	status = core_compare(&r->core, fd, name, e);
	close(fd);
	return status;
}

static enum status take_file(int argc, char **argv, struct mkfakevmcore *r, struct error *e)
{
	struct error ignored;
	uint64_t size;

	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no FILE given; use - for standard output");
	for (int i = optind; i < argc && optind + 1 < argc; i++)
		if (!size_parse(argv[i], &size, &ignored))
			return error_set(e, STATUS_USAGE, "'%s': FILE is the only operand; use --size=%s", argv[i], argv[i]);
	if (optind + 1 < argc)
		return error_set(e, STATUS_USAGE, "more than one FILE given");
	r->file = argv[optind];
	return STATUS_OK;
}

/* Fills the request; returns -1 to continue, or the exit status. */
static int take_options(int argc, char **argv, struct mkfakevmcore *r)
{
	const struct option_reader reader = { .each = option_set, .arg = r };
	struct error e;

	switch (option_table_read(&table, argc, argv, &reader, &e)) {
	case STATUS_OK:
		break;
	case STATUS_END:
		return EXIT_PERFECT;
	default:
		return message_usage_error(&e);
	}
	if (take_file(argc, argv, r, &e) || core_check(&r->core, &e))
		return message_usage_error(&e);
	return -1;
}

/* --- the program --------------------------------------------------------------------- */

static int run(const struct mkfakevmcore *r)
{
	struct error e;
	enum status status = r->check ? check(r, &e) : make(r, &e);

	if (!status)
		return EXIT_PERFECT;
	message("%s", e.text);
	return status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct mkfakevmcore r = { .core = core_default() };
	int status;

	r.core.size = SIZE_DEFAULT;
	message_open_standard();
	/* write() fails instead, and what was written is removed. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	status = take_options(argc, argv, &r);
	if (status < 0)
		status = run(&r);
	return message_close_output(status);
}
