// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Discards everything: the smallest sink, and a way to measure a capture without any output.
 */
#include "config.h"

#include "io/sink_kinds.h"

static enum status null_append(struct sink *s, const void *bytes, size_t len, struct error *e)
{
	(void)s, (void)bytes, (void)len, (void)e;
	return STATUS_OK;
}

static enum status null_sync(struct sink *s, struct error *e)
{
	(void)s, (void)e;
	return STATUS_OK;
}

const struct sink_ops sink_null_ops = {
	.append = null_append,
	.sync = null_sync,
};
