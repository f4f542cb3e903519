// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of a set with layers, made of any bytes as a capture may make them. */
#ifndef NSPLIT_TESTS_FUZZ_FUZZ_LAYERS_H
#define NSPLIT_TESTS_FUZZ_FUZZ_LAYERS_H

#include "capture/fill/pack.h"
#include "format/superblock.h"

/*
 * What the superblock says of layers; cells have this size.  Granules of the source, with sb->source_size
 * bytes, that are the same as others are second places, as far as the choice stores both in layer 1.
 */
void fuzz_set_layers(struct superblock *sb, uint32_t cell_size, const uint8_t *source, uint8_t choice);

/* The most bytes that the next function writes. */
size_t fuzz_layers_bound(const struct superblock *sb);

/*
 * Writes the records of this source, of a set with this superblock.  The choice determines which granules
 * are stored in layer 1, in layer 2, as zeros, and not at all; of the first ones, all are stored.  Returns
 * the length.
 */
size_t fuzz_put_layers(struct packer *packer, const struct superblock *sb, const uint8_t *source,
		       uint8_t choice, uint8_t *dst);

#endif
