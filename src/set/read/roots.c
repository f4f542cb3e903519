// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "set/read/roots.h"

struct member_root {
	/* In the order of the locations; NULL: it is a stream, or has no root; owned.  Its thread writes each. */
	uint64_t *checksums;
	struct root stream;		/* of the records so far; of the thread that reads the stream */
	atomic_size_t intact;		/* records */
};

struct roots {
	const struct set *set;		/* borrowed */
	struct member_root *members;	/* owned */
};

static enum status member_root_init(struct member_root *root, const struct member *m, struct error *e)
{
	if (m->is_stream)
		root_begin(&root->stream);
	if (m->is_stream || !member_has_root(m) || !m->count)
		return STATUS_OK;
	root->checksums = calloc(m->count, sizeof(*root->checksums));
	return root->checksums ? STATUS_OK : error_system(e, ENOMEM, "%s: checksums of %zu records", m->name, m->count);
}

enum status roots_new(struct roots **roots, const struct set *set, struct error *e)
{
	enum status status = STATUS_OK;
	struct roots *r;

	if (!digest_supported())
		return STATUS_OK;
	r = calloc(1, sizeof(*r));
	if (r)
		r->members = calloc(set->count, sizeof(*r->members));
	if (!r || !r->members) {
		free(r);
		return error_system(e, ENOMEM, "%u members", set->count);
	}
	r->set = set;
	for (unsigned i = 0; i < set->count && !status; i++)
		status = member_root_init(&r->members[i], &set->members[i], e);
	if (status)
		roots_free(r);
	else
		*roots = r;
	return status;
}

void roots_free(struct roots *roots)
{
	for (unsigned i = 0; roots && i < roots->set->count; i++)
		free(roots->members[i].checksums);
	if (roots)
		free(roots->members);
	free(roots);
}

void roots_take(struct roots *roots, const struct location *location, uint64_t checksum)
{
	struct member_root *root = &roots->members[location->member];

	if (root->checksums)
		root->checksums[location - roots->set->members[location->member].locations] = checksum;
	root->intact++;
}

void roots_take_next(struct roots *roots, unsigned member, uint64_t checksum)
{
	root_add(&roots->members[member].stream, checksum);
}

void roots_confirm(struct roots *roots, unsigned member)
{
	roots->members[member].intact++;
}

static void compute(const struct member_root *root, const struct member *m, uint8_t bytes[ROOT_LENGTH])
{
	struct root all = root->stream;

	if (!m->is_stream)
		root_begin(&all);
	for (size_t i = 0; !m->is_stream && i < m->count; i++)
		root_add(&all, root->checksums[i]);
	root_get(&all, bytes);
}

enum root_verdict roots_verdict(const struct roots *roots, unsigned member, uint8_t bytes[ROOT_LENGTH])
{
	const struct member_root *root = &roots->members[member];
	const struct member *m = &roots->set->members[member];

	if (!member_has_root(m))
		return ROOT_NONE;
	if (root->intact != m->footer.records || (!m->is_stream && m->count != m->footer.records))
		return ROOT_UNKNOWN;
	compute(root, m, bytes);
	return memcmp(bytes, m->footer.root, ROOT_LENGTH) == 0 ? ROOT_SAME : ROOT_DIFFERENT;
}
