// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/size.h"
#include "cmd/nsplit_space.h"
#include "core/page_class.h"
#include "io/path.h"

/*
 * The source divided by these is the least space that is worth trying.  The memory of machines in
 * use usually compresses to between a quarter and a half.  raw shortens only blocks that repeat one
 * 8-byte value.
 */
enum { DIVISOR_COMPRESSED = 4, DIVISOR_RAW = 2 };
/* What a dump level leaves out differs much; with these classes, a tenth of the memory is often kept. */
enum { DIVISOR_LEFT_OUT = 10 };

struct space {
	bool is_device;
	dev_t device;		/* the device, or that of the file system */
	uint64_t bytes;
};

/* The blocks of a file that will be overwritten count as free. */
static bool space_of_file(const char *name, struct space *space)
{
	char directory[PATH_MAX];
	struct statvfs fs;
	struct stat st;
	bool exists = stat(name, &st) == 0;

	if (!exists && (!path_directory(name, directory) || stat(directory, &st) != 0))
		return false;
	/* Some file systems do not report it. */
	if (statvfs(exists ? name : directory, &fs) != 0 || !fs.f_blocks)
		return false;
	*space = (struct space){
		.device = st.st_dev,
		.bytes = (uint64_t)fs.f_bavail * fs.f_frsize +
			 (exists && S_ISREG(st.st_mode) ? (uint64_t)st.st_blocks * 512 : 0),
	};
	return true;
}

static bool space_of_device(const char *name, struct space *space)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	off_t end;
	bool known;

	if (fd < 0)
		return false;
	end = lseek(fd, 0, SEEK_END);
	known = end > 0 && fstat(fd, &st) == 0;
	if (known)
		*space = (struct space){ true, st.st_rdev, (uint64_t)end };
	close(fd);
	return known;
}

static bool space_of(const struct sink *sink, struct space *space)
{
	if (!sink->name)
		return false;
	if (sink->kind == SINK_FILE)
		return space_of_file(sink->name, space);
	return sink->kind == SINK_BLOCK_DEVICE && space_of_device(sink->name, space);
}

bool nsplit_space_of(const struct sink *sink, uint64_t *bytes)
{
	struct space space;

	if (!space_of(sink, &space))
		return false;
	*bytes = space.bytes;
	return true;
}

/* True if spaces[count] is on the same file system or device as an earlier one. */
static bool counted_before(const struct space *spaces, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (spaces[i].is_device == spaces[count].is_device &&
		    spaces[i].device == spaces[count].device)
			return true;
	return false;
}

/* The space of all outputs; a file system counts once.  False: that of one output is unknown. */
static bool space_of_all(const struct nsplit_options *o, const struct sink *sinks, uint64_t *bytes)
{
	struct space *spaces = calloc(o->outputs.count, sizeof(*spaces));
	bool known = spaces;

	*bytes = 0;
	for (unsigned i = 0; i < o->outputs.count && known; i++) {
		known = space_of(&sinks[i], &spaces[i]);
		if (known && !counted_before(spaces, i))
			*bytes += spaces[i].bytes;
	}
	free(spaces);
	return known;
}

static bool is_raw(const struct nsplit_options *o)
{
	return strcmp(o->capture.codec_text, "raw") == 0;
}

/* Free and user pages, and the page cache, are most of the memory of most machines. */
static bool leaves_out_most(const struct nsplit_options *o)
{
	const unsigned most = PAGE_CLASS_BIT(PAGE_CLASS_CACHE) | PAGE_CLASS_BIT(PAGE_CLASS_USER) |
			      PAGE_CLASS_BIT(PAGE_CLASS_FREE);

	return (o->left_out.classes & most) == most;
}

static uint64_t least_space(const struct nsplit_options *o, const struct source *source)
{
	return source->size / (is_raw(o) ? DIVISOR_RAW : DIVISOR_COMPRESSED) /
	       (leaves_out_most(o) ? DIVISOR_LEFT_OUT : 1);
}

/* Free space and size of the source, and what to expect of them. */
static void describe_space(char text[SPACE_TEXT_LENGTH], const struct nsplit_options *o,
			   uint64_t bytes, const struct source *source)
{
	char here[SIZE_TEXT_LENGTH], all[SIZE_TEXT_LENGTH];

	snprintf(text, SPACE_TEXT_LENGTH, "%s free; the source has %s%s%s",
		 size_format(bytes, here), size_format(source->size, all),
		 leaves_out_most(o) ? ", of which a tenth is often kept" : "",
		 is_raw(o) ? ", of which raw shortens only blocks that repeat one 8-byte value" :
			     ", which usually compresses to between a quarter and a half");
}

bool nsplit_space_text(const struct nsplit_options *o, const struct source *source,
		       const struct sink *sinks, char text[SPACE_TEXT_LENGTH])
{
	uint64_t bytes;

	if (source->is_stream || !space_of_all(o, sinks, &bytes))
		return false;
	describe_space(text, o, bytes, source);
	return true;
}

void nsplit_space_report(FILE *file, const struct nsplit_options *o, const struct source *source,
			 const struct sink *sinks)
{
	char text[SPACE_TEXT_LENGTH];

	if (nsplit_space_text(o, source, sinks, text))
		fprintf(file, "space: %s\n", text);
}

enum status nsplit_space_check(const struct nsplit_options *o, const struct source *source,
			       const struct sink *sinks, struct error *e)
{
	char text[SPACE_TEXT_LENGTH];
	uint64_t bytes;

	if (source->is_stream || !space_of_all(o, sinks, &bytes) ||
	    bytes >= least_space(o, source))
		return STATUS_OK;
	describe_space(text, o, bytes, source);
	if (o->outputs.count == 1)
		return error_set(e, STATUS_SYSTEM, "%s: %s; free some space, or add outputs",
				 o->outputs.names[0], text);
	return error_set(e, STATUS_SYSTEM, "%zu outputs: %s; free some space, or add outputs",
			 o->outputs.count, text);
}
