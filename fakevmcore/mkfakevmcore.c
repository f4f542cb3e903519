// SPDX-License-Identifier: GPL-2.0-or-later
/* mkfakevmcore: writes or checks a core like /proc/vmcore. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/size.h"
#include "fakevmcore/stream.h"

#define SIZE_DEFAULT (64ULL << 20)

enum { EXIT_USAGE = 2 };

struct request {
	struct core core;
	bool check, force;
	const char *file;	/* "-": standard input or output */
};

static const char help[] =
	"Usage: mkfakevmcore [OPTION]... FILE\n"
	"Write an ELF core like /proc/vmcore to FILE (- for standard output).\n"
	"The same options give the same bytes on any machine.\n"
	"\n"
	"  -s, --size=SIZE             size of the file (64M)\n"
	"  -b, --block-size=SIZE       block size of the pattern, 4K to 1M (4K)\n"
	"  -S, --seed=NUMBER           seed of all random values (0)\n"
	"  -p, --pattern=NAME          random, zero, same, text or mixed (mixed)\n"
	"  -C, --compressible=PERCENT  part of each random block that is zero (0)\n"
	"  -P, --pool=SIZE             repeat the blocks after SIZE bytes (64M)\n"
	"  -c, --check                 compare FILE (- for standard input) instead\n"
	"  -f, --force                 overwrite an existing file\n"
	"  -h, --help                  print this help and exit\n"
	"  -V, --version               print the version and exit\n"
	"\n"
	"SIZE takes K, M, G, T (powers of 1024) or kB, MB, GB, TB (powers of 1000).\n"
	"Exit status: 0 success (with --check: FILE is identical); 1 failure; 2 usage.\n";

static int complain(const char *text, int exit_status)
{
	fprintf(stderr, "mkfakevmcore: %s\n", text);
	return exit_status;
}

static int say(const char *text)
{
	if (fputs(text, stdout) == EOF || fflush(stdout) == EOF) {
		fprintf(stderr, "mkfakevmcore: standard output: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

static enum status size_option(const char *text, const char *option, uint64_t *bytes,
			       struct error *e)
{
	enum status status = size_parse(text, bytes, e);

	return status == STATUS_OK ? status : error_prefix(e, "%s: ", option);
}

/* An option with a value; one too large for its field becomes one that core_check() rejects. */
static enum status take_value(struct request *r, int option, const char *text,
			      struct error *e)
{
	struct pattern *p = &r->core.pattern;
	enum status status;
	uint64_t n = 0;

	switch (option) {
	case 's':
		return size_option(text, "--size", &r->core.size, e);
	case 'P':
		return size_option(text, "--pool", &p->pool_size, e);
	case 'S':
		return number_parse(text, "--seed", 0, UINT64_MAX, &p->seed, e);
	case 'p':
		return core_pattern(text, "--pattern", &p->kind, e);
	case 'b':
		status = size_option(text, "--block-size", &n, e);
		p->block_size = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
		return status;
	default:
		status = number_parse(text, "--compressible", 0, 100, &n, e);
		p->compressible = (uint32_t)n;
		return status;
	}
}

/*
 * Opens a new file, or with -f an existing one.  A pipe or character device needs no -f, because
 * it holds no data that could be lost.
 */
static int output_file_open(const struct request *r, bool *created, struct error *e)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	struct stat st;
	int fd;

	fd = open(r->file, flags | O_CREAT | O_EXCL, 0600);
	*created = fd >= 0;
	if (fd < 0 && errno == EEXIST) {
		bool harmless = stat(r->file, &st) == 0 &&
				(S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode));

		if (!r->force && !harmless) {
			error_set(e, STATUS_USAGE, "%s: already exists; use -f to overwrite",
				  r->file);
			return -1;
		}
		fd = open(r->file, flags | (harmless ? 0 : O_CREAT | O_TRUNC), 0600);
	}
	if (fd < 0)
		error_system(e, errno, "%s", r->file);
	return fd;
}

static enum status make(const struct request *r, struct error *e)
{
	bool standard = strcmp(r->file, "-") == 0;
	const char *name = standard ? "standard output" : r->file;
	bool created = false;
	int fd = standard ? STDOUT_FILENO : output_file_open(r, &created, e);
	enum status status;

	if (fd < 0)
		return e->status;
	status = core_write(&r->core, fd, name, e);
	if (close(fd) < 0 && status == STATUS_OK)
		status = error_system(e, errno, "%s", name);
	/* An incomplete core is useless, and it may have filled the disk. */
	if (status != STATUS_OK && created)
		unlink(r->file);
	return status;
}

static enum status check(const struct request *r, struct error *e)
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

static const struct option long_options[] = {
	{ "size", required_argument, NULL, 's' },
	{ "block-size", required_argument, NULL, 'b' },
	{ "seed", required_argument, NULL, 'S' },
	{ "pattern", required_argument, NULL, 'p' },
	{ "compressible", required_argument, NULL, 'C' },
	{ "pool", required_argument, NULL, 'P' },
	{ "check", no_argument, NULL, 'c' },
	{ "force", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

/* Fills the request; returns -1 to continue, or the exit status. */
static int take_options(int argc, char **argv, struct request *r)
{
	struct error e;
	int option;

	while ((option = getopt_long(argc, argv, "s:b:S:p:C:P:cfhV", long_options,
				     NULL)) != -1) {
		switch (option) {
		case 'c':
			r->check = true;
			break;
		case 'f':
			r->force = true;
			break;
		case 'h':
			return say(help);
		case 'V':
			return say("mkfakevmcore (" PACKAGE_NAME ") " PACKAGE_VERSION "\n");
		case '?':
			return EXIT_USAGE;
		default:
			if (take_value(r, option, optarg, &e) != STATUS_OK)
				return complain(e.text, EXIT_USAGE);
		}
	}
	if (optind == argc)
		return complain("no FILE given; use - for standard output, or see --help",
				EXIT_USAGE);
	if (optind + 1 < argc)
		return complain("more than one FILE given", EXIT_USAGE);
	r->file = argv[optind];
	return core_check(&r->core, &e) == STATUS_OK ? -1 : complain(e.text, EXIT_USAGE);
}

int main(int argc, char **argv)
{
	struct request r = { .core = core_default() };
	static char name[] = "mkfakevmcore";
	struct error e;
	int done;

	if (argc > 0)
		argv[0] = name;		/* used in the messages of getopt */
	r.core.size = SIZE_DEFAULT;
	done = take_options(argc, argv, &r);
	if (done >= 0)
		return done;
	signal(SIGPIPE, SIG_IGN);	/* so that write() fails and the error is printed */
	if ((r.check ? check(&r, &e) : make(&r, &e)) != STATUS_OK)
		return complain(e.text, EXIT_FAILURE);
	return EXIT_SUCCESS;
}
