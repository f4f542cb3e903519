// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>
#include <sys/mman.h>

#include "cmd/nsplit/drill/figures.h"

struct drill_figures *drill_figures_new(void)
{
	void *f = mmap(NULL, sizeof(struct drill_figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	// cppcheck-suppress memleak		; owned by the caller
	return f == MAP_FAILED ? NULL : f;
}

void drill_figures_free(struct drill_figures *f)
{
	if (f)
		munmap(f, sizeof(*f));
}

void drill_figures_reset(struct drill_figures *f)
{
	*f = (struct drill_figures){ .known = false };
	for (unsigned i = 0; i < MEMBERS_MAX; i++)
		f->made[i].failed = true;
}

static struct drill_made made_of(const struct sink *sink, const struct sink_stats *stats)
{
	struct drill_made made = {
		.failed = stats->state != SINK_TAKING && stats->state != SINK_ENDED && stats->state != SINK_RESERVED,
		.holds = stats->records && stats->state != SINK_DEAD,
		.hung = stats->hung,
	};

	/* Its writer still uses the sink; or it was not even opened. */
	if (stats->hung || stats->state == SINK_RESERVED)
		return made;
	/* A command may have made its file before it receives anything. */
	made.ours = sink->created || (sink->kind == SINK_BLOCK_DEVICE && sink->reached) || sink->kind == SINK_COMMAND;
	made.device = sink->identity.device;
	made.inode = sink->identity.inode;
	made.bytes = sink->reached;
	return made;
}

static bool has_name(const struct sink *sink, const char *name)
{
	return strcmp(sink->is_stdout ? "-" : sink->name, name) == 0;
}

void drill_figures_note(struct drill_figures *f, const struct names *outputs, const struct nsplit *nsplit)
{
	const struct dump_layout *dump = nsplit->options.capture.dump;
	struct capture_progress p;
	size_t output = 0;

	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats;

		/* They are in the same order. */
		while (output < outputs->count && !has_name(&nsplit->sinks[i], outputs->names[output]))
			output++;
		if (output == outputs->count)
			break;
		capture_get_sink(nsplit->capture, i, &stats);
		f->made[output] = made_of(&nsplit->sinks[i], &stats);
	}
	capture_get_progress(nsplit->capture, &p);
	f->source_bytes = p.source_bytes;
	f->member_bytes = p.member_bytes;
	f->seconds = p.seconds;
	f->memory_short = nsplit->memory_short;
	f->elf = dump && dump->elf;
	f->known = true;
}

unsigned drill_figures_failed(const struct drill_figures *f, size_t outputs)
{
	unsigned failed = 0;

	for (size_t i = 0; i < outputs; i++)
		failed += f->made[i].failed;
	return failed;
}
