// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is a member. It is opened with its index, and with salvage. All records that are found are read and unpacked.
 */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "set/salvage.h"

const size_t fuzz_prefix = 0;

static struct set set_of(struct member *m)
{
	return (struct set){
		.members = m,
		.count = 1,
		.id = m->superblock.id,
		.chunk_size = m->superblock.chunk_size,
		.cell_size = m->superblock.cell_size,
	};
}

static void read_places(struct member *m)
{
	struct set set = set_of(m);
	struct record_reader r;
	struct error e;

	fuzz_require(record_reader_init(&r, &set, &e) == STATUS_OK, "there is memory");
	for (size_t i = 0; i < m->count; i++) {
		const struct index_entry *entry = &m->locations[i].entry;

		fuzz_require(entry->member_offset + entry->record_length <= m->size,
			     "a location is within the member");
		if (record_reader_load(&r, &set, &m->locations[i], &e) == STATUS_OK)
			fuzz_unpack_record(&r);
	}
	record_reader_free(&r);
}

static enum status salvage_member(struct member *m)
{
	const struct salvage_watch nobody = { 0 };
	struct salvage_job job = { .member = m };

	salvage_run(&job, 1, &nobody);
	return job.status;
}

static void read_file(const char *name, bool salvage)
{
	struct member m;
	struct error e;
	enum status status = member_open(&m, name, salvage, &e);

	if (!status) {
		status = member_load_index(&m, &e);
		if (status && salvage)
			status = salvage_member(&m);
	}
	fuzz_require(status != STATUS_NO_MEMORY, "there is memory");
	if (!status)
		read_places(&m);
	member_close(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	char name[FUZZ_NAME];

	if (size > FUZZ_INPUT_MAX)
		return 0;
	fuzz_file(0, input, size, name);
	read_file(name, false);
	read_file(name, true);
	return 0;
}
