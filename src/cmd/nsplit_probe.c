// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <sys/stat.h>

#include "cmd/message.h"
#include "cmd/nsplit_probe.h"

/* Sinks without an identity (null:, or a directory that is not there) are like no other. */
static bool same_thing(const struct identity *a, const struct identity *b)
{
	return (a->device || a->inode) && identity_equal(a, b);
}

/* Sink i, and those before it. */
static enum status refuse_repeated(const struct sink *sinks, unsigned i,
				   const struct source *source, struct error *e)
{
	const struct sink *sink = &sinks[i];

	if (same_thing(&sink->identity, &source->identity))
		return error_set(e, STATUS_USAGE, "%s: is the source, %s", sink->name, source->name);
	for (unsigned j = 0; j < i; j++)
		if (same_thing(&sink->identity, &sinks[j].identity))
			return error_set(e, STATUS_USAGE, "%s: is the same output as %s",
					 sink->name, sinks[j].name);
	return STATUS_OK;
}

/* The figures must not go where the dump comes from or goes to. */
static enum status refuse_stats_file(const struct nsplit_options *o, const struct source *source,
				     const struct sink *sinks, struct error *e)
{
	const char *name = o->stats_file;
	struct identity id;
	struct stat st;

	if (!name)
		return STATUS_OK;
	if (stat(name, &st) == 0)
		id = identity_of(&st);
	else if (errno == ENOENT && lstat(name, &st) == 0)
		return error_set(e, STATUS_USAGE, "--stats=%s: is a symbolic link to nothing", name);
	else if (!identity_of_new(&id, name))
		return STATUS_OK;	/* no reason to go without the dump: told at the end */
	if (same_thing(&id, &source->identity))
		return error_set(e, STATUS_USAGE, "--stats=%s: is the source", name);
	for (size_t i = 0; i < o->outputs.count; i++)
		if (same_thing(&id, &sinks[i].identity) && id.type != S_IFCHR)
			return error_set(e, STATUS_USAGE, "--stats=%s: is an output", name);
	return STATUS_OK;
}

enum status nsplit_probe(const struct nsplit_options *o, const struct source *source,
			 struct sink *sinks, unsigned *lost, struct error *e)
{
	for (unsigned i = 0; i < o->outputs.count; i++) {
		enum status status = sink_probe(&sinks[i], o->outputs.names[i], o->force,
						o->direct, e);

		if (status == STATUS_SYSTEM) {
			++*lost;
			if (o->dry_run)
				message("%s; would be given up", e->text);
			continue;
		}
		if (!status)
			status = refuse_repeated(sinks, i, source, e);
		if (status)
			return status;
	}
	return refuse_stats_file(o, source, sinks, e);
}
