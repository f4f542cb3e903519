// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "export/copy.h"

enum status copy_deliver(void *arg, const struct delivery *delivery, struct error *e)
{
	struct copy *copy = arg;

	uint64_t offset = delivery->offset - copy->from;

	if (!delivery->data)
		return output_file_write_zeros(copy->output, offset, delivery->length, e);
	return output_file_write(copy->output, offset, delivery->data, delivery->length, e);
}
