// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "export/copy.h"

enum status copy_deliver(void *arg, const struct delivery *delivery, struct error *e)
{
	struct copy *copy = arg;

	return output_file_write(copy->output, delivery->offset - copy->from, delivery->data,
			    delivery->length, e);
}
