// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "io/transfer.h"

void fuzz_require(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz: not so: %s\n", what);
	abort();
}

uint8_t *fuzz_memory(size_t size)
{
	uint8_t *bytes = malloc(size ? size : 1);

	fuzz_require(bytes, "there is memory");
	return bytes;
}

uint8_t *fuzz_copy(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = fuzz_memory(size);

	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

uint8_t *fuzz_copy_padded(const uint8_t *bytes, size_t size, size_t length)
{
	uint8_t *copy = fuzz_memory(length);

	memset(copy, 0, length);
	if (size)
		memcpy(copy, bytes, min_u64(size, length));
	return copy;
}

void fuzz_file(unsigned n, const uint8_t *bytes, size_t size, char name[FUZZ_NAME])
{
	/* Files are reused, because creating one takes longer than most inputs. */
	static int files[FUZZ_FILES];

	if (!files[n])
		files[n] = memfd_create("fuzz", MFD_CLOEXEC);
	fuzz_require(files[n] > 0 && ftruncate(files[n], 0) == 0 &&
		     transfer_pwrite(files[n], bytes, size, 0) == size, "a file can be made");
	snprintf(name, FUZZ_NAME, "/proc/self/fd/%d", files[n]);
}

int fuzz_pipe(const uint8_t *bytes, size_t size, char name[FUZZ_NAME])
{
	int ends[2];

	fuzz_require(size <= FUZZ_INPUT_MAX && pipe2(ends, O_CLOEXEC) == 0 &&
		     fcntl(ends[1], F_SETPIPE_SZ, FUZZ_INPUT_MAX) >= FUZZ_INPUT_MAX &&
		     transfer_write(ends[1], bytes, size) == size, "a pipe can be filled");
	close(ends[1]);
	snprintf(name, FUZZ_NAME, "/proc/self/fd/%d", ends[0]);
	return ends[0];
}

struct output_file fuzz_output(int *kept)
{
	static int file;
	static char name[] = "kdump";

	if (!file)
		file = memfd_create(name, MFD_CLOEXEC);
	fuzz_require(file > 0 && ftruncate(file, 0) == 0, "a file can be made");
	*kept = file;
	return (struct output_file){
		.name = name, .kind = OUTPUT_DEVICE, .state = OUTPUT_OPEN, .fd = dup(file), .sparse = true,
	};
}

void fuzz_unpack_record(struct record_reader *r)
{
	enum { UNTOUCHED = 0xa5 };
	const struct record *record = &r->record;
	uint8_t *blocks = fuzz_memory(record->stored_length), *block = blocks;
	struct error e;

	memset(blocks, UNTOUCHED, record->stored_length);
	if (record_reader_unpack(r, blocks, true, &e)) {
		free(blocks);
		return;
	}
	for (uint32_t i = 0; i < record_blocks(record); i++) {
		uint32_t length = record_block_length(record, i);
		enum block_kind kind = record_reader_kind(r, i);

		if (kind == BLOCK_ZERO)
			for (uint32_t at = 0; at < length; at++)
				fuzz_require(block[at] == UNTOUCHED, "no codec writes on into "
					     "the next block");
		block += length;
	}
	fuzz_require(block == blocks + record->stored_length, "blocks make up the record");
	free(blocks);
}
