// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file or block device, read.
 *
 * The buffer is small enough to stay in the second-level cache while its
 * blocks are packed; from the page cache that is as fast as a mapping, and
 * cannot raise SIGBUS.
 */
#include "config.h"

#include "base/bytes.h"
#include "io/source.h"

enum { HOT_BUFFER = 256 * 1024 };

static size_t file_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	return max_u64(block_size, min_u64(HOT_BUFFER, chunk_size));
}

static size_t file_map_size(uint32_t chunk_size)
{
	(void)chunk_size;
	return 0;
}

const struct source_ops source_file_ops = {
	.buffer_size = file_buffer_size,
	.map_size = file_map_size,
	.get = source_get_carefully,
};
