// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "export/copy.h"

enum status copy_deliver(void *arg, const struct piece *piece, struct error *e)
{
	struct copy *copy = arg;

	return output_write(copy->output, piece->offset - copy->from, piece->data,
			    piece->length, e);
}
